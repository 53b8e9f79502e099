"""The places of a text in a line, marked.

Pure.
"""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


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
