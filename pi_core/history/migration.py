"""Brings the objects of older session files to version 3.

Version 1 was a list: its entries get ids and become a chain. Version 2 called the
messages of extensions by another role.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hookspecs.messages import JsonObject
from pi_core.history.entries import CURRENT_VERSION


def version_of(header: JsonObject) -> int:
    """The version of a file; a header that names none is of version 1."""
    version = header.get("version", 1)
    return version if isinstance(version, int) else 1


def is_known_version(version: Any) -> bool:
    """Whether what a header says is a version that we can read."""
    return type(version) is int and 1 <= version <= CURRENT_VERSION


def migrate(objects: Sequence[JsonObject], new_id: Callable[[set[str]], str]) -> list[JsonObject]:
    """Copies of a file's objects, header first, in the current version.

    `new_id` makes an entry id that is not in the given set.
    """
    migrated = [dict(wire) for wire in objects]
    version = version_of(migrated[0])
    if version < 2:
        _chain(migrated, new_id)
    if version < 3:
        for wire in migrated:
            _rename_hook_message(wire)
    migrated[0]["version"] = max(version, CURRENT_VERSION)
    return migrated


def _chain(objects: list[JsonObject], new_id: Callable[[set[str]], str]) -> None:
    taken: set[str] = set()
    parent: str | None = None
    for wire in objects[1:]:
        wire["id"] = new_id(taken)
        wire["parentId"] = parent
        parent = wire["id"]
        taken.add(wire["id"])
    for wire in objects[1:]:
        if wire.get("type") == "compaction":
            _name_first_kept(wire, objects)


def _name_first_kept(wire: JsonObject, objects: list[JsonObject]) -> None:
    """Version 1 counted the objects of the file, the header being number 0."""
    index: Any = wire.pop("firstKeptEntryIndex", None)
    if isinstance(index, int) and 0 < index < len(objects):
        wire["firstKeptEntryId"] = objects[index]["id"]


def _rename_hook_message(wire: JsonObject) -> None:
    message = wire.get("message")
    if isinstance(message, dict) and message.get("role") == "hookMessage":
        wire["message"] = {**message, "role": "custom"}
