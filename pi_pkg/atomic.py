"""A file is replaced as a whole or not at all, and one writer at a time.

Touches: files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

LOCK_TIMEOUT_S: Final = 10.0
_POLL_S: Final = 0.01
"""How often a waiting writer looks again; a write takes a few milliseconds."""


class Writer(Protocol):
    """Puts bytes in the place of a file; raises OSError with the old content intact."""

    def __call__(self, path: Path, data: bytes) -> None: ...


class LockTimeout(OSError):
    """Another process held the lock for the whole time."""


def replace_file(path: Path, data: bytes) -> None:
    """Write aside, flush to the disk, then rename over the file; a link is followed, mode bits are kept.

    Parents are created. A failure leaves the old content in place and nothing beside it.

    Raises:
        OSError: any step failed.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(aside, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            os.chmod(aside, stat.S_IMODE(target.stat().st_mode))
        os.replace(aside, target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def sweep_aside(path: Path) -> None:
    """Delete what writers that were killed left beside a file. Only for who holds the lock of its writers."""
    target = Path(os.path.realpath(path))
    for name in os.listdir(target.parent):
        if name.startswith(f".{target.name}.") and name.endswith(".tmp"):
            (target.parent / name).unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system lets a folder be opened."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows
        return
    try:
        os.fsync(descriptor)
    except OSError:  # a file system without it; the content is safe already
        pass
    finally:
        os.close(descriptor)


@contextmanager
def locked(lock: Path, *, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Hold an exclusive lock file while the body runs; its folder is created, the file stays.

    A holder that died holds nothing.

    Raises:
        LockTimeout: somebody else held it for `timeout_s`.
        OSError: the lock file could not be made.
    """
    from filelock import FileLock, Timeout  # start-up time: only writers lock

    lock.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(lock, timeout=timeout_s, poll_interval=_POLL_S):
            yield
    except Timeout as problem:
        raise LockTimeout(f"another process has been changing it for {timeout_s:g} s") from problem
