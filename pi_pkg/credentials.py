"""User and password of an address stand in the settings if the user wrote them there, and nowhere else.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

_IN_URL: Final = re.compile(r"(?P<scheme>\b[A-Za-z][A-Za-z0-9+.-]*://)(?P<user>[^/?#\s'\"<>]*)@")
_USER_IS_PUBLIC: Final = re.compile(r"(?:git\+)?ssh://", re.IGNORECASE)


def without_credentials(text: str) -> str:
    """The text with stars for user and password in every URL; the user alone that ssh needs is no secret."""
    return _replaced(text, "***@")


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
