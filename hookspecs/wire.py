"""The two spellings of a value: snake_case attributes inside, camelCase keys on the wire.

Only the names of declared fields are translated. What stands inside tool arguments,
details or other free data is the author's own and passes unchanged, both ways.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final, cast

from hookspecs import messages as m
from hookspecs.messages import Message
from hookspecs.shapes import field_types, fits
from hookspecs.unset import UNSET
from hookspecs.values import dataclass

_HUMP: Final = re.compile(r"(?<=[a-z0-9])([A-Z])|(?<=[A-Z])([A-Z])(?=[a-z])")


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    """`toolCallId` → `tool_call_id`; a name that is snake_case already stays."""
    return _HUMP.sub(r"_\g<0>", name).lower()


@lru_cache(maxsize=4096)
def camel(name: str) -> str:
    """`tool_call_id` → `toolCallId`; the trailing underscore of `continue_` goes."""
    head, *rest = name.strip("_").split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def to_wire(value: Any) -> Any:
    """A JSON value: dataclasses become objects with camelCase keys, deeply.

    Fields that are None or unset are left out; `extra` is spread back, and never hides a field.
    An event gets its `type`, and keeps the host's functions to itself. Mappings keep their own keys.
    """
    if isinstance(value, (str, int, float)) and not isinstance(value, Enum):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return _object_to_wire(value)
    if isinstance(value, Mapping):
        return {str(key): to_wire(item) for key, item in value.items() if item is not UNSET}
    if isinstance(value, (list, tuple)):
        return [to_wire(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    return value


@lru_cache(maxsize=256)
def _keys(kind: Any) -> tuple[tuple[str, str], ...]:
    """Field name and wire key of each field; what tells the kind of an object comes first."""
    sent = (spec.name for spec in fields(kind) if spec.name != "extra" and spec.metadata.get("wire", True))
    ordered = sorted(sent, key=lambda name: name not in {"type", "role"})
    return tuple((name, camel(name)) for name in ordered)


def _object_to_wire(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    event = getattr(kind, "event_name", None)
    wire: dict[str, Any] = {"type": event} if event else {}
    for name, key in _keys(kind):
        item = getattr(value, name)
        if item is not None and item is not UNSET:
            wire[key] = to_wire(item)
    for key, item in (getattr(value, "extra", None) or {}).items():
        wire.setdefault(key, to_wire(item))
    return wire


_CONTENT: Final[Mapping[str, type[Any]]] = {
    "text": m.TextContent,
    "image": m.ImageContent,
    "thinking": m.ThinkingContent,
    "toolCall": m.ToolCallContent,
}
_MESSAGES: Final[Mapping[str, type[Any]]] = {
    "user": m.UserMessage,
    "assistant": m.AssistantMessage,
    "toolResult": m.ToolResultMessage,
    "custom": m.CustomMessage,
    "bashExecution": m.BashExecutionMessage,
    "compactionSummary": m.CompactionSummaryMessage,
    "branchSummary": m.BranchSummaryMessage,
}


_ONLY_BLOCKS: Final = (m.AssistantMessage, m.ToolResultMessage)
"""Messages whose content is never bare text inside."""


def message_from_wire(wire: Mapping[str, Any]) -> Message:
    """The message that a wire object stands for; unknown fields go to `extra`.

    Raises ValueError if the role is unknown or a field without default is missing.
    """
    role = wire.get("role")
    kind = _MESSAGES.get(role) if isinstance(role, str) else None
    if kind is None:
        raise ValueError(f"no message has the role {role!r}; known are {', '.join(_MESSAGES)}")
    return cast(Message, _build(kind, wire, f"message with role {role!r}"))


def is_message(wire: Any) -> bool:
    """Whether `message_from_wire` would give a message, at a tenth of its cost."""
    if not isinstance(wire, Mapping):
        return False
    role = wire.get("role")
    kind: Any = _MESSAGES.get(role) if isinstance(role, str) else None
    if kind is None or not _is_complete(kind, wire):
        return False
    content = wire.get("content")
    return not isinstance(content, list) or all(map(_is_block, content))


def _is_block(item: Any) -> bool:
    """Whether a block of a content is complete, or of a kind that stays as it is."""
    kind: Any = _block_kind(item)
    return kind is None or _is_complete(kind, item)


def _block_kind(item: Any) -> type[Any] | None:
    name = item.get("type") if isinstance(item, Mapping) else None
    return _CONTENT.get(name) if isinstance(name, str) else None


def content_from_wire(wire: Mapping[str, Any]) -> Any:
    """The content block that a wire object stands for.

    Raises ValueError if the type is unknown or a field without default is missing.
    """
    name = wire.get("type")
    kind = _CONTENT.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(f"no content block has the type {name!r}; known are {', '.join(_CONTENT)}")
    return _build(kind, wire, f"content block of type {name!r}")


def _blocks_from_wire(value: Any) -> Any:
    """A message's content: text stays, known blocks become values, anything else stays as it is."""
    if not isinstance(value, list):
        return [] if value is None else value
    return [content_from_wire(item) if _block_kind(item) is not None else item for item in value]


def usage_from_wire(value: Any) -> Any:
    """Token counts; a value that is no object stays as it is."""
    return _build(m.Usage, value, "usage") if isinstance(value, Mapping) else value


def _cost_from_wire(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    known = shapes_of(m.Cost)
    own = ((known.get(camel(key)), price) for key, price in value.items())
    return m.Cost(**{shape.name: price for shape, price in own if shape and fits(price, shape.types)})


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "content": _blocks_from_wire,
    "usage": usage_from_wire,
    "cost": _cost_from_wire,
}


@dataclass(frozen=True, slots=True)
class FieldShape:
    """How a field is spelt on the wire, and what may stand in it. `needed`: it has no default."""

    key: str
    name: str
    types: tuple[type, ...] | None
    needed: bool

    def is_good(self, wire: Mapping[str, Any]) -> bool:
        """Whether an object has a value for the field that it can hold."""
        return self.key in wire and fits(wire[self.key], self.types)


@lru_cache(maxsize=64)
def shapes_of(kind: Any) -> Mapping[str, FieldShape]:
    """The fields of a class but `extra`, by their keys. Not to be changed."""
    shapes = (
        FieldShape(
            camel(spec.name),
            spec.name,
            field_types(spec.type),
            spec.default is MISSING and spec.default_factory is MISSING,
        )
        for spec in fields(kind)
        if spec.name != "extra"
    )
    return {shape.key: shape for shape in shapes}


@lru_cache(maxsize=64)
def _needed(kind: Any) -> tuple[FieldShape, ...]:
    return tuple(shape for shape in shapes_of(kind).values() if shape.needed)


def _is_complete(kind: Any, wire: Mapping[str, Any]) -> bool:
    """Whether everything that must be there is, and can be what it is."""
    for shape in _needed(kind):  # a loop: a generator would cost as much again, for every line of a file
        if shape.key not in wire or not fits(wire[shape.key], shape.types):
            return False
    return True


def _build(kind: Any, wire: Mapping[str, Any], what: str) -> Any:
    """The value of a class. An optional field that holds what it cannot hold has its default."""
    if not _is_complete(kind, wire):
        missing = sorted(shape.key for shape in _needed(kind) if not shape.is_good(wire))
        raise ValueError(f"{what} lacks {', '.join(missing)}")
    known = shapes_of(kind)
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, item in wire.items():
        shape = known.get(key)
        if shape is None:
            extra[key] = item
        elif fits(item, shape.types):
            read = _READERS.get(shape.name)
            values[shape.name] = item if read is None else read(item)
    if kind in _ONLY_BLOCKS and isinstance(values.get("content"), str):
        values["content"] = [m.TextContent(text=values["content"])]
    return kind(**values, extra=extra)
