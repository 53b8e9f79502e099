"""A search in a program of its own, which can be ended at any moment.

An expression such as `(a+)+b` may keep Python busy for years, and nothing else runs meanwhile. Aside it
harms nobody: it is ended by an abort, or after a minute.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pi_core.abort import AbortSignal
from pi_core.process import run_process
from pi_core.tools.look_error import LookError
from pi_core.tools.searching import GrepFound, GrepLine, GrepRequest, expression_of, file_filter, grep_here

LIMIT_S: Final = 60.0
"""How long a search may take."""
_SHOWN: Final = 2000
"""Characters of a line that are handed on; a tool shows fewer."""
_PROGRAM: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from pi_core.tools.search_aside import answer; answer(sys.argv[2])"
)


async def grep_aside(
    wanted: GrepRequest, signal: AbortSignal | None, *, limit_s: float = LIMIT_S
) -> GrepFound:
    """Look on this machine, in a child process. Raises: LookError, AbortedError."""
    expression_of(wanted)  # what has no meaning is refused here
    file_filter(wanted.glob)
    code_of_ours = str(Path(__file__).parents[2])
    ended = await run_process(
        [sys.executable, "-I", "-c", _PROGRAM, code_of_ours, json.dumps(asdict(wanted))],
        cwd=code_of_ours,
        timeout_s=limit_s,
        signal=signal,
    )
    if signal is not None:
        signal.raise_if_aborted()
    if ended.timed_out:
        message = f"The search took longer than {limit_s:g} seconds; use a simpler pattern, or fewer files."
        raise LookError("too_slow", message)
    if ended.code != 0:  # the program that embeds us may be no Python that can be started
        return await asyncio.to_thread(grep_here, wanted, signal)
    return _found(json.loads(ended.stdout))


def answer(request: str) -> None:
    """What the child process does: search, and hand the lines on."""
    found = grep_here(GrepRequest(**json.loads(request)), None)
    lines = [[line.name, line.number, line.text[:_SHOWN], line.is_match] for line in found.lines]
    json.dump({"lines": lines, "more": found.more, "too_large": found.too_large}, sys.stdout)


def _found(told: dict[str, Any]) -> GrepFound:
    return GrepFound([GrepLine(*line) for line in told["lines"]], told["more"], told["too_large"])
