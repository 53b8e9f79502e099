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
from hookspecs.unset import UNSET

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


def message_from_wire(wire: Mapping[str, Any]) -> Message:
    """The message that a wire object stands for; unknown fields go to `extra`.

    Raises ValueError if the role is unknown or a field without default is missing.
    """
    role = wire.get("role")
    kind = _MESSAGES.get(role) if isinstance(role, str) else None
    if kind is None:
        raise ValueError(f"no message has the role {role!r}; known are {', '.join(_MESSAGES)}")
    return cast(Message, _build(kind, wire, f"message with role {role!r}"))


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
    return [
        content_from_wire(item) if isinstance(item, Mapping) and item.get("type") in _CONTENT else item
        for item in value
    ]


def usage_from_wire(value: Any) -> Any:
    """Token counts; a value that is no object stays as it is."""
    return _build(m.Usage, value, "usage") if isinstance(value, Mapping) else value


def _cost_from_wire(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    known = {spec.name for spec in fields(m.Cost)}
    return m.Cost(**{snake(key): price for key, price in value.items() if snake(key) in known})


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "content": _blocks_from_wire,
    "usage": usage_from_wire,
    "cost": _cost_from_wire,
}


@lru_cache(maxsize=64)
def _spelling(kind: Any) -> tuple[Mapping[str, str], frozenset[str]]:
    """Wire key → field name, and the fields that must be there."""
    known = {camel(spec.name): spec.name for spec in fields(kind) if spec.name != "extra"}
    needed = (s.name for s in fields(kind) if s.default is MISSING and s.default_factory is MISSING)
    return known, frozenset(needed)


def _build(kind: Any, wire: Mapping[str, Any], what: str) -> Any:
    known, needed = _spelling(kind)
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, item in wire.items():
        name = known.get(key)
        if name is None:
            extra[key] = item
        else:
            values[name] = _READERS[name](item) if name in _READERS else item
    missing = needed - values.keys()
    if missing:
        raise ValueError(f"{what} lacks {', '.join(sorted(camel(name) for name in missing))}")
    return kind(**values, extra=extra)
