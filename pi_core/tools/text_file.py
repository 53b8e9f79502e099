"""A file's bytes as text, and back without losing a byte that nobody touched.

UTF-8 is assumed; a UTF-16 byte order mark is believed. Bytes that are no UTF-8
travel through as marks of their own, so that an edit elsewhere leaves them alone.
A byte order mark is part of the text.

Pure.
"""

from __future__ import annotations

import codecs
from typing import Final

from pi_core.utf16 import well_formed

_MARKS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
BOM: Final = "\ufeff"


def encoding_of(data: bytes) -> str:
    """The encoding that a file declares by its first bytes; UTF-8 when it declares none."""
    # An odd length cannot be UTF-16, whatever the first bytes look like.
    return _MARKS.get(data[:2], "utf-8") if len(data) % 2 == 0 else "utf-8"


def decode_exact(data: bytes, encoding: str) -> str:
    """Text for editing: `encode_exact` gives the same bytes again."""
    if encoding == "utf-8":
        return data.decode("utf-8", "surrogateescape")
    return data.decode(encoding, "surrogatepass")


def encode_exact(text: str, encoding: str) -> bytes:
    """The bytes of a text made by `decode_exact`, edited or not."""
    if encoding != "utf-8":
        return text.encode(encoding, "surrogatepass")
    return text.encode("utf-8", "surrogateescape")


def decode_shown(data: bytes) -> str:
    """Text for reading: what cannot be decoded is replaced by a visible mark."""
    encoding = encoding_of(data)
    return data.decode(encoding, "replace")


def encode_new(text: str) -> bytes:
    """The bytes of a text that a model wrote, which may hold half characters: always valid UTF-8."""
    return well_formed(text).encode("utf-8")
