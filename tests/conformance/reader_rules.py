"""What a reader of session files may rely on, checked on the bytes alone, without any code of ours.

Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

ENTRY_ID = re.compile(r"[0-9a-f]{8}")
SESSION_ID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

# Type of entry → the fields that it has beside those of all entries, with their types.
ENTRIES: dict[str, dict[str, type | tuple[type, ...]]] = {
    "message": {"message": dict},
    "model_change": {"provider": str, "modelId": str},
    "thinking_level_change": {"thinkingLevel": str},
    "compaction": {"summary": str, "firstKeptEntryId": str, "tokensBefore": int},
    "branch_summary": {"fromId": str, "summary": str},
    "custom": {"customType": str},
    "custom_message": {"customType": str, "content": (str, list), "display": bool},
    "label": {"targetId": str},
    "session_info": {"name": str},
    "usage": {"kind": str, "provider": str, "model": str, "usage": dict},
    "context_edit": {"targetId": str, "replacement": (dict, type(None))},
}
# Role of a message → the fields that it has.
MESSAGES: dict[str, dict[str, type | tuple[type, ...]]] = {
    "user": {"content": (str, list), "timestamp": int},
    "assistant": {
        "content": list, "api": str, "provider": str, "model": str, "usage": dict, "stopReason": str,
        "timestamp": int,
    },
    "toolResult": {
        "toolCallId": str, "toolName": str, "content": list, "isError": bool, "timestamp": int,
    },
    "bashExecution": {
        "command": str, "output": str, "cancelled": bool, "truncated": bool, "timestamp": int,
    },
    "custom": {"customType": str, "content": (str, list), "display": bool},
    "system": {"content": (str, list)},
}  # fmt: skip
USAGE: dict[str, type | tuple[type, ...]] = {
    "input": int, "output": int, "cacheRead": int, "cacheWrite": int, "totalTokens": int, "cost": dict,
}  # fmt: skip
BLOCKS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "text": {"text": str},
    "thinking": {"thinking": str},
    "image": {"data": str, "mimeType": str},
    "toolCall": {"id": str, "name": str, "arguments": dict},
}


def violations(data: bytes) -> list[str]:
    """What is wrong with a file of version 3, one sentence each; empty if a reader can rely on it."""
    if not data.endswith(b"\n"):
        return ["the last line has no line feed"]
    lines = data.decode("utf-8").split("\n")[:-1]
    header, *entries = [json.loads(line) for line in lines]
    return [*_header(header), *_tree(entries), *(found for entry in entries for found in _entry(entry))]


def _header(header: Any) -> Iterator[str]:
    wanted = {"type": str, "id": str, "timestamp": str, "cwd": str, "version": int}
    yield from _fields("header", header, wanted)
    if header.get("type") != "session" or header.get("version") != 3:
        yield "the first line is no header of version 3"
    if not SESSION_ID.fullmatch(header.get("id", "")):
        yield "the session's id cannot be a file's name"
    if not isinstance(header.get("parentSession", ""), str):
        yield "parentSession is no path"


def _tree(entries: list[Any]) -> Iterator[str]:
    """Ids are unique, and parents and targets stand before those who name them."""
    seen: set[str] = set()
    for entry in entries:
        own, parent = entry.get("id"), entry.get("parentId", "missing")
        if own in seen or not ENTRY_ID.fullmatch(own or ""):
            yield f"id {own} is no id, or there twice"
        if parent is not None and parent not in seen:
            yield f"{own} has the parent {parent}, which is not before it"
        for key in ("targetId", "firstKeptEntryId"):
            if key in entry and entry[key] not in seen:
                yield f"{own} names {entry[key]}, which is not before it"
        seen.add(own)


def _entry(entry: Any) -> Iterator[str]:
    yield from _fields(entry.get("id"), entry, {"type": str, "timestamp": str})
    if not TIME.fullmatch(entry.get("timestamp", "")):
        yield f"{entry.get('id')} has no time in UTC with milliseconds"
    yield from _fields(entry.get("id"), entry, ENTRIES.get(entry["type"], {}))
    if entry["type"] == "message":
        yield from _message(entry["id"], entry.get("message") or {})
    if isinstance(entry.get("usage"), dict):
        yield from _fields(entry["id"], entry["usage"], USAGE)


def _message(where: str, message: Any) -> Iterator[str]:
    if message.get("role") not in MESSAGES:
        yield f"{where} has a message with the role {message.get('role')}"
        return
    yield from _fields(where, message, MESSAGES[message["role"]])
    if "usage" in message:
        yield from _fields(where, message["usage"], USAGE)
    content = message.get("content")
    for block in content if isinstance(content, list) else []:
        yield from _fields(where, block, BLOCKS.get(block.get("type"), {"type": type(None)}))


def _fields(where: Any, value: Any, wanted: dict[str, Any]) -> Iterator[str]:
    for key, kind in wanted.items():
        if key not in value or not isinstance(value[key], kind):
            yield f"{where}: {key} is missing or of another type: {value.get(key)!r}"
