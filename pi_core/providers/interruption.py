"""Waiting that an abort ends: the task is interrupted while it waits, and only then.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self, TypeVar

from pi_core.abort import AbortSignal

T = TypeVar("T")


class Interruption:
    """Listens to a signal as long as its `async with` block lasts. For one task."""

    def __init__(self, signal: AbortSignal | None) -> None:
        self._signal = signal
        self._scope: asyncio.Timeout | None = None
        self._take_off: Callable[[], None] | None = None

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        if self._signal is not None:
            self._take_off = self._signal.on_abort(lambda: loop.call_soon_threadsafe(self._interrupt))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._take_off is not None:
            self._take_off()

    async def wait(self, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` comes to. It does not begin after an abort.

        Raises: AbortedError if the signal was aborted before or meanwhile; what `work` raises.
        """
        if self._signal is None:
            return await work()
        self._signal.raise_if_aborted()
        try:
            async with asyncio.timeout(None) as self._scope:
                return await work()
        except TimeoutError:
            self._signal.raise_if_aborted()
            raise
        finally:
            self._scope = None

    def _interrupt(self) -> None:
        if self._scope is not None:
            self._scope.reschedule(asyncio.get_running_loop().time())
