"""What reloads and replacements leave behind: nothing."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

from pi_core.extensions.actions import Runtime
from tests.support.runtime_bench import RuntimeBench, write

EXTENSION = """
    import asyncio
    from .helper import NAME

    def extension(pi):
        pi.events.on("note", print)
        pi.every(60, print)
        pi.spawn(asyncio.Event().wait())

        @pi.tool
        def word() -> str:
            return NAME

        @pi.on("session_start")
        def start(event, ctx):
            pi.keep = ctx
    """
OURS = ("pi_", "hookspecs", "leak_sample")
"""Beginnings of the names of our modules; those of an extension in a folder are `pi_ext_…`."""

SETTLED_S = 0.3
"""By then every task has ended that only had to be left to its end."""


def counts() -> dict[str, Any]:
    """Everything of ours that could grow, but for threads that an event loop keeps for its next errand.

    What a library imports at last, in a thread that an earlier test began, is nothing of ours.
    """
    gc.collect()  # what other tests left must not go in between
    return {
        "modules": sum(name.startswith(OURS) for name in sys.modules),
        "path": list(sys.path),
        "finders": sum(type(finder).__module__.startswith("pi_") for finder in sys.meta_path),
        "tasks": len(asyncio.all_tasks()),
        "files": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0,
        "threads": sum(not thread.name.startswith("asyncio_") for thread in threading.enumerate()),
    }


def grown(first: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """What there is more of, before and after; a task that was about to end may be missing."""
    more = {name: (count, later[name]) for name, count in first.items() if name != "path"}
    found = {name: both for name, both in more.items() if both[1] > both[0]}
    return found if first["path"] == later["path"] else {**found, "path": (first["path"], later["path"])}


def runtimes() -> int:
    """How many are alive; whatever `counts` has just cleared away is not."""
    return sum(type(found) is Runtime for found in gc.get_objects())


@pytest.fixture
def bench(tmp_path: Path) -> RuntimeBench:
    """A runtime with an extension in a folder, and one in a package that keeps its import name."""
    folder = tmp_path / "agent" / "extensions" / "own"
    write(folder / "__init__.py", EXTENSION)
    write(folder / "helper.py", "NAME = 'x'\n")
    tree = tmp_path / "tree"
    write(
        tree / "pyproject.toml",
        """
        [project]
        name = "leak-sample"
        version = "1"
        [project.entry-points."pi.extensions"]
        main = "leak_sample.main:extension"
        """,
    )
    write(tree / "src" / "leak_sample" / "__init__.py", "")
    write(tree / "src" / "leak_sample" / "main.py", "def extension(pi): pi.command('leak')(print)\n")
    write(tmp_path / "agent" / "settings.toml", f'packages = ["{tree}"]\n')
    return RuntimeBench(tmp_path, discover=True, stored=False)


@pytest.mark.slow
async def test_a_hundred_reloads(bench: RuntimeBench) -> None:
    """Not one module, task, listener, file handle, thread or generation more than after the first."""
    async with bench:
        await bench.runtime.reload()
        session = bench.runtime.session
        assert ["leak"] == [each.invocation for each in session.parts.runner.registry.commands()]
        await asyncio.sleep(SETTLED_S)
        first, listeners = counts(), len(session.parts.channel._listeners)
        alive = runtimes()
        old = weakref.ref(session.parts.runner)
        for _ in range(100):
            await bench.runtime.reload()
        await asyncio.sleep(SETTLED_S)
        assert {} == grown(first, counts())
        assert (listeners, alive) == (len(session.parts.channel._listeners), runtimes())
        assert None is old()
        assert [] == bench.errors


async def test_replacements(bench: RuntimeBench) -> None:
    """Ten sessions on, only the present one is there."""
    async with bench:
        await bench.runtime.new_session()
        await asyncio.sleep(SETTLED_S)
        first, alive = counts(), runtimes()
        for _ in range(10):
            await bench.runtime.new_session()
        await asyncio.sleep(SETTLED_S)
        assert {} == grown(first, counts())
        assert alive == runtimes()


async def test_the_end(bench: RuntimeBench) -> None:
    """After the end modules, import folders, tasks and files are as before the start."""
    before, imported = counts(), set(sys.modules)
    async with bench:
        await bench.runtime.reload()
    await asyncio.sleep(SETTLED_S)
    after = counts()
    new = set(sys.modules) - imported
    assert [] == [name for name in new if name.startswith(("leak_sample", "pi_ext_"))]
    assert set() == set(grown(before, after)) - {"modules", "finders", "threads"}  # what was needed once
