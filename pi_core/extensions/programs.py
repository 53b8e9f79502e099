"""How `pi.exec` runs a program: no shell, no input, a result whatever happens, and an end with its owner.

Touches: processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Protocol

from hookspecs.definitions import ExecResult
from pi_core.abort import AbortController
from pi_core.process import run_process

KILL_GRACE_S: Final = 5.0
"""Time between asking a program to end and ending it."""
MAX_OUTPUT_BYTES: Final = 16 * 1024 * 1024
"""What is kept of each of the two streams."""


class ExecPort(Protocol):
    """Runs a program for an extension; never raises for the program's sake."""

    async def __call__(
        self,
        command: str,
        args: Sequence[str],
        *,
        cwd: str,
        timeout_s: float | None = None,
        signal: Any = None,
    ) -> ExecResult: ...


async def run_program(
    command: str,
    args: Sequence[str],
    *,
    cwd: str,
    timeout_s: float | None = None,
    signal: Any = None,
) -> ExecResult:
    """Run `command` with its arguments in `cwd`. `timeout_s` None waits for ever."""
    done = await run_process(
        [command, *args],
        cwd=cwd,
        timeout_s=timeout_s,
        signal=signal,
        max_bytes=MAX_OUTPUT_BYTES,
        kill_grace_s=KILL_GRACE_S,
    )
    return ExecResult(
        stdout=done.stdout, stderr=done.stderr, code=done.code, killed=done.killed, truncated=done.truncated
    )


ENDED: Final = ExecResult(stdout="", stderr="", code=128 + 15, killed=True)
"""The result of a program that had to be ended by force, or came too late to be started."""


class Programs:
    """The running programs of one load. They end when it ends; who waits for one gets a result."""

    def __init__(self, port: ExecPort) -> None:
        self.port = port
        self._running: dict[asyncio.Task[ExecResult], tuple[str, AbortController]] = {}
        self._ended = False

    async def run(
        self,
        owner: str,
        command: str,
        args: Sequence[str],
        *,
        cwd: str,
        timeout_s: float | None = None,
        signal: Any = None,
    ) -> ExecResult:
        """Run a program for the extension at path `owner`, whose end stops it, as `signal` does."""
        if self._ended:
            return ENDED
        stop = AbortController()
        unlisten = None if signal is None else signal.on_abort(lambda: stop.abort(signal.reason))
        work = self.port(command, args, cwd=cwd, timeout_s=timeout_s, signal=stop.signal)
        task = asyncio.ensure_future(work)
        self._running[task] = owner, stop
        try:
            await asyncio.wait({task})
        finally:
            if unlisten is not None:
                unlisten()
            task.cancel()  # does nothing unless the caller itself was cancelled
            self._running.pop(task, None)
        return ENDED if task.cancelled() else task.result()

    def end(self, owner: str | None = None) -> None:
        """Ask the programs of one extension to end; or all, and start no other."""
        self._ended = self._ended or owner is None
        for theirs, stop in tuple(self._running.values()):
            if owner is None or theirs == owner:
                stop.abort("the extension is gone")

    async def close(self, grace_s: float) -> int:
        """End every program, by force after `grace_s`; returns how many are left even then."""
        self.end()
        for limit_s in (grace_s, grace_s):
            if not self._running:
                break
            _, left = await asyncio.wait(set(self._running), timeout=limit_s)
            for task in left:
                task.cancel()
        return len(self._running)
