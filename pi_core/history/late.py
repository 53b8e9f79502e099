"""A message of a file that is read when it is first asked for.

Of a long conversation a model reads the end alone, so most of a large file is never looked into.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from hookspecs.messages import JsonObject
from hookspecs.wire import message_from_wire
from pi_core.history.entries import MessageEntry


class LateMessageEntry(MessageEntry):
    """An entry like any other, made from the object of a message that `is_message` accepts."""

    def __init__(self, base: Mapping[str, Any], wire: JsonObject, extra: JsonObject) -> None:
        self.id = base["id"]
        self.parent_id = base["parent_id"]
        self.timestamp = base["timestamp"]
        self.extra = extra
        self._wire = wire

    def __getattr__(self, name: str) -> Any:
        if name != "message":
            raise AttributeError(name)
        message = self.message = message_from_wire(self._wire)
        return message

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MessageEntry):
            return NotImplemented
        return all(getattr(self, spec.name) == getattr(other, spec.name) for spec in fields(MessageEntry))

    __hash__ = None  # type: ignore[assignment]  # entries are mutable
