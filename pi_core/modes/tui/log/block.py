"""A block: one thing in the log, which knows how to lay itself out for a width.

Pure.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pi_core.modes.tui.style.look import Look

INDENT: Final = 2
"""Columns that stay empty on the left of everything, and on the right."""
READABLE: Final = 116
"""Prose is laid out no wider than that, however wide the terminal is."""


class Block(ABC):
    """One thing in the log. Whoever changes it tells the log, by `touch`.

    `gap` asks for an empty line before it. `expanded` says what the person wants of this one; None
    leaves it to what holds for all.
    """

    gap: bool = True
    expanded: bool | None = None
    is_prompt: bool = False
    """Whether a person said it: one jumps from one to the next."""
    place: int = -1
    """Where it stands in the log; the log's to set."""

    @abstractmethod
    def lines(self, width: int, look: Look) -> list[Strip]:
        """The block as lines of at most `width` columns, without the gap."""

    @abstractmethod
    def text(self) -> str:
        """All of it as plain text: what is searched."""

    def rows(self, width: int) -> int:
        """How many lines it will have, cheaply guessed."""
        return wrapped_rows(self.text(), prose_width(width))

    def toggle(self, look: Look) -> bool:
        """Unfold or fold this one. False if there is nothing to unfold."""
        return False


def prose_width(width: int) -> int:
    """The columns that prose gets in a log of a width."""
    return max(8, min(READABLE, width - 2 * INDENT))


def wrapped_rows(text: str, width: int) -> int:
    """About how many lines a text has when it is wrapped."""
    count = text.count("\n") + 1
    longer = len(text) - count * width
    if longer <= -count * width // 2:
        return count
    return sum(max(1, -(-len(line) // width)) for line in text.split("\n")) if count < 2000 else count


def indented(lines: list[Strip], columns: int = INDENT, style: Style | None = None) -> list[Strip]:
    """The lines with blanks before each."""
    return with_edge(lines, " " * columns, style)


def with_edge(lines: list[Strip], edge: str, style: Style | None = None) -> list[Strip]:
    """The lines with a text before each."""
    segment = Segment(edge, style)
    return [Strip([segment, *strip]) for strip in lines]
