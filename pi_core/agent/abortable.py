"""A model stream that ends when its signal is aborted, whether the provider listens or not.

The reader's own task is interrupted while, and only while, it waits for the
provider: never in the middle of telling somebody, and at no cost per event.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final, Literal

from hookspecs.values import dataclass
from pi_core.abort import AbortSignal
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.providers.base import BlockEvent

ABORTED: Final = "Request was aborted"
BROKEN_OFF: Final = "The model's answer broke off: the stream ended without saying how"


@dataclass(frozen=True, slots=True)
class Broken:
    """The stream is over without an answer of its own."""

    stop_reason: Literal["error", "aborted"]
    text: str


class AbortableStream:
    """Reads a stream in the task that made it. Use as `async with`, which closes the stream."""

    def __init__(self, source: AsyncIterator[BlockEvent], signal: AbortSignal) -> None:
        self._source = source
        self._signal = signal
        self._task: asyncio.Task[Any] | None = None
        self._waiting = False
        self._interrupted = False

    async def __aenter__(self) -> AbortableStream:
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._take_off = self._signal.on_abort(lambda: loop.call_soon_threadsafe(self._interrupt))
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._take_off()
        close = getattr(self._source, "aclose", None)
        if close is None:
            return
        try:
            await close()
        except FAILURES as error:  # the answer is in; how the provider cleans up cannot change it
            pass_interrupt(error)

    async def next(self) -> BlockEvent | Broken:
        """The next event, or how the stream broke. Not called again after a Broken."""
        if self._signal.aborted:
            return Broken("aborted", ABORTED)
        self._waiting = True
        try:
            return await anext(self._source)
        except StopAsyncIteration:
            return Broken("error", BROKEN_OFF)
        except asyncio.CancelledError:
            if not self._interrupted or self._others_cancel():
                raise
            return Broken("aborted", ABORTED)
        except FAILURES as error:  # a provider's exception is its error message
            pass_interrupt(error)
            return Broken("error", str(error) or type(error).__name__)
        finally:
            self._waiting = False
            self._calm()

    def _interrupt(self) -> None:
        if self._waiting and not self._interrupted and self._task is not None:
            self._interrupted = self._task.cancel()

    def _others_cancel(self) -> bool:
        return self._task is not None and self._task.cancelling() > 1

    def _calm(self) -> None:
        if self._interrupted and self._task is not None:
            self._interrupted = False
            self._task.uncancel()
