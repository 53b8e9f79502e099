"""The events of a session as something to iterate over, for programs that would rather wait than be called.

Pure.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType

from pi_core.session.events import SessionEvent


class EventStream:
    """Every event since it was made, in order: `async for event in stream`. It ends with the session.

    One reader at a time. What nobody has fetched yet is kept, however much it is; `detach` is called when
    the reader leaves an `async with` block, or calls `aclose`.
    """

    def __init__(self, detach: Callable[[EventStream], None]) -> None:
        self._detach = detach
        self._waiting: deque[SessionEvent] = deque()
        self._news = asyncio.Event()
        self._ended = False

    def put(self, event: SessionEvent) -> None:
        """An event happened."""
        self._waiting.append(event)
        self._news.set()

    def end(self) -> None:
        """None follows; what is waiting can still be fetched."""
        self._ended = True
        self._news.set()

    def __aiter__(self) -> EventStream:
        return self

    async def __anext__(self) -> SessionEvent:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()

    async def aclose(self) -> None:
        """Hear no more of the session; what was not fetched is forgotten."""
        self._detach(self)
        self._waiting.clear()
        self.end()

    async def __aenter__(self) -> EventStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
