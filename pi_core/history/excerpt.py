"""A session file as far as a list needs it: its beginning, its end, and its last name.

Of what lies between, only the messages are counted. Files grow to hundreds of
megabytes, and a list shows all of a folder: reading each whole would take minutes.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Final

from hookspecs.messages import JsonObject
from hookspecs.values import dataclass
from pi_core.history.codec import parse_objects

END_BYTES: Final = 64 * 1024
"""How much is read at either end; a line that is cut by this limit is read whole."""
PIECE_BYTES: Final = 1024 * 1024
_SAID: Final = (b'"message":{"role":"user"', b'"message":{"role":"assistant"')
_NAMED: Final = b'"type":"session_info"'
"""As files are written. Within a text all quotes are escaped, so this stands nowhere else."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Objects of a file in its order, and how many messages of a person or a model lie between them."""

    objects: tuple[JsonObject, ...]
    unread_messages: int = 0


def read_excerpt(path: Path) -> Excerpt:
    """The excerpt of a session file; all of a short one. Raises OSError."""
    with path.open("rb") as file:
        size = path.stat().st_size
        if size <= 3 * END_BYTES:
            return Excerpt(tuple(parse_objects(file.read())))
        head = file.read(END_BYTES) + file.readline()
        tail = _last_lines(file, len(head), size)
        between = _Between(file, len(head), size - len(tail))
        objects = (*parse_objects(head), *parse_objects(between.last_name), *parse_objects(tail))
        return Excerpt(objects, between.messages)


def _last_lines(file: BufferedReader, after: int, size: int) -> bytes:
    """The lines at the end of a file, the first of them whole. Nothing of what lies before `after`."""
    held = END_BYTES
    while held < size - after:
        file.seek(size - held)
        read = file.read(held)
        start = read.find(b"\n", 0, len(read) - 1) + 1
        if start:
            return read[start:]
        held *= 8  # one line is longer than that
    file.seek(after)
    return file.read(max(0, size - after))


class _Between:
    """What is known of the part of a file that nobody reads."""

    def __init__(self, file: BufferedReader, start: int, end: int) -> None:
        self.messages = 0
        self.last_name = b""
        """The line that named the session last."""
        for line_start, piece in _whole_lines(file, start, end):
            self.messages += sum(piece.count(said) for said in _SAID)
            named = piece.rfind(_NAMED)
            if named >= 0:
                begin = piece.rfind(b"\n", 0, named) + 1
                file.seek(line_start + begin)
                self.last_name = file.readline()


def _whole_lines(file: BufferedReader, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Pieces of a file that break between lines, each with its place."""
    while start < end:
        file.seek(start)
        piece = file.read(min(PIECE_BYTES, end - start))
        if start + len(piece) < end:
            piece += file.readline()
        yield start, piece
        start += max(1, len(piece))
