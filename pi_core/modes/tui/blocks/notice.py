"""What the program has to say itself: notices, and what is made anew for every layout.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rich.console import RenderableType
from rich.text import Text
from textual.strip import Strip

from hookspecs.ui import Severity
from pi_core.clean import clean
from pi_core.modes.tui.log.block import Block, indented, prose_width, with_edge, wrapped_rows
from pi_core.modes.tui.style.look import Look
from pi_core.modes.tui.style.palette import Palette

NOTICE_TOKENS: Final[Mapping[Severity, tuple[str, str]]] = {
    "info": ("·", "muted"),
    "warning": ("!", "warning"),
    "error": ("✕", "error"),
}


class NoticeBlock(Block):
    """A sentence for the person: from the program, or from an extension."""

    def __init__(self, message: str, level: Severity = "info", *, gap: bool = True) -> None:
        self._message = message
        self._level = level
        self.gap = gap

    def text(self) -> str:
        """The sentence."""
        return self._message

    def rows(self, width: int) -> int:
        """With its sign."""
        return wrapped_rows(self._message, max(8, prose_width(width) - 2))

    def lines(self, width: int, look: Look) -> list[Strip]:
        """A sign of how bad it is, and the sentence."""
        sign, token = NOTICE_TOKENS.get(self._level, NOTICE_TOKENS["info"])
        style = look.palette[token]
        strips = look.lines(Text(clean(self._message), style), max(8, prose_width(width) - 2))
        first, later = with_edge(strips[:1], f"{sign} ", style), with_edge(strips[1:], "  ")
        return indented([*first, *later])


class MadeBlock(Block):
    """Something that is made anew for every layout, such as the welcome."""

    def __init__(self, make: Callable[[Palette], RenderableType]) -> None:
        self._make = make

    def text(self) -> str:
        """Nobody searches in it."""
        return ""

    def rows(self, width: int) -> int:
        """It is short."""
        return 8

    def lines(self, width: int, look: Look) -> list[Strip]:
        """Whatever was made."""
        return indented(look.lines(self._make(look.palette), max(8, width - 4)))
