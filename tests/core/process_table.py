"""Looks at processes that a test started.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path


async def pid_in(path: Path) -> int:
    """The process number that a program writes into a file, once it is there."""
    for _ in range(500):
        if path.exists() and path.read_text().strip():
            return int(path.read_text())
        await asyncio.sleep(0.02)
    raise AssertionError(f"{path.name} was never written")


async def survivors(*pids: int) -> list[int]:
    """Those of the processes that do not end within a few seconds."""
    alive = list(pids)
    for _ in range(100):
        alive = [pid for pid in alive if _is_alive(pid)]
        if not alive:
            break
        await asyncio.sleep(0.05)
    return alive


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
