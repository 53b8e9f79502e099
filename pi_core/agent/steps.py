"""One answer of a model, told event by event while it arrives.

Whatever the provider does, the caller gets an answer, and everybody was told
its start and its end: what goes wrong is an answer that says so.

Pure.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from hookspecs.messages import AssistantMessage
from pi_core.abort import AbortSignal
from pi_core.agent.abortable import AbortableStream, Broken
from pi_core.agent.events import LoopEvent, MessageEnd, MessageStart, MessageUpdate
from pi_core.providers.base import BlockEvent, Done, Failed, StreamStart, UpdateEvent
from pi_core.providers.folding import Growing, StreamOrderError

Emit: TypeAlias = Callable[[LoopEvent], Awaitable[None]]


async def read_answer(
    source: AsyncIterator[BlockEvent], blank: AssistantMessage, signal: AbortSignal, emit: Emit
) -> AssistantMessage:
    """Read the stream to its end. Returns the answer, MessageStart to MessageEnd told.

    `blank` names api, provider, model and time, for what the stream leaves open.
    """
    answer = _Answer(blank, emit)
    async with AbortableStream(source, signal) as stream:
        while True:
            event = await stream.next()
            match event:
                case StreamStart(partial=partial):
                    await answer.start(partial)
                case Done(message=message) | Failed(message=message):
                    return await answer.end(message)
                case Broken():
                    return await answer.break_off(event)
                case _:
                    if (broken := await answer.grow(event)) is not None:
                        return await answer.break_off(broken)


async def tell_failure(blank: AssistantMessage, broken: Broken, emit: Emit) -> AssistantMessage:
    """An answer that failed before it was asked for, told like any other."""
    return await _Answer(blank, emit).break_off(broken)


class _Answer:
    """The answer so far, and what was told of it."""

    def __init__(self, blank: AssistantMessage, emit: Emit) -> None:
        self._blank = blank
        self._emit = emit
        self._growing: Growing | None = None

    async def start(self, partial: AssistantMessage) -> Growing:
        self._growing = growing = Growing(self._named(partial))
        await self._emit(MessageStart(message=growing.snapshot()))
        return growing

    async def grow(self, event: UpdateEvent) -> Broken | None:
        """Take in one event; what is wrong with it, if anything."""
        growing = self._growing or await self.start(self._blank)
        try:
            growing.apply(event)
        except StreamOrderError as error:
            return Broken("error", str(error))
        await self._emit(MessageUpdate(message=growing.snapshot(), assistant_message_event=event))
        return None

    async def break_off(self, broken: Broken) -> AssistantMessage:
        """Close what is open and end with the reason."""
        if self._growing is None:
            message = replace(self._blank, stop_reason=broken.stop_reason, error_message=broken.text)
            return await self.end(message)
        for event in self._growing.ending():
            await self.grow(event)
        return await self.end(self._growing.finished(broken.stop_reason, broken.text))

    async def end(self, message: AssistantMessage) -> AssistantMessage:
        message = self._named(message)
        if message.stop_reason == "pending":
            message.stop_reason = "stop"
        if self._growing is None:
            await self._emit(MessageStart(message=message))
        await self._emit(MessageEnd(message=message))
        return message

    def _named(self, message: AssistantMessage) -> AssistantMessage:
        """The message, with the blank's names and time where it has none of its own."""
        return replace(
            message,
            api=message.api or self._blank.api,
            provider=message.provider or self._blank.provider,
            model=message.model or self._blank.model,
            timestamp=message.timestamp or self._blank.timestamp,
        )
