"""One writer of `auth.json` at a time, among the processes of this pi and of the TypeScript one.

The folder `auth.json.lock` is the lock that both keep: whoever makes it holds the file, and touches
the folder now and then; one that nobody touched for half a minute was left behind. Among ourselves a
lock of the system stands in front, which ends with its process: it remembers the folder that its
holder made, so that a holder that was killed is not waited for.

Touches: files.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from filelock import BaseFileLock

STALE_S: Final = 30.0
"""The other pi touches its folder every fifteen seconds."""
TOUCH_S: Final = 2.0
"""How often we do; it takes a folder for left behind after ten seconds at the earliest."""
WAIT_S: Final = 45.0
_POLL_S: Final = 0.05


class LockBusy(OSError):
    """Another process held the file for the whole time."""


@asynccontextmanager
async def alone_with(path: Path, *, wait_s: float = WAIT_S) -> AsyncIterator[None]:
    """Hold the lock of a file. Its folder must exist. Raises: LockBusy, OSError."""
    from filelock import FileLock  # only a change of the file needs it

    deadline = time.monotonic() + wait_s
    front = FileLock(path.with_name(f".{path.name}.lock"), thread_local=False)
    await _acquire(front, deadline)
    try:
        folder = path.with_name(f"{path.name}.lock")
        note = path.with_name(f".{path.name}.holder")
        await _make(folder, note, deadline)
        touching = asyncio.ensure_future(_keep_touching(folder))
        try:
            yield
        finally:
            touching.cancel()
            with suppress(OSError):
                folder.rmdir()
            note.unlink(missing_ok=True)
    finally:
        front.release()


async def _acquire(front: BaseFileLock, deadline: float) -> None:
    from filelock import Timeout  # as above

    while True:
        try:
            front.acquire(timeout=0)
            return
        except Timeout:
            await _wait(deadline)


async def _make(folder: Path, note: Path, deadline: float) -> None:
    """Make the folder, in the place of one that was left behind if need be."""
    while True:
        try:
            folder.mkdir(mode=0o700)
            note.write_text(str(folder.stat().st_ino), encoding="ascii")
            return
        except FileExistsError:
            if _left_behind(folder, note):
                with suppress(OSError):
                    folder.rmdir()
                continue
        await _wait(deadline)


def _left_behind(folder: Path, note: Path) -> bool:
    """Whether nobody holds the folder: one of us made it, who is gone, or nobody touched it for long."""
    try:
        found = folder.stat()
    except FileNotFoundError:
        return True
    try:
        if note.read_text(encoding="ascii") == str(found.st_ino):
            return True
    except (OSError, ValueError):
        pass  # it is not one of ours
    return time.time() - found.st_mtime > STALE_S


async def _wait(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise LockBusy("another process has been changing it for a long time")
    await asyncio.sleep(_POLL_S)


async def _keep_touching(folder: Path) -> None:
    while True:
        await asyncio.sleep(TOUCH_S)
        with suppress(OSError):
            os.utime(folder)
