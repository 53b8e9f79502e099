"""An answer as it arrives from the vendors' library, in our block events.

The library opens a block with its first piece inside, closes it when the next one opens, and may still add to
it after that: a text that goes on is a new block then, and a call closes once its arguments are whole.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any, Final, TypeAlias

from pydantic_ai.messages import (
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_core import from_json

from hookspecs.messages import ToolCallContent
from hookspecs.values import dataclass
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
from pi_core.providers.vendors.outgoing import REDACTED, SEALED

Part: TypeAlias = TextPart | ThinkingPart | ToolCallPart

NO_CHANGE: Final = ""
MADE_UP: Final = "pyd_ai_"
"""How the library begins the id of a call that has none."""


@dataclass(slots=True)
class _Open:
    """A block that is not closed yet. `pieces` is all that was told of it."""

    index: int
    part: Part
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Incoming:
    """Translates one answer. `api` is the wire, which has a form of its own for what is sealed."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._open: dict[int, _Open] = {}
        self._parts: dict[int, Part] = {}
        self._count = 0
        self.has_calls = False

    def events(self, event: ModelResponseStreamEvent) -> Iterator[UpdateEvent]:
        """What one event of the library comes to; what is not part of an answer comes to nothing."""
        match event:
            case PartStartEvent(index=place, part=TextPart() | ThinkingPart() | ToolCallPart() as part):
                yield from self._begin(place, part)
            case PartDeltaEvent(index=place, delta=delta):
                yield from self._extend(place, delta)
            case PartEndEvent(index=place, part=TextPart() | ThinkingPart() | ToolCallPart() as part):
                self._parts[place] = part
                if place in self._open:
                    self._open[place].part = part
                    if not isinstance(part, ToolCallPart) or _is_whole(self._open[place].text):
                        yield self._end(place)
            case _:
                pass

    def ending(self) -> Iterator[UpdateEvent]:
        """The ends that are still missing, in the order of the blocks."""
        for place in sorted(self._open, key=lambda place: self._open[place].index):
            yield self._end(place)

    def _begin(self, place: int, part: Part) -> Iterator[UpdateEvent]:
        if place in self._open:  # the library replaces what it guessed before
            yield self._end(place)
        self._parts[place] = part
        block = self._open[place] = _Open(self._count, part)
        self._count += 1
        match part:
            case TextPart(content=text):
                yield TextStart(content_index=block.index)
            case ThinkingPart(content=text):
                yield ThinkingStart(content_index=block.index)
            case ToolCallPart(args=args):
                self.has_calls = True
                text = _as_json(args)
                yield ToolCallStart(
                    content_index=block.index, id=self._call_id(part), tool_name=part.tool_name
                )
        yield from self._add(block, text)

    def _extend(self, place: int, delta: Any) -> Iterator[UpdateEvent]:
        part = self._parts.get(place)
        if part is None:
            return
        again: Part | None = None
        match delta:
            case TextPartDelta(content_delta=text):
                again = TextPart("")
            case ThinkingPartDelta(content_delta=piece):
                text = piece or ""
                again = replace(part, content="") if isinstance(part, ThinkingPart) else None
            case ToolCallPartDelta(args_delta=args):
                text = _as_json(args)
            case _:
                return
        if place not in self._open and text and again is not None:
            yield from self._begin(place, again)
        if place in self._open:
            yield from self._add(self._open[place], text)

    def _add(self, block: _Open, text: str) -> Iterator[UpdateEvent]:
        if not text:
            return
        block.pieces.append(text)
        match block.part:
            case TextPart():
                yield TextDelta(content_index=block.index, delta=text)
            case ThinkingPart():
                yield ThinkingDelta(content_index=block.index, delta=text)
            case ToolCallPart():
                yield ToolCallDelta(content_index=block.index, delta=text)

    def _end(self, place: int) -> UpdateEvent:
        block = self._open.pop(place)
        match block.part:
            case TextPart() as part:
                return TextEnd(
                    content_index=block.index, content=block.text, text_signature=self._text_seal(part)
                )
            case ThinkingPart() as part:
                return ThinkingEnd(
                    content_index=block.index,
                    content=block.text,
                    thinking_signature=self._thinking_seal(part, block.text),
                    redacted=True if part.id == REDACTED else None,
                )
            case ToolCallPart() as part:
                call = ToolCallContent(
                    id=self._call_id(part),
                    name=part.tool_name,
                    arguments=part.args if isinstance(part.args, dict) else parsed_arguments(block.text),
                    thought_signature=_google_seal(part),
                )
                return ToolCallEnd(content_index=block.index, tool_call=call)

    def _call_id(self, part: ToolCallPart) -> str:
        """The responses wire knows a call by two ids; a session file has both in one."""
        call_id = part.tool_call_id.replace(MADE_UP, "call_", 1)
        return f"{call_id}|{part.id}" if part.id else call_id

    def _text_seal(self, part: TextPart) -> str | None:
        return _google_seal(part) or (part.id if self._api == "openai-responses" else None)

    def _thinking_seal(self, part: ThinkingPart, text: str) -> str | None:
        if self._api == "openai-responses":
            return _reasoning_item(part, text)
        if self._api == "openai-completions":
            return part.id
        return part.signature or _google_seal(part)


def parsed_arguments(text: str) -> dict[str, Any]:
    """The arguments of a call. Of a text that breaks off, what is there; of what is no object, nothing."""
    try:
        value = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _google_seal(part: ModelResponsePart) -> str | None:
    sealed = (getattr(part, "provider_details", None) or {}).get(SEALED)
    return sealed if isinstance(sealed, str) else None


def _reasoning_item(part: ThinkingPart, text: str) -> str | None:
    """The item as the wire takes it back, as JSON."""
    if not part.id:
        return None
    item: dict[str, Any] = {"id": part.id, "type": "reasoning", "summary": []}
    if text:
        item["summary"] = [{"type": "summary_text", "text": text}]
    if raw := (part.provider_details or {}).get("raw_content"):
        item["content"] = [{"type": "reasoning_text", "text": piece} for piece in raw]
    if part.signature:
        item["encrypted_content"] = part.signature
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))


def _as_json(args: Any) -> str:
    if args is None or isinstance(args, str):
        return args or NO_CHANGE
    return json.dumps(args, ensure_ascii=False)


def _is_whole(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
