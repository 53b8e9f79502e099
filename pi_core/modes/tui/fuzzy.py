"""What fits a few typed letters: they must come in their order, and the better they hang together the better.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

_TOGETHER: Final = 4
"""A letter right behind the one before."""
_BEGINNING: Final = 6
"""A letter at the beginning of a word."""
_GAP: Final = 0.1
"""Every letter that is passed over."""


def score(sought: str, text: str) -> float | None:
    """How well the text fits, the higher the better; None if it does not. Blanks part words, each must fit.

    The case does not matter. An empty search fits everything equally well.
    """
    total = 0.0
    for word in sought.lower().split():
        found = _score_word(word, text.lower())
        if found is None:
            return None
        total += found
    return total - len(text) * 0.001


def best(sought: str, items: Iterable[T], text_of: Callable[[T], str]) -> list[T]:
    """Those that fit, the best first; equals keep their order."""
    if not sought.strip():
        return list(items)
    scored = [(score(sought, text_of(item)), item) for item in items]
    fitting = [(points, item) for points, item in scored if points is not None]
    fitting.sort(key=lambda pair: -pair[0])
    return [item for _, item in fitting]


def places(sought: str, text: str) -> list[int]:
    """Where in the text the letters were found, to be shown; empty if it does not fit."""
    found: list[int] = []
    for word in sought.lower().split():
        at = _places_of(word, text.lower())
        if at is None:
            return []
        found += at
    return sorted(set(found))


def _score_word(word: str, text: str) -> float | None:
    at = _places_of(word, text)
    if at is None:
        return None
    points = 10.0 if word == text else 0.0
    for number, place in enumerate(at):
        if place == 0 or not text[place - 1].isalnum():
            points += _BEGINNING
        if number and place == at[number - 1] + 1:
            points += _TOGETHER
    return points - (at[-1] - at[0] + 1 - len(word)) * _GAP - at[0] * _GAP


def _places_of(word: str, text: str) -> Sequence[int] | None:
    """The letters where they stand together, best at the beginning of a word; else scattered, in order."""
    start = _start_of(word, text)
    if start is not None:
        return range(start, start + len(word))
    found, place = [], -1
    for letter in word:
        place = text.find(letter, place + 1)
        if place < 0:
            return None
        found.append(place)
    return found


def _start_of(word: str, text: str) -> int | None:
    start = first = text.find(word)
    while start >= 0:
        if start == 0 or not text[start - 1].isalnum():
            return start
        start = text.find(word, start + 1)
    return first if first >= 0 else None
