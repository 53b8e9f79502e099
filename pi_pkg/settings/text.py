"""A settings file between bytes and a parsed document: strict in what it reads, faithful in what it keeps.

Pure.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

from pi_pkg.errors import SettingsError
from pi_pkg.values import dataclass

MAX_BYTES: Final = 1024 * 1024
"""A larger file is refused unread."""

_BOM: Final = b"\xef\xbb\xbf"
_AT: Final = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class SettingsText:
    """The text of a file and how it was written, so that an edited text can be written the same way."""

    text: str
    """Decoded, without a byte-order mark; line ends are `\\n` if they were all `\\r\\n`, else untouched."""
    bom: bool = False
    crlf: bool = False

    def encode(self, text: str) -> bytes:
        """Another text in the manner of this file."""
        if self.crlf:
            text = text.replace("\n", "\r\n")
        return (_BOM if self.bom else b"") + text.encode("utf-8")


def decode(path: str, data: bytes) -> SettingsText:
    """The text of a file.

    Raises:
        SettingsError: larger than the cap, or not UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise SettingsError(path, f"it has {len(data)} bytes, the limit is {MAX_BYTES}")
    bom = data.startswith(_BOM)
    body = data.removeprefix(_BOM)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = body.count(b"\n", 0, problem.start) + 1
        column = problem.start - body.rfind(b"\n", 0, problem.start)
        found = f"byte 0x{body[problem.start]:02x} is not UTF-8"
        raise SettingsError(path, found, line=line, column=column, hint="Save the file as UTF-8.") from None
    crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")
    return SettingsText(text.replace("\r\n", "\n") if crlf else text, bom, crlf)


def parse(path: str, text: str) -> dict[str, Any]:
    """The document in a text.

    Raises:
        SettingsError: not TOML; with line and column.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        line, column, reason = _place(str(problem), text)
        raise SettingsError(path, f"not valid TOML: {reason}", line=line, column=column) from None
    except RecursionError:
        raise SettingsError(path, "not valid TOML: nested too deeply") from None


def _place(message: str, text: str) -> tuple[int, int, str]:
    match = _AT.search(message)
    reason = message[: match.start()] if match else message
    reason = reason[:1].lower() + reason[1:]
    if match and match[1]:
        return int(match[1]), int(match[2]), reason
    lines = text.split("\n")
    return len(lines), len(lines[-1]) + 1, f"{reason} at the end of the file"
