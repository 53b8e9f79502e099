"""Type checkers as an author runs them: strict, and without the project's own configuration.

Touches: processes, a cache in the folder of temporary files.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.support.agent_cli import ROOT, python_environ

CACHE = Path(tempfile.gettempdir()) / "pi-test-mypy"
"""Shared by all runs, which have the same options: what an author imports is checked once."""


def mypy(files: Iterable[Path], *options: str, search: Iterable[Path] = ()) -> str:
    """What mypy says about these files, errors or not."""
    strict = ("--strict", "--config-file=", "--python-version=3.11", f"--cache-dir={CACHE}")
    path = os.pathsep.join(map(str, (ROOT, *search)))
    return checked("mypy", *strict, *options, *map(str, files), environ={"MYPYPATH": path})


def checked(*command: str, environ: dict[str, str] | None = None) -> str:
    """The output of a checker that came to a result."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT, env={**python_environ(), **(environ or {})}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout
