"""How long extensions may take to draw, and how much: what takes longer holds up every key.

Touches: the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Final, TypeVar

T = TypeVar("T")

MAX_CHARS: Final = 50_000
"""Of a text that an extension shows, no more is laid out."""
SLOW_S: Final = 0.25
"""A drawing that takes longer blocks everything else."""
PATIENCE: Final = 3
"""So many slow drawings in a row are one too many."""


LONG_S: Final = 1.0
"""A drawing that is not done by then has no end."""
_LOOK_AT_CLOCK: Final = 64
"""So many things are drawn between two looks at the clock."""


class TooSlowError(RuntimeError):
    """Something took too long to draw."""


class Budget:
    """Counts the slow drawings of one thing."""

    def __init__(self) -> None:
        self._slow = 0

    def spend(self, seconds: float) -> None:
        """A drawing took so long. Raises: TooSlowError once it is too often."""
        self._slow = self._slow + 1 if seconds > SLOW_S else 0
        if self._slow >= PATIENCE:
            raise TooSlowError(f"drawing it took {seconds:.1f} s, {PATIENCE} times in a row")


def in_time(drawn: Iterable[T]) -> Iterator[T]:
    """The same things, one by one. Raises: TooSlowError if they do not come to an end soon."""
    ends = perf_counter() + LONG_S
    for place, item in enumerate(drawn):
        yield item
        if place % _LOOK_AT_CLOCK == 0 and perf_counter() > ends:
            raise TooSlowError(f"drawing it was not done after {LONG_S:g} s")


def cut(text: str) -> str:
    """As much of a text as is laid out, and how much more there is."""
    hidden = len(text) - MAX_CHARS
    return text if hidden <= 0 else f"{text[:MAX_CHARS]}… {hidden} more characters"
