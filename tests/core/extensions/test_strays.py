"""What an extension lets slip into the event loop is reported as its failure, and the host goes on."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hookspecs import SessionStart
from pi_core.dispatch.plan import Failure
from pi_core.extensions.actions import Finding
from pi_core.extensions.registrations import Extension
from pi_core.extensions.runner import Runner
from pi_core.extensions.strays import owner_of
from pi_pkg import Provenance
from tests.core.extensions.support import load, write

CALLBACK = """
    import asyncio

    def late():
        raise ValueError("stray")

    def extension(pi):
        @pi.on("session_start")
        async def begin(event, ctx):
            asyncio.get_running_loop().call_later(0.001, late)
"""
TASK = """
    import asyncio
    from .helper import work

    def extension(pi):
        @pi.on("session_start")
        async def begin(event, ctx):
            asyncio.create_task(work())
"""
HELPER = """
    async def work():
        raise ValueError("stray")
"""


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[tuple[Path, list[Finding]]]:
    """A folder for extensions, and what is reported of them."""
    yield tmp_path, []
    asyncio.get_running_loop().set_exception_handler(None)


async def start(path: Path, findings: list[Finding]) -> Runner:
    loaded = await load(path)
    runner = Runner(loaded.extensions, loaded.runtime, cwd="/")
    runner.on_error(findings.append)
    asyncio.get_running_loop().set_exception_handler(runner.on_stray)
    await runner.emit(SessionStart(reason="startup"))
    return runner


async def test_a_failing_callback_is_attributed(world: Any) -> None:
    """LIFE 104: also after a reload; the host goes on, and the person learns whose it was."""
    folder, findings = world
    path = write(folder / "late.py", CALLBACK)
    runner = await start(path, findings)
    runner.invalidate()
    await asyncio.sleep(0.02)
    assert [(str(path), "event_loop", "stray")] == [
        (f.extension, f.event, f.message) for f in findings if isinstance(f, Failure)
    ]


async def test_a_forgotten_task_is_attributed(world: Any) -> None:
    """A task that was not given to `spawn` and fails is found by the helper in which it failed."""
    folder, findings = world
    write(folder / "ext" / "helper.py", HELPER)
    write(folder / "ext" / "__init__.py", TASK)
    await start(folder / "ext", findings)
    await asyncio.sleep(0.01)
    gc.collect()
    assert [str(folder / "ext")] == [f.extension for f in findings if isinstance(f, Failure)]


async def test_what_is_nobodys_goes_the_usual_way(world: Any, caplog: pytest.LogCaptureFixture) -> None:
    """An error without a frame of an extension is the loop's to tell."""
    folder, findings = world
    await start(write(folder / "late.py", "def extension(pi): pass"), findings)
    loop = asyncio.get_running_loop()
    loop.call_exception_handler({"message": "odd", "exception": ValueError("host")})
    loop.call_exception_handler({"message": "no exception at all"})
    assert ([], ["odd", "no exception at all"]) == (
        findings,
        [record.getMessage().splitlines()[0] for record in caplog.records],
    )


def extension(path: Path) -> Extension:
    return Extension(path=str(path), provenance=Provenance(str(path), "cli", "temporary", "top-level"))


def test_the_innermost_folder_owns_a_file(tmp_path: Path) -> None:
    """A file beside an extension is not its own; a folder owns what is below it."""
    inner = write(tmp_path / "outer" / "inner" / "__init__.py", "")
    single = write(tmp_path / "outer" / "single.py", "")
    outer, nested, alone = extension(tmp_path / "outer"), extension(inner), extension(single)
    every = [outer, nested, alone]
    found = [
        owner_of([str(tmp_path / "outer" / name)], every)
        for name in ("inner/deep.py", "single.py", "other.py", "../elsewhere.py")
    ]
    assert [nested, alone, outer, None] == found


def test_a_link_leads_to_the_file(tmp_path: Path) -> None:
    """An extension that was linked into place is found by its real file."""
    real = write(tmp_path / "real.py", "")
    (tmp_path / "link.py").symlink_to(real)
    linked = extension(tmp_path / "link.py")
    assert linked is owner_of([str(real)], [linked])
