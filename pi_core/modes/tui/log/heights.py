"""Where blocks stand in a column: their heights, some of them guessed, and the sums.

Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


class Heights:
    """Heights in lines by index. Sums are made when they are asked for, from the first change on."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._ends: list[int] = []
        """The sums up to and with each block, as far as they are known."""

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def __setitem__(self, index: int, height: int) -> None:
        """A block has another height than was thought."""
        if self._heights[index] != height:
            self._heights[index] = height
            del self._ends[index:]

    def append(self, height: int) -> None:
        """One more block at the end."""
        self._heights.append(height)

    def replace(self, heights: Iterable[int]) -> None:
        """Other heights for all."""
        self._heights = list(heights)
        self._ends = []

    @property
    def total(self) -> int:
        """Lines of all blocks."""
        return self._sums()[-1] if self._heights else 0

    def start(self, index: int) -> int:
        """The line at which a block begins; `start(len)` is the end of all."""
        return self._sums()[index - 1] if index else 0

    def at(self, line: int) -> int:
        """The block that a line is in: the last one for lines behind the end, the first for those before."""
        if line < 0:
            return 0
        return min(bisect_right(self._sums(), line), len(self._heights) - 1)

    def _sums(self) -> list[int]:
        known = len(self._ends)
        if known < len(self._heights):
            base = self._ends[-1] if known else 0
            sums = accumulate(self._heights[known:], initial=base)
            next(sums)
            self._ends.extend(sums)
        return self._ends
