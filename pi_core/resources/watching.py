"""Changes of files as they happen, through the library watchfiles, which the extra `watch` brings.

Touches: files, threads.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from importlib.util import find_spec
from typing import Final, TypeAlias

from pi_core.errors import MissingExtraError
from pi_core.resources.watched import Watched

Changes: TypeAlias = Callable[[Watched], AsyncGenerator[frozenset[str], None]]
"""Yields the files that changed, those at nearly the same time at once, until it is closed."""

LIBRARY: Final = "watchfiles"
SETTLE_MS: Final = 100
"""How long files must be quiet before a change is told; editors write in several steps."""


def require_watching() -> None:
    """Raise MissingExtraError if files cannot be watched here."""
    if find_spec(LIBRARY) is None:
        raise MissingExtraError("--watch", LIBRARY, "watch")


async def changes(watched: Watched) -> AsyncGenerator[frozenset[str], None]:
    """Implements `Changes`. Raises: what the library raises, such as an OSError at the system's limits."""
    found: asyncio.Queue[frozenset[str] | BaseException] = asyncio.Queue()
    stop = asyncio.Event()
    groups = ((watched.deep, True), (frozenset(watched.shallow), False))
    watches = [_watch(folders, recursive, watched, found, stop) for folders, recursive in groups]
    tasks = [asyncio.ensure_future(watch) for watch in watches]
    try:
        while True:
            item = await found.get()
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        await asyncio.wait(tasks)


async def _watch(
    folders: frozenset[str],
    recursive: bool,
    watched: Watched,
    found: asyncio.Queue[frozenset[str] | BaseException],
    stop: asyncio.Event,
) -> None:
    from watchfiles import awatch  # only a run that watches has it, and pays for it

    present = sorted(folder for folder in folders if os.path.isdir(folder))
    if not present:
        return
    try:
        async for batch in awatch(*present, recursive=recursive, stop_event=stop, step=SETTLE_MS):
            paths = frozenset(path for _, path in batch if watched.covers(path))
            if paths:
                found.put_nowait(paths)
    except Exception as error:  # noqa: BLE001 - raised by whoever reads the changes
        found.put_nowait(error)
