"""Extensions on disk, and loading them, for the tests of this folder.

Touches: files.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pi_core.extensions.actions import Runtime
from pi_core.extensions.loader import LoadOutcome, LoadRequest, load_extensions
from pi_core.extensions.runner import Runner
from pi_pkg import Diagnostic, Provenance

HELLO = """
    def extension(pi):
        pi.register_command("hello", lambda args, ctx: "hello")
"""


def write(path: Path, text: str) -> Path:
    """Write a source file, its text moved to the margin; returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def ask(path: Path | str, *, source: str = "cli", explicit: bool = True, **more: Any) -> LoadRequest:
    """A request for a file or folder."""
    provenance = Provenance(str(path), source, "temporary", "top-level")
    return LoadRequest(path=str(path), provenance=provenance, explicit=explicit, **more)


def inline(factory: Callable[..., Any], number: int = 1) -> LoadRequest:
    """A request for a factory at hand."""
    return ask(f"<inline:{number}>", source="inline", factory=factory)


COUNTING = """
    TIMES = []
    def extension(pi):
        TIMES.append(1)
        pi.register_flag(f"n{len(TIMES)}", type="boolean")
"""
"""Its one flag tells how often the factory of this module ran."""


async def load(*requests: LoadRequest | Path, runtime: Runtime | None = None, **how: Any) -> LoadOutcome:
    """Load requests, or files and folders, in order."""
    given = [ask(item) if isinstance(item, Path) else item for item in requests]
    return await load_extensions(given, runtime or Runtime(), **{"cwd": "/", **how})


async def load_source(path: Path, text: str, **how: Any) -> LoadOutcome:
    """Load one extension from its source text."""
    return await load(write(path, text), **how)


async def refusal(path: Path, text: str, **how: Any) -> Diagnostic:
    """What is wrong with one extension, from its source text."""
    loaded = await load_source(path, text, **how)
    assert loaded.extensions == ()
    (error,) = loaded.errors
    return error


async def running(*factories: Callable[..., Any], runtime: Runtime | None = None) -> Runner:
    """A runner over factories at hand, each an extension `<inline:n>`; all of them must load."""
    requests = [inline(factory, number) for number, factory in enumerate(factories, 1)]
    loaded = await load(*requests, runtime=runtime)
    assert loaded.errors == ()
    return Runner(loaded.extensions, loaded.runtime, cwd="/")


def private_modules() -> set[str]:
    """The modules that our loader put into sys.modules."""
    return {name for name in sys.modules if name.startswith("pi_ext_")}
