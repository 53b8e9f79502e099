"""The last door before the terminal: a line of any widget, an extension's too, is text and colours only.

Whatever is ours was made clean where it came in, and shows signs for what it lost. Here nothing can be shown
any more, because the places of everything are settled: it is left out.

Pure.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from pi_core.clean import is_clean, without_unsafe


class Guard(LineFilter):
    """Takes out of a line what a terminal would obey; the line keeps its length."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same list where there is nothing to take out."""
        if all(_is_plain(segment) for segment in segments):
            return segments
        return [_plain(segment) for segment in segments if not segment.control]


def _is_plain(segment: Segment) -> bool:
    text, style, control = segment
    return not control and is_clean(text) and "\n" not in text and (style is None or not style.link)


def _plain(segment: Segment) -> Segment:
    text, style, _ = segment
    if style is not None and style.link:
        style = style.update_link(None)
    kept = without_unsafe(text).replace("\n", "")
    return Segment(kept + " " * max(0, cell_len(text) - cell_len(kept)), style)
