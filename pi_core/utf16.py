"""Lengths in UTF-16 units, by which the wire formats count characters: an emoji is two.

Pure.
"""

from __future__ import annotations


def utf16_length(text: str) -> int:
    """The number of UTF-16 units of a text."""
    return len(text) + sum(character > "\uffff" for character in text)


def utf16_prefix(text: str, units: int) -> str:
    """The longest start of a text with at most that many units; never half a character."""
    used = 0
    for index, character in enumerate(text):
        used += 2 if character > "\uffff" else 1
        if used > units:
            return text[:index]
    return text


def well_formed(text: str) -> str:
    """The text with halves of a character joined where they meet, replaced where they stand alone."""
    try:
        text.encode("utf-8")  # much faster than to look at every character
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
