"""The order of names in which people look for them: by letter, then by accent, then by case.

Pure.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_BEFORE_DIGITS: Final = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_PLACES: Final = {character: place for place, character in enumerate(_BEFORE_DIGITS)}


def name_key(name: str) -> tuple[list[tuple[int, str]], list[str], str]:
    """A key to sort names by: punctuation before digits before letters, `e` before `é` before `f`."""
    decomposed = unicodedata.normalize("NFD", name)
    letters = [character for character in decomposed if not unicodedata.combining(character)]
    accents = [character for character in decomposed if unicodedata.combining(character)]
    return [_weight(character) for character in letters], accents, name.swapcase()


def _weight(character: str) -> tuple[int, str]:
    place = _PLACES.get(character)
    return (place, "") if place is not None else (len(_PLACES), character.casefold())
