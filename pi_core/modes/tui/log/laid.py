"""The blocks that are laid out at the moment: those in sight and the ones around, no more.

Pure.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from textual.strip import Strip

KEPT_LINES: Final = 1200
"""Lines that are kept laid out; what was seen longest ago goes first."""


class LaidOut:
    """Lines by block. What is kept belongs to one width and one look; a change of either drops all."""

    def __init__(self, kept_lines: int = KEPT_LINES) -> None:
        self._kept_lines = kept_lines
        self._lines: OrderedDict[int, list[Strip]] = OrderedDict()
        self._count = 0
        self._made_for: tuple[int, int] = (0, 0)

    def fits(self, width: int, version: int) -> bool:
        """Whether what is kept belongs to this width and look. If not, all of it is gone afterwards."""
        if self._made_for == (width, version):
            return True
        self.clear()
        self._made_for = (width, version)
        return False

    def get(self, index: int) -> list[Strip] | None:
        """The lines of a block, if they are kept."""
        lines = self._lines.get(index)
        if lines is not None:
            self._lines.move_to_end(index)
        return lines

    def put(self, index: int, lines: list[Strip]) -> None:
        """Keep the lines of a block; others may go for it."""
        self.drop(index)
        self._lines[index] = lines
        self._count += len(lines)
        while self._count > self._kept_lines and len(self._lines) > 1:
            _, gone = self._lines.popitem(last=False)
            self._count -= len(gone)

    def drop(self, index: int) -> None:
        """A block has changed."""
        lines = self._lines.pop(index, None)
        if lines is not None:
            self._count -= len(lines)

    def clear(self) -> None:
        """Nothing holds any more."""
        self._lines.clear()
        self._count = 0
