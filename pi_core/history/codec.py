"""Session lines as values, and values as lines.

A file is JSON objects, one a line, the first of them the header. Lines that are
no objects are passed over: a crash may have cut one short, and newer versions may
write what this one cannot read.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final, cast

from hookspecs.messages import JsonObject
from hookspecs.wire import (
    FieldShape,
    content_from_wire,
    is_message,
    message_from_wire,
    shapes_of,
    to_wire,
    usage_from_wire,
)
from pi_core.history import entries as e
from pi_core.history.entries import Entry, SessionHeader
from pi_core.history.late import LateMessageEntry

_ENTRIES: Final[Mapping[str, type[Any]]] = {
    "message": e.MessageEntry,
    "model_change": e.ModelChangeEntry,
    "thinking_level_change": e.ThinkingLevelChangeEntry,
    "compaction": e.CompactionEntry,
    "branch_summary": e.BranchSummaryEntry,
    "custom": e.CustomEntry,
    "custom_message": e.CustomMessageEntry,
    "label": e.LabelEntry,
    "session_info": e.SessionInfoEntry,
    "usage": e.UsageEntry,
    "context_edit": e.ContextEditEntry,
}
_BASE: Final = frozenset({"type", "id", "parentId", "timestamp"})
_MESSAGE_KEYS: Final = _BASE | {"message"}


def parse_objects(data: bytes) -> Iterator[JsonObject]:
    """The objects of a file in order. Only a line feed ends a line, whatever the text holds."""
    for line in data.split(b"\n"):
        try:
            value = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def encode_line(wire: JsonObject) -> bytes:
    """One object as a line, with its line feed."""
    text = json.dumps(wire, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Half a character cannot be written as UTF-8; as an escape it can.
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(wire, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def header_from_wire(wire: JsonObject) -> SessionHeader | None:
    """The header that an object stands for; None if it is none."""
    if wire.get("type") != "session" or not isinstance(wire.get("id"), str):
        return None
    known = {"type", "version", "id", "timestamp", "cwd", "parentSession"}
    version, parent = wire.get("version", 1), wire.get("parentSession")
    return SessionHeader(
        id=wire["id"],
        timestamp=str(wire.get("timestamp", "")),
        cwd=wire["cwd"] if isinstance(wire.get("cwd"), str) else "",
        version=version if isinstance(version, int) else 1,
        parent_session=parent if isinstance(parent, str) else None,
        extra={key: value for key, value in wire.items() if key not in known},
    )


def entry_from_wire(wire: JsonObject) -> Entry | None:
    """The entry that an object stands for; None if it lacks what every entry has."""
    kind, own_id, parent = wire.get("type"), wire.get("id"), wire.get("parentId")
    if not isinstance(kind, str) or not isinstance(own_id, str) or not own_id:
        return None
    base: dict[str, Any] = {
        "id": own_id,
        "parent_id": parent if isinstance(parent, str) else None,
        "timestamp": str(wire.get("timestamp", "")),
    }
    if kind == "message" and is_message(wire.get("message")):
        return LateMessageEntry(base, wire["message"], _extra(wire, _MESSAGE_KEYS))
    try:
        return _known_entry(_ENTRIES[kind], base, wire)
    except (KeyError, ValueError, TypeError, AttributeError):
        # An unknown type, or a known one whose fields are not what they should be.
        return e.UnknownEntry(**base, type=kind, extra=_extra(wire, _BASE))


def entry_to_wire(entry: Entry) -> JsonObject:
    """The object that stands for an entry in a file. Fields that are None are left out."""
    wire = cast(JsonObject, to_wire(entry))
    if isinstance(entry, e.ContextEditEntry) and entry.replacement is None:
        wire["replacement"] = None  # said in so many words: the message is gone
    first = {"type": entry.type, "id": entry.id, "parentId": entry.parent_id, "timestamp": entry.timestamp}
    return {**first, **{key: value for key, value in wire.items() if key not in _BASE}}


def header_to_wire(header: SessionHeader) -> JsonObject:
    """The object that stands for a header in a file."""
    wire = cast(JsonObject, to_wire(header))
    first = ("type", "version", "id", "timestamp", "cwd")
    return {**{key: wire[key] for key in first}, **{k: v for k, v in wire.items() if k not in first}}


@cache
def _form_of(kind: Any) -> tuple[tuple[FieldShape, ...], frozenset[str]]:
    """The fields that an entry of a class has of its own, and all keys that are no `extra`."""
    own = tuple(shape for shape in shapes_of(kind).values() if shape.key not in _BASE)
    return own, _BASE | {shape.key for shape in own}


def _known_entry(kind: Any, base: Mapping[str, Any], wire: JsonObject) -> Entry:
    """The entry of a class. An optional field that holds what it cannot hold has its default."""
    own, keys = _form_of(kind)
    values: dict[str, Any] = {}
    for shape in own:
        if shape.is_good(wire):
            values[shape.name] = _READERS.get(shape.key, _as_is)(wire[shape.key])
        elif shape.needed:
            raise ValueError(f"{wire['type']} lacks {shape.key}")
    return cast(Entry, kind(**base, **values, extra=_extra(wire, keys)))


def _as_is(value: Any) -> Any:
    return value


def _extra(wire: JsonObject, known: frozenset[str]) -> JsonObject:
    return {key: value for key, value in wire.items() if key not in known}


def _content(value: Any) -> Any:
    """Text, or blocks; a block of an unknown type stays the object that it is."""
    if not isinstance(value, list):
        return [] if value is None else value
    return [_block(block) for block in value]


def _block(block: Any) -> Any:
    try:
        return content_from_wire(block)
    except (ValueError, AttributeError):
        return block


def _replacement(value: Any) -> e.Replacement | None:
    if value is None:
        return None
    if not isinstance(value["content"], str | list):
        raise TypeError("a replacement has no content")
    extra = {key: item for key, item in value.items() if key != "content"}
    return e.Replacement(content=_content(value["content"]), extra=extra)


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "message": message_from_wire,
    "content": _content,
    "replacement": _replacement,
    "usage": usage_from_wire,
}
