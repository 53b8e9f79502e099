"""Places in lines, marked: what is found and what is chosen; and the text of what is chosen.

Pure.
"""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

EDGE: Final = 2
"""Columns that stay empty on the left of a line, as a rule."""


def marked(strip: Strip, sought: str, style: Style) -> Strip:
    """The line with every place of a text, which is in lower case, in a style."""
    text = strip.text.lower()
    at = text.find(sought)
    if at < 0 or not sought or len(text) != len(strip.text):
        return strip
    cuts: list[int] = []
    while at >= 0:
        cuts += [strip.index_to_cell_position(at), strip.index_to_cell_position(at + len(sought))]
        at = text.find(sought, at + len(sought))
    pieces = strip.divide([*cuts, strip.cell_length])
    return Strip.join(restyled(piece, style) if odd % 2 else piece for odd, piece in enumerate(pieces))


def restyled(strip: Strip, style: Style) -> Strip:
    """The line in a style that wins over those that it has."""
    return Strip(Segment.apply_style(strip, post_style=style), strip.cell_length)


def chosen(strip: Strip, span: tuple[int, int], style: Style) -> Strip:
    """The line with the characters of a span in a style; an end of -1 is that of the line."""
    if not strip:
        return strip
    count = len(strip.text)
    left = strip.index_to_cell_position(min(span[0], count))
    right = strip.cell_length if span[1] == -1 else strip.index_to_cell_position(min(span[1], count))
    before, inside, after = (*strip.divide([left, right, strip.cell_length]), Strip([]), Strip([]))[:3]
    return Strip.join([before, restyled(inside, style), after])


def dedented(lines: list[str]) -> list[str]:
    """The lines without the blanks that all but the first begin with."""
    later = [len(line) - len(line.lstrip(" ")) for line in lines[1:] if line.strip()]
    cut = min(later, default=EDGE)
    first = [lines[0].lstrip(" ")] if lines else []
    return [*first, *(line[cut:] for line in lines[1:])]
