"""Manifest files as parsed documents: never more of them than anybody would write, and never a wait.

Touches: files.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from codecs import BOM_UTF8
from typing import Any, Final, TypeAlias

from pi_pkg.resources.witness import Witness

Document: TypeAlias = dict[str, Any]

MAX_BYTES: Final = 1_000_000
"""A larger manifest is refused: nobody wrote it by hand."""
MOST_PARTS: Final = 100
"""Parts of a dotted key, `a.b.c`: what the parser needs for it grows with their square."""
_LONG_KEY: Final = re.compile(rf"(?<![\w\"'-])(?>[\w\"'-]+[ \t]*\.[ \t]*){{{MOST_PARTS}}}")
_SHORT: Final = 10_000
"""Characters of a text in which no key can be long enough to matter."""
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Documents:
    """Reads manifest files and tells a witness which ones."""

    __slots__ = ("_witness",)

    def __init__(self, witness: Witness | None = None) -> None:
        self._witness = witness or Witness()

    def toml(self, path: str) -> Document | None:
        """A `pyproject.toml` or `pi.toml`; None if there is no such file.

        Raises:
            OSError: it cannot be read.
            ValueError: it is no regular file, too large, no UTF-8 or no TOML; the text says where.
            RecursionError: it is nested too deeply.
        """
        data = self._data(path)
        if data is None:
            return None
        text = _text(data)
        if len(text) > _SHORT and _LONG_KEY.search(text):
            raise ValueError(f"a key in it has more than {MOST_PARTS} parts")
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            last = f"at line {text.count(chr(10)) + 1}, column {len(text) - text.rfind(chr(10))}"
            raise ValueError(str(problem).replace("at end of document", last)) from None

    def json(self, path: str) -> Document | None:
        """A `package.json`; None if there is no such file or it holds no object.

        Raises:
            OSError, ValueError, RecursionError: as above.
        """
        data = self._data(path)
        if data is None:
            return None
        import json  # start-up time: few packages carry a package.json

        document = json.loads(_text(data))
        return document if isinstance(document, dict) else None

    def _data(self, path: str) -> bytes | None:
        self._witness.look(path)
        try:
            return read_bytes(path)
        except (FileNotFoundError, NotADirectoryError):
            return None


def _text(data: bytes) -> str:
    body = data.removeprefix(BOM_UTF8)
    try:
        return body.decode()
    except UnicodeDecodeError as problem:
        line = body.count(b"\n", 0, problem.start) + 1
        column = problem.start - body.rfind(b"\n", 0, problem.start)
        found = f"byte 0x{body[problem.start]:02x} is not UTF-8 (at line {line}, column {column})"
        raise ValueError(found) from None


def read_bytes(path: str) -> bytes:
    """The bytes of a regular file. A named pipe in its place is refused, not waited for.

    Raises:
        OSError, ValueError: it cannot be read; it is no regular file or too large.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no regular file")
        if status.st_size > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES} bytes")
        data = os.read(descriptor, status.st_size + 1)
        while len(data) < status.st_size and (more := os.read(descriptor, status.st_size)):
            data += more
    finally:
        os.close(descriptor)
    return data
