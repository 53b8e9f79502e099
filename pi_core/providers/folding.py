"""Block events folded into the message that they describe, one event at a time.

Finished blocks are shared between snapshots, the growing one is replaced with
every delta: a snapshot never changes under the hands of whoever got it.

Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from hookspecs.messages import (
    AssistantContent,
    AssistantMessage,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolCallContent,
)
from pi_core.providers.base import (
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UpdateEvent,
)


class StreamOrderError(ValueError):
    """A stream named a block that is not open, or opened one out of order."""

    def __init__(self, event: UpdateEvent, problem: str) -> None:
        super().__init__(f"the model stream sent {event.type} for block {event.content_index}, {problem}")


class Growing:
    """An answer while it arrives. Starts as a copy of the stream's `partial`."""

    def __init__(self, partial: AssistantMessage) -> None:
        self._message = replace(partial, content=list(partial.content), stop_reason="pending")
        self._open: set[int] = set()

    def apply(self, event: UpdateEvent) -> None:
        """Take in one event.

        Raises: StreamOrderError if its block is not open, or not the next one when it opens.
        """
        match event:
            case TextStart():
                self._begin(event, TextContent(text=""))
            case ThinkingStart():
                self._begin(event, ThinkingContent(thinking=""))
            case ToolCallStart(id=call_id, tool_name=name):
                self._begin(event, ToolCallContent(id=call_id, name=name, arguments={}))
            case TextDelta() | ThinkingDelta() | ToolCallDelta():
                self._extend(event)
            case TextEnd() | ThinkingEnd() | ToolCallEnd():
                self._finish(event)
            case _:
                assert_never(event)

    def snapshot(self) -> AssistantMessage:
        """All that is there so far, with stop reason "pending"; the caller owns it."""
        return replace(self._message, content=list(self._message.content))

    def ending(self) -> list[UpdateEvent]:
        """The end events that are still missing, in the order of the blocks."""
        return [_end_of(index, self._message.content[index]) for index in sorted(self._open)]

    def finished(self, stop_reason: StopReason, error_message: str | None = None) -> AssistantMessage:
        """The message as it stands, with the reason why it ends; the caller owns it."""
        return replace(self.snapshot(), stop_reason=stop_reason, error_message=error_message)

    def _begin(self, event: UpdateEvent, block: AssistantContent) -> None:
        expected = len(self._message.content)
        if event.content_index != expected:
            raise StreamOrderError(event, f"but the next block is {expected}")
        self._message.content.append(block)
        self._open.add(event.content_index)

    def _extend(self, event: TextDelta | ThinkingDelta | ToolCallDelta) -> None:
        block = self._opened(event)
        content = self._message.content
        if isinstance(event, TextDelta) and isinstance(block, TextContent):
            content[event.content_index] = replace(block, text=block.text + event.delta)
        elif isinstance(event, ThinkingDelta) and isinstance(block, ThinkingContent):
            content[event.content_index] = replace(block, thinking=block.thinking + event.delta)
        elif not (isinstance(event, ToolCallDelta) and isinstance(block, ToolCallContent)):
            raise StreamOrderError(event, f"which is a {block.type} block")

    def _finish(self, event: TextEnd | ThinkingEnd | ToolCallEnd) -> None:
        block = self._opened(event)
        done: AssistantContent
        if isinstance(event, TextEnd) and isinstance(block, TextContent):
            done = replace(block, text=event.content, text_signature=event.text_signature)
        elif isinstance(event, ThinkingEnd) and isinstance(block, ThinkingContent):
            signature = event.thinking_signature
            done = replace(
                block, thinking=event.content, thinking_signature=signature, redacted=event.redacted
            )
        elif isinstance(event, ToolCallEnd) and isinstance(block, ToolCallContent):
            done = event.tool_call
        else:
            raise StreamOrderError(event, f"which is a {block.type} block")
        self._message.content[event.content_index] = done
        self._open.discard(event.content_index)

    def _opened(self, event: UpdateEvent) -> AssistantContent:
        if event.content_index not in self._open:
            raise StreamOrderError(event, "which is not open")
        return self._message.content[event.content_index]


def _end_of(index: int, block: AssistantContent) -> UpdateEvent:
    match block:
        case TextContent(text=text):
            return TextEnd(content_index=index, content=text)
        case ThinkingContent(thinking=thinking):
            return ThinkingEnd(content_index=index, content=thinking)
        case ToolCallContent():
            return ToolCallEnd(content_index=index, tool_call=block)
        case _:
            assert_never(block)
