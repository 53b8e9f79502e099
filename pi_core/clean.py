"""Foreign text becomes text that a terminal only shows: what would steer it is drawn as a sign.

Model answers, tool output, file names and what extensions show go through here before a
terminal gets them. Line feeds stay, tabs become blanks; every other control character, the marks
that turn the direction of writing, and characters that nobody can see become visible signs.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

TAB: Final = 4
"""Columns between two tab stops."""

_UNSAFE: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""All that is changed. Joiners (U+200B to U+200D) stay: scripts and emoji are written with them."""

_SEQUENCE: Final = re.compile(
    r"\x1b\[[0-9:;]*m"  # colours and weights
    r"|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)"  # links
)
_MARK: Final = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
_MARKS: Final = re.compile(f"({_MARK}{{4}}){_MARK}+")
_OVERWRITTEN: Final = re.compile(r"[^\n]*\r(?=[^\n])")


def clean(text: str) -> str:
    """The text with nothing in it that a terminal would obey. The same object if there was nothing.

    Of more than four marks on one letter the first four stay, so that a letter keeps to its line.
    """
    if _UNSAFE.search(text) is not None:
        if "\r\n" in text:
            text = text.replace("\r\n", "\n")
        if "\t" in text:
            text = text.expandtabs(TAB)
        text = _UNSAFE.sub(_sign, text)
    return _MARKS.sub(r"\1", text) if not text.isascii() else text


def clean_line(text: str) -> str:
    """The same for what must stay on one line: line feeds become signs, too."""
    return clean(text).replace("\n", "␊")


def clean_output(text: str) -> str:
    """Output of a program as it would stand on a screen: colours are gone, overwritten lines are, too."""
    if "\x1b" in text:
        text = _SEQUENCE.sub("", text)
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text.replace("\r\n", "\n")).replace("\r", "")
    return clean(text)


def clean_json(text: str) -> str:
    """JSON texts of the same meaning, in which a terminal finds nothing to obey."""
    return _UNSAFE.sub(_escape, text)


def typed(text: str) -> str:
    """What a person pastes or an extension puts into the editor: line feeds and tabs stay as they are."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(re.split("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", text))


def is_clean(text: str) -> bool:
    """Whether `clean` would leave the text as it is, marks aside."""
    return _UNSAFE.search(text) is None


def without_unsafe(text: str) -> str:
    """The text without what `clean` would draw as a sign."""
    return _UNSAFE.sub("", text)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return "�" if 0xD800 <= code <= 0xDFFF else "¤"
