"""Partial results of one running tool, told in order and never after its end.

Pure.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any


class Updates:
    """The `on_update` of one call. May be called from any thread; `tell` runs in the loop, one at a time."""

    def __init__(self, tell: Callable[[Any], Awaitable[None]]) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._waiting: deque[Any] = deque()
        self._teller: asyncio.Task[None] | None = None
        self._closed = False

    def __call__(self, partial: Any) -> None:
        """Take an update; it is told soon. After the end of the call, nothing happens."""
        if threading.get_ident() == self._thread:
            self._take(partial)
        elif not self._closed:
            self._loop.call_soon_threadsafe(self._take, partial)

    async def close(self) -> None:
        """Take no more updates, and return when all that were taken have been told.

        Raises: whatever `tell` raised.
        """
        await asyncio.sleep(0)  # what other threads handed over before the tool ended
        self._closed = True
        if self._teller is not None:
            await self._teller

    def _take(self, partial: Any) -> None:
        if self._closed:
            return
        self._waiting.append(partial)
        if self._teller is None or (self._teller.done() and not self._teller.exception()):
            self._teller = self._loop.create_task(self._run())

    async def _run(self) -> None:
        while self._waiting:
            await self._tell(self._waiting.popleft())
