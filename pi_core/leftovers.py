"""Programs that somebody started behind our back and that still run when we end.

They hold our pipes, and whoever waits for the end of our output would wait for theirs. A program that
was given a session of its own is meant to outlive us and is left alone.

Touches: processes.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

POLITE_S: Final = 0.5
"""How long a program may take to end by itself."""
_STEP_S: Final = 0.01


def end_leftovers(polite_s: float = POLITE_S) -> tuple[int, ...]:
    """End the child processes that are left, and return their ids; they are gone then. Not on Windows."""
    if sys.platform == "win32":
        return ()
    left = tuple(pid for pid in _children() if _is_ours(pid))
    _send(left, signal.SIGTERM)
    deadline = time.monotonic() + polite_s
    waiting = [pid for pid in left if not _has_ended(pid)]
    while waiting and time.monotonic() < deadline:
        time.sleep(_STEP_S)
        waiting = [pid for pid in waiting if not _has_ended(pid)]
    _send(waiting, signal.SIGKILL)
    return left


def _children() -> Iterator[int]:
    """The ids of our direct children, those that ended unnoticed included."""
    tasks = Path("/proc/self/task")
    if tasks.is_dir():
        for listed in tasks.glob("*/children"):
            with contextlib.suppress(OSError):  # a thread that ended meanwhile
                yield from map(int, listed.read_text().split())
    elif sys.platform == "darwin":
        room = (ctypes.c_int * 1024)()
        count = ctypes.CDLL(None).proc_listchildpids(os.getpid(), room, ctypes.sizeof(room))
        yield from room[: max(0, count)]


def _is_ours(pid: int) -> bool:
    try:
        return not _has_ended(pid) and os.getsid(pid) == os.getsid(0)
    except OSError:
        return False


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except OSError:
        return True


def _send(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            os.kill(pid, number)
