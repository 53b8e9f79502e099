"""A growing text in Markdown, cut into chunks that are laid out once and never again.

Cuts are made where the layout of what stands before does not depend on what follows: at an empty line
outside of code. Long code and long lists are cut, too, so that the part that still grows stays short.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

from hookspecs.values import dataclass

SHORT: Final = 160
"""A chunk of a text that grows is not closed before it has so many characters."""
SHORT_OF_WHOLE: Final = 800
"""And one of a text that is whole."""
LONG: Final = 1600
"""A list that is longer is cut between two items."""
LONG_CODE: Final = 60
"""Code of more lines is cut, at an empty line if there is one soon."""
LONGEST_CODE: Final = 90

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})([^`\n]*)")
_ITEM: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)]) ")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of Markdown that stands for itself. `joined`: it continues the one before without a gap."""

    text: str
    joined: bool = False


class Chunker:
    """Takes text piece by piece. `open` is the chunk that still grows."""

    def __init__(self, shortest: int = SHORT) -> None:
        self._shortest = shortest
        self._lines: list[str] = []
        """Whole lines of the open chunk."""
        self._rest = ""
        """What came since the last line feed."""
        self._joined = False
        self._fence: tuple[str, str] | None = None
        """The marks and the language of the code that is open."""
        self._code_lines = 0
        self._length = 0
        self._after_blank = False

    @property
    def open(self) -> Chunk:
        """What is not closed yet; its text may be empty."""
        return Chunk("".join(self._lines) + self._rest, self._joined)

    def feed(self, text: str) -> list[Chunk]:
        """Add text. Returns the chunks that it closes, in order."""
        *whole, self._rest = (self._rest + text).split("\n")
        return [chunk for line in whole for chunk in self._add(line + "\n")]

    def finish(self) -> list[Chunk]:
        """The text is over. Returns what was open, if anything was in it."""
        chunk = self.open
        self._lines, self._rest, self._length = [], "", 0
        return [chunk] if chunk.text.strip() else []

    def _add(self, line: str) -> list[Chunk]:
        closed: list[Chunk] = []
        fence = _FENCE.match(line)
        if self._fence is not None:
            if self._cuts_code(line):
                closed.append(self._cut_code())
            self._keep(line)
            self._code_lines += 1
            if fence is not None and fence[1].startswith(self._fence[0]) and not fence[2].strip():
                self._fence = None
            return closed
        blank = not line.strip()
        if not blank and self._may_cut_before(line):
            closed.append(self._close(joined=not self._after_blank))
        if fence is not None:
            self._fence, self._code_lines = (fence[1], fence[2].strip()), 0
        self._keep(line)
        self._after_blank = blank
        return closed

    def _may_cut_before(self, line: str) -> bool:
        if line[0] in " \t" or not self._lines:
            return False
        if self._after_blank:
            return self._length >= self._shortest
        return (
            self._length >= LONG and _ITEM.match(line) is not None and _ITEM.match(self._lines[0]) is not None
        )

    def _cuts_code(self, line: str) -> bool:
        return self._code_lines >= LONG_CODE and (not line.strip() or self._code_lines >= LONGEST_CODE)

    def _cut_code(self) -> Chunk:
        assert self._fence is not None
        marks, language = self._fence
        self._keep(marks + "\n")
        chunk = self._close(joined=True)
        self._keep(f"{marks}{language}\n")
        self._code_lines = 0
        return chunk

    def _close(self, *, joined: bool) -> Chunk:
        chunk = Chunk("".join(self._lines), self._joined)
        self._lines, self._length, self._joined = [], 0, joined
        return chunk

    def _keep(self, line: str) -> None:
        self._lines.append(line)
        self._length += len(line)


def chunks_of(text: str) -> list[Chunk]:
    """A whole text in chunks."""
    if len(text) <= SHORT_OF_WHOLE:
        return [Chunk(text)] if text.strip() else []
    chunker = Chunker(SHORT_OF_WHOLE)
    return [*chunker.feed(text), *chunker.finish()]
