"""How the log is to look at the moment: the palette, what is unfolded, and the way from anything to lines.

Whatever is shown goes through `lines`, so nothing reaches the terminal that would steer it.

Touches: the console that lays text out in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from io import StringIO
from itertools import islice
from typing import Final

from rich.console import Console, RenderableType
from rich.errors import MissingStyle
from rich.segment import Segment
from rich.style import Style
from rich.theme import Theme
from textual.strip import Strip

from pi_core.clean import clean, is_clean
from pi_core.modes.tui.style.palette import Palette

MAX_LINES: Final = 20_000
"""More lines than that of one thing are nobody's to read; the rest is left out, and said so."""

_MARKDOWN: Final[Mapping[str, str]] = {
    "markdown.h1": "mdHeading",
    "markdown.h2": "mdHeading",
    "markdown.h3": "mdHeading",
    "markdown.h4": "mdHeading",
    "markdown.h5": "mdHeading",
    "markdown.h6": "mdHeading",
    "markdown.h7": "mdHeading",
    "markdown.code": "mdCode",
    "markdown.link": "mdLink",
    "markdown.link_url": "mdLinkUrl",
    "markdown.block_quote": "mdQuote",
    "markdown.hr": "mdHr",
    "markdown.item.bullet": "mdListBullet",
    "markdown.item.number": "mdListBullet",
    "markdown.table.border": "mdCodeBlockBorder",
    "markdown.table.header": "mdHeading",
}


InTime = Callable[[Iterable[Segment]], Iterable[Segment]]


def _whenever(drawn: Iterable[Segment]) -> Iterable[Segment]:
    return drawn


class Look:
    """Everything but the width that decides how a block looks. `version` grows with every change."""

    def __init__(self, palette: Palette) -> None:
        self.version = 0
        self.tools_expanded = False
        self.thinking_shown = False
        self.thinking_label = "Thinking"
        self._use(palette)

    def use(self, palette: Palette) -> None:
        """Change the colours."""
        self._use(palette)
        self.version += 1

    def expand_tools(self, expanded: bool) -> None:
        """Show all of what tools were given and answered, or only the head of it."""
        self.tools_expanded = expanded
        self.version += 1

    def show_thinking(self, shown: bool) -> None:
        """Show what the model thought, or only that it did."""
        self.thinking_shown = shown
        self.version += 1

    def label_thinking(self, label: str | None) -> None:
        """What stands for thoughts that are not shown; None is the usual word."""
        self.thinking_label = clean(label) if label else "Thinking"
        self.version += 1

    def lines(self, renderable: RenderableType, width: int, *, in_time: InTime = _whenever) -> list[Strip]:
        """Anything that rich can show, as lines of at most `width` columns.

        Control sequences, links that are not plain and actions on clicks are taken out of it. What is not
        ours is drawn `in_time`, which raises if it takes too long.
        """
        options = self._console.options.update(width=max(1, width), height=None)
        drawn = in_time(self._console.render(renderable, options))
        laid = iter(
            Segment.split_and_crop_lines(drawn, options.max_width, include_new_lines=False, pad=False)
        )
        strips = [Strip(guarded(line)) for line in islice(laid, MAX_LINES)]
        if next(laid, None) is not None:
            strips.append(Strip([Segment("… more lines are not shown", self.palette["muted"])]))
        return [strip.crop(0, width) if strip.cell_length > width else strip for strip in strips]

    def _use(self, palette: Palette) -> None:
        self.palette = palette
        theme = {name: palette[token] for name, token in _MARKDOWN.items()}
        theme["markdown.strong"] = Style(bold=True)
        self._console = Console(
            file=StringIO(),
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
            width=80,
            height=25,
            markup=False,
            highlight=False,
            emoji=False,
            theme=Theme(theme),
            _environ={},
        )

    def style(self, name: str) -> Style:
        """A token's style, or that of a style name of rich; nothing for one that is neither."""
        if name in self.palette.styles:
            return self.palette.styles[name]
        try:
            return self._console.get_style(name)
        except MissingStyle:
            return Style.null()


def guarded(line: Iterable[Segment]) -> list[Segment]:
    """A line without anything but text and colours."""
    kept = []
    for segment in line:
        text, style, control = segment
        if control or not text:
            continue
        if not is_clean(text):
            text = clean(text).replace("\n", " ")
        if style is not None and (style.link or style.meta):
            style = style.copy().clear_meta_and_links()
        kept.append(Segment(text, style))
    return kept
