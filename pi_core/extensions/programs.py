"""How `pi.exec` runs a program: no shell, no input, a result whatever happens.

Touches: processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

from hookspecs.definitions import ExecResult
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
