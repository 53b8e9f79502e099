"""A text as numbered lines that remember how each of them ended.

Matching looks at one kind of newline only; writing gives every line back the
ending that it had.

Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from hookspecs.values import dataclass

_NEWLINE: Final = re.compile("\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class LineText:
    """`text` has plain newlines only; `endings[n]` is what the n-th of them really is.

    `breaks` are the positions of the newlines in `text`, ascending.
    """

    text: str
    endings: tuple[str, ...]
    breaks: tuple[int, ...]

    def line_at(self, position: int) -> int:
        """The 0-based number of the line that holds a position; a newline belongs to the line it ends."""
        return bisect_left(self.breaks, position)

    def line_start(self, line: int) -> int:
        """Where a line begins."""
        return 0 if line == 0 else self.breaks[line - 1] + 1

    def line_end(self, line: int) -> int:
        """Where the line after this one begins, or the end of the text."""
        return self.breaks[line] + 1 if line < len(self.breaks) else len(self.text)

    def native(self, start: int, end: int) -> str:
        """A part of the text with the line endings that it really has."""
        first, *rest = self.text[start:end].split("\n")
        number = self.line_at(start)
        return first + "".join(self.endings[number + index] + line for index, line in enumerate(rest))

    def ending_near(self, position: int) -> str:
        """The ending that a new line at a position takes: its line's own, else the one before."""
        line = self.line_at(position)
        if line < len(self.endings):
            return self.endings[line]
        return self.endings[-1] if self.endings else "\n"


def with_plain_newlines(text: str) -> str:
    """The text with every line ending as a plain newline."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_lines(content: str) -> LineText:
    """The lines of a text as it is stored; `native` of the whole gives it back exactly."""
    return with_text(with_plain_newlines(content), tuple(_NEWLINE.findall(content)))


def with_text(text: str, endings: tuple[str, ...]) -> LineText:
    """A text with plain newlines, as many as there are endings."""
    return LineText(text, endings, tuple(match.start() for match in re.finditer("\n", text)))
