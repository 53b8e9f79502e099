"""Who changes a file waits until whoever came before has finished with it.

A read-modify-write of one file, by whichever name it is reached, happens alone;
different files go on side by side. Turns are given in the order of asking.

Touches: files.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager


class MutationQueue:
    """One line of waiters per real path. A line without waiters is forgotten."""

    def __init__(self) -> None:
        # Several event loops may live in one process, each in a thread of its own.
        self._guard = threading.Lock()
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def hold(self, path: str) -> AsyncIterator[None]:
        """Wait for our turn with the file and keep it until the block ends, however it ends."""
        key = os.path.normcase(os.path.realpath(path))
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._join(key, turn)
        try:
            await turn
            yield
        finally:
            self._leave(key, turn)

    @property
    def busy_paths(self) -> list[str]:
        """Real paths that somebody holds or waits for."""
        with self._guard:
            return list(self._lines)

    def _join(self, key: str, turn: asyncio.Future[None]) -> None:
        with self._guard:
            line = self._lines.setdefault(key, deque())
            line.append(turn)
            if line[0] is turn:
                turn.set_result(None)

    def _leave(self, key: str, turn: asyncio.Future[None]) -> None:
        with self._guard:
            line = self._lines[key]
            had_turn = line[0] is turn
            line.remove(turn)
            following = line[0] if had_turn and line else None
            if not line:
                del self._lines[key]
        if following is not None:
            following.get_loop().call_soon_threadsafe(_give_turn, following)


def _give_turn(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


# The files of a machine are shared by everybody in the process, so their queue is too: extensions
# reach it without being handed anything. It holds nothing while nobody waits.
_QUEUE = MutationQueue()


def file_mutation(path: str | os.PathLike[str]) -> AbstractAsyncContextManager[None]:
    """`async with file_mutation(path):` around the whole read-modify-write of one file.

    Process-wide and keyed by the real path, so a link and its target are one file. Not re-entrant:
    a block that asks for its own file again waits for ever.
    """
    return _QUEUE.hold(os.fspath(path))
