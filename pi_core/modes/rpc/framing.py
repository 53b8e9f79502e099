"""Bytes become records: one JSON object a line, and a line ends at a line feed and nowhere else.

A carriage return in front of the line feed is passed over, as is an empty line. U+2028 and its like are
data. A line that is too long is never held: its bytes are dropped up to its end, and the next one counts.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from hookspecs.values import dataclass

MAX_RECORD_BYTES: Final = 32 * 1024 * 1024
"""The longest line that is read, its line feed not counted."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record that was read. `value` is a JSON object of any content."""

    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is no record, and why."""

    reason: str


Line: TypeAlias = Record | Unreadable


class Framing:
    """Takes pieces as they come and gives the lines that are complete. `max_bytes` bounds what is held."""

    def __init__(self, max_bytes: int = MAX_RECORD_BYTES) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._held = 0
        self._dropping = False

    def feed(self, data: bytes) -> Iterator[Line]:
        """The lines that end in this piece, in order."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._hold(end)
            yield from self._line()
        self._hold(rest)

    def close(self) -> Iterator[Line]:
        """What stands behind the last line feed, if it is anything."""
        yield from self._line()

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        if self._held > self._max_bytes + 1:  # a carriage return may still be taken off
            self._dropping = True
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def _line(self) -> Iterator[Line]:
        data, dropped = b"".join(self._pieces), self._dropping
        self._pieces, self._held, self._dropping = [], 0, False
        data = data.removesuffix(b"\r")
        if dropped or len(data) > self._max_bytes:
            yield Unreadable(f"the line is longer than {self._max_bytes} bytes")
        elif data.strip():
            yield read_record(data)


def read_record(data: bytes) -> Line:
    """The record that a line holds. Numbers that JSON does not have, such as NaN, make it unreadable."""
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        return Unreadable(f"not UTF-8 at byte {error.start}")
    except RecursionError:
        return Unreadable("nested too deeply")
    except ValueError as error:
        return Unreadable(str(error))
    if not isinstance(value, dict):
        return Unreadable("a command is a JSON object")
    return Record(value)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
