"""What of a text is shown or recorded: no user and password of an address, nothing that moves a terminal.

The settings keep what the user wrote into them. Names and versions of packages come from strangers.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

_IN_URL: Final = re.compile(r"(?P<scheme>\b[A-Za-z][A-Za-z0-9+.-]*://)(?P<user>[^/?#\s'\"<>]*)@")
# Controls of both sets, the two separators that end lines, and marks that turn the direction of writing.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_USER_IS_PUBLIC: Final = re.compile(r"(?:git\+)?ssh://", re.IGNORECASE)


def without_credentials(text: str) -> str:
    """The text with stars for user and password in every URL; the user alone that ssh needs is no secret."""
    return _replaced(text, "***@")


def one_line(text: str) -> str:
    """As `without_credentials`, with every line end and control character as its escape."""
    return escaped(without_credentials(text), keep="")


def lines(text: str) -> str:
    """As `one_line`, over several lines."""
    return escaped(without_credentials(text), keep="\n\t")


def escaped(text: str, *, keep: str) -> str:
    """The text with control characters as their escapes, but for those to `keep`."""
    if text.isprintable():
        return text

    def escape(found: re.Match[str]) -> str:
        return found[0] if found[0] in keep else repr(found[0])[1:-1]

    return _CONTROL.sub(escape, text)


def public_form(source: str) -> str:
    """A source that names the same package, without user and password."""
    return _replaced(source, "")


def _replaced(text: str, by: str) -> str:
    if "://" not in text or "@" not in text:
        return text

    def shown(found: re.Match[str]) -> str:
        if _USER_IS_PUBLIC.fullmatch(found["scheme"]) and ":" not in found["user"]:
            return found[0]
        return found["scheme"] + by

    return _IN_URL.sub(shown, text)
