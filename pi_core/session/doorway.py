"""Where prompts come in: open to any number of them, and shut for the moment of a reload.

Whoever shuts it waits until nobody is inside and nothing goes on. It is never shut before that, so
what a run waits for can always come in.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


class Doorway:
    """One session's doorway."""

    def __init__(self) -> None:
        self._inside = 0
        self._empty = asyncio.Event()
        self._empty.set()
        self._open = asyncio.Event()
        self._open.set()
        self._turn = asyncio.Lock()

    @property
    def empty(self) -> bool:
        """Whether nobody is inside, and nobody keeps it shut or waits for that."""
        return not self._inside and not self._turn.locked()

    @asynccontextmanager
    async def inside(self) -> AsyncIterator[None]:
        """Come in, once the door is open, and be inside until the block ends."""
        while not self._open.is_set():
            await self._open.wait()
        self._inside += 1
        self._empty.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._empty.set()

    async def opened(self) -> None:
        """Return when the door stands open."""
        await self._open.wait()

    @asynccontextmanager
    async def shut(
        self, settled: Callable[[], Awaitable[None]], quiet: Callable[[], bool]
    ) -> AsyncIterator[None]:
        """Keep everybody out while the block runs, from a moment on at which it was empty and quiet.

        `settled` waits for a moment at which `quiet` may be true. Whoever comes second waits for the first.
        """
        async with self._turn:
            while self._inside or not quiet():
                await self._empty.wait()
                await settled()
            self._open.clear()
            try:
                yield
            finally:
                self._open.set()
