"""One answer of a model on its way into the log: each part of it becomes blocks as it grows.

Touches: the log.
"""

from __future__ import annotations

from typing import Protocol

from hookspecs.messages import AssistantMessage, TextContent, ThinkingContent, ToolCallContent
from pi_core.modes.tui.blocks.chunks import Chunk, Chunker, chunks_of
from pi_core.modes.tui.blocks.notice import NoticeBlock
from pi_core.modes.tui.blocks.prose import AnswerBlock, Fold, ThoughtBlock
from pi_core.modes.tui.blocks.tool import ToolBlock
from pi_core.modes.tui.log.block import Block
from pi_core.providers import base as p


class Sink(Protocol):
    """Where the blocks of an answer go."""

    def put(self, block: Block) -> None: ...
    def touch(self, block: Block) -> None: ...
    def call(self, call_id: str, name: str) -> ToolBlock: ...


class Growing:
    """A text that grows, in blocks of one chunk each. Thoughts share one fold."""

    def __init__(self, sink: Sink, fold: Fold | None) -> None:
        self.fold = fold
        self._sink = sink
        self._chunker = Chunker()
        self._pieces: list[str] = []
        self._blocks: list[AnswerBlock | ThoughtBlock] = []
        self._growing: AnswerBlock | ThoughtBlock | None = None

    @property
    def text(self) -> str:
        """All of it so far."""
        return "".join(self._pieces)

    def add(self, piece: str) -> None:
        """It grows. What is finished goes into blocks of its own."""
        self._pieces.append(piece)
        for chunk in self._chunker.feed(piece):
            self._close(chunk)
        if self._chunker.open.text.strip():
            self._show(self._chunker.open)

    def finish(self, text: str) -> None:
        """It is over; `text` is all of it, and what was shown before gives way where it differs."""
        if self.fold is not None:
            self.fold.ended = True
        if text != self.text:
            self._replace(text)
            return
        for chunk in self._chunker.finish():
            self._close(chunk)

    def _replace(self, text: str) -> None:
        for block in self._blocks:
            block.change(Chunk("", joined=True))
            self._sink.touch(block)
        self._growing = None
        self._pieces = [text]
        for chunk in chunks_of(text):
            self._close(chunk)

    def _close(self, chunk: Chunk) -> None:
        self._show(chunk)
        self._growing = None

    def _show(self, chunk: Chunk) -> None:
        if self._growing is not None:
            self._growing.change(chunk)
            self._sink.touch(self._growing)
            return
        first = not self._blocks
        block = AnswerBlock(chunk) if self.fold is None else ThoughtBlock(chunk, self.fold, first=first)
        self._growing = block
        self._blocks.append(block)
        self._sink.put(block)


class Answer:
    """The parts of an answer by their place in its content."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._texts: dict[int, Growing] = {}
        self._calls: dict[int, ToolBlock] = {}

    def update(self, event: p.UpdateEvent) -> None:
        """A part began, grew or ended."""
        match event:
            case p.TextDelta(content_index=place, delta=delta):
                self._text(place, thought=False).add(delta)
            case p.ThinkingDelta(content_index=place, delta=delta):
                self._text(place, thought=True).add(delta)
            case p.TextEnd(content_index=place, content=text):
                self._text(place, thought=False).finish(text)
            case p.ThinkingEnd(content_index=place, content=text):
                self._text(place, thought=True).finish(text)
            case p.ToolCallStart(content_index=place, id=call_id, tool_name=name):
                self._calls[place] = self._sink.call(call_id, name)
            case p.ToolCallDelta(content_index=place, delta=delta):
                self._written(place, len(delta))
            case p.ToolCallEnd(content_index=place, tool_call=call):
                self._call(place, call)
            case _:
                pass

    def finish(self, message: AssistantMessage) -> None:
        """The whole answer, as it is kept: whatever differs from what was told before is put right."""
        for place, block in enumerate(message.content):
            match block:
                case TextContent(text=text):
                    self._text(place, thought=False).finish(text)
                case ThinkingContent(thinking=text):
                    self._text(place, thought=True).finish(
                        text or ("(not disclosed)" if block.redacted else "")
                    )
                case ToolCallContent():
                    self._call(place, block)
        match message.stop_reason:
            case "error":
                self._sink.put(NoticeBlock(message.error_message or "The request failed.", "error"))
            case "aborted":
                self._sink.put(NoticeBlock("Stopped.", "warning"))
            case "length":
                self._sink.put(NoticeBlock("The answer was cut off at the model's output limit.", "warning"))
            case _:
                pass

    def _text(self, place: int, *, thought: bool) -> Growing:
        if place not in self._texts:
            self._texts[place] = Growing(self._sink, Fold() if thought else None)
        return self._texts[place]

    def _written(self, place: int, chars: int) -> None:
        block = self._calls.get(place)
        if block is not None:
            block.written_chars += chars
            self._sink.touch(block)

    def _call(self, place: int, call: ToolCallContent) -> None:
        block = self._calls.get(place) or self._sink.call(call.id, call.name)
        self._calls[place] = block
        block.args = call.arguments
        self._sink.touch(block)
