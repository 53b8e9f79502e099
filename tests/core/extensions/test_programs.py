"""Programs that extensions run end with them, and whoever waits for one gets a result."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import ExecResult
from pi_core.abort import AbortController
from pi_core.extensions.errors import StaleContextError
from pi_core.extensions.programs import Programs
from pi_core.testing import Harness
from tests.core.extensions.ticking import settled
from tests.core.process_table import pid_in, survivors

POLITE = ""
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"


class Port:
    """A program that runs until its signal is aborted, or its caller is cancelled."""

    def __init__(self, deaf: bool = False) -> None:
        self.deaf = deaf
        self.cancelled = 0

    async def __call__(
        self, command: str, args: Any, *, cwd: str, timeout_s: float | None = None, signal: Any = None
    ) -> ExecResult:
        ended = asyncio.Event()
        if not self.deaf:
            signal.on_abort(ended.set)
        try:
            await ended.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return ExecResult(stdout="part", stderr="", code=143, killed=True)


def start(programs: Programs, owner: str = "a", signal: Any = None) -> asyncio.Task[ExecResult]:
    return asyncio.ensure_future(programs.run(owner, "x", [], cwd="/", signal=signal))


async def test_the_end_of_the_load_ends_programs() -> None:
    """Whoever waits gets what there is so far, and nothing new is started."""
    programs = Programs(Port())
    task = start(programs)
    await settled()
    assert 0 == await programs.close(0.5)
    assert ("part", True) == ((await task).stdout, (await task).killed)
    assert (await start(programs)).killed


async def test_a_deaf_program_is_ended_by_force() -> None:
    """After the grace time; who waits gets a result, not a cancellation."""
    port = Port(deaf=True)
    programs = Programs(port)
    task = start(programs)
    await settled()
    assert 0 == await programs.close(0.01)
    assert (1, True) == (port.cancelled, (await task).killed)


async def test_the_programs_of_one_extension_end_alone() -> None:
    """A failed load takes its own programs along and no others."""
    programs = Programs(Port())
    mine, other = start(programs, "mine"), start(programs, "other")
    await settled()
    programs.end("mine")
    await settled()
    assert (True, False) == (mine.done(), other.done())
    await programs.close(0.1)
    await other


async def test_the_callers_signal_stops_a_program() -> None:
    """Its abort reaches the program, and nothing is left on it afterwards."""
    programs, controller = Programs(Port()), AbortController()
    task = start(programs, signal=controller.signal)
    await settled()
    controller.abort()
    assert (await task).killed
    assert [] == controller.signal._listeners


async def test_cancelling_the_caller_stops_a_program() -> None:
    """A handler that is interrupted leaves no program behind."""
    port = Port()
    task = start(Programs(port))
    await settled()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await settled()
    assert 1 == port.cancelled


@pytest.mark.parametrize("body", [POLITE, DEAF], ids=["polite", "deaf"])
async def test_a_real_program_is_gone_when_the_session_is(body: str, tmp_path: Path) -> None:
    """HANG 138, 139: one that was started from a task of its own, polite or not, is dead after `close`."""
    kept: list[Any] = []
    note = tmp_path / "pid"
    code = (
        f"import os, signal, time\n{body}\nopen({str(note)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    )
    async with Harness(kept.append) as harness:
        task = asyncio.ensure_future(kept[0].exec(sys.executable, ["-c", code]))
        pid = await pid_in(note)
        harness.runner.invalidate()
        assert 0 == await harness.runner.close(grace_s=0.2)
        assert (await task).killed
        with pytest.raises(StaleContextError):
            await kept[0].exec("x")
    assert [] == await survivors(pid)
    await forgotten(pid)


async def forgotten(pid: int) -> None:
    """Wait until the loop has learned of the end of a program: it would complain if it were closed before."""
    with suppress(ProcessLookupError):
        for _ in range(500):
            os.kill(pid, 0)
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.02)
