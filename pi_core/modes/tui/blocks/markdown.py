"""Markdown as a model writes it, laid out for reading: lines keep their breaks, HTML is text, links are told.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import (
    BlockQuote,
    CodeBlock,
    HorizontalRule,
    ImageItem,
    ListItem,
    Markdown,
    MarkdownElement,
    TableElement,
)
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from pi_core.modes.tui.style.code import highlighted
from pi_core.modes.tui.style.palette import Palette

MAX_NESTING: Final = 20
"""What is nested deeper is shown as it was written."""


class Code(CodeBlock):
    """Code on a ground of its own; without a frame, so that it can be copied."""

    palette: Palette

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> Code:
        """A code block with the palette of its document."""
        assert isinstance(markdown, Document)
        made = cls((token.info or "").partition(" ")[0] or "text", "")
        made.palette = markdown.palette
        return made

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = highlighted(str(self.text).rstrip("\n"), self.lexer_name, self.palette)
        yield Padding(code, (0, 1), style=self.palette["toolPendingBg"], expand=True)


class Quote(BlockQuote):
    """A quotation with a thin line at its side."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        inner = options.update(width=max(8, options.max_width - 2))
        edge = Segment("│ ", console.get_style("markdown.hr"))
        for line in console.render_lines(self.elements, inner, style=self.style):
            yield edge
            yield from line
            yield Segment.line()


class Item(ListItem):
    """An item of a list, its text under its text."""

    def render_bullet(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """With a dot."""
        return self._beside(console, options, "• ", "markdown.item.bullet")

    def render_number(
        self, console: Console, options: ConsoleOptions, number: int, last_number: int
    ) -> RenderResult:
        """With its number, as wide as the last one."""
        label = f"{number}. ".rjust(len(str(last_number - 1)) + 2)
        return self._beside(console, options, label, "markdown.item.number")

    def _beside(self, console: Console, options: ConsoleOptions, label: str, style: str) -> RenderResult:
        inner = options.update(width=max(8, options.max_width - len(label)))
        first = Segment(label, console.get_style(style))
        later = Segment(" " * len(label))
        for number, line in enumerate(console.render_lines(self.elements, inner, style=self.style)):
            yield later if number else first
            yield from line
            yield Segment.line()


class Line(HorizontalRule):
    """A thin line across."""

    new_line = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Rule(style=console.get_style("markdown.hr"), characters="─")


class Picture(ImageItem):
    """A picture, which is named."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text.assemble("[image: ", self.text or self.destination, "]", end="")


class Grid(TableElement):
    """A table with one line, under its head."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, style="markdown.table.border")
        if self.header is not None and self.header.row is not None:
            for cell in self.header.row.cells:
                heading = cell.content.copy()
                heading.stylize("markdown.table.header")
                table.add_column(heading, justify=cell.justify)
        if self.body is not None:
            for row in self.body.rows:
                table.add_row(*(cell.content for cell in row.cells))
        yield table


class Document(Markdown):
    """A text in Markdown. Raises: ValueError if it is nested too deeply to be laid out."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": Code,
        "code_block": Code,
        "blockquote_open": Quote,
        "list_item_open": Item,
        "hr": Line,
        "image": Picture,
        "table_open": Grid,
    }

    def __init__(self, text: str, palette: Palette, *, style: str | Style = "none") -> None:
        self.palette = palette
        self.markup = text
        self.code_theme = "default"
        self.justify = None
        self.style = style
        self.hyperlinks = False
        self.inline_code_lexer = None
        self.inline_code_theme = "default"
        parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 4 * MAX_NESTING}).enable(
            ["strikethrough", "table"]
        )
        self.parsed = parser.parse(text)
        if any(token.level > 2 * MAX_NESTING for token in self.parsed):
            raise ValueError("nested too deeply")
        for token in self.parsed:
            if token.children:
                token.children = list(_told(token.children))


def _told(tokens: list[Token]) -> Iterator[Token]:
    """Inline tokens with line breaks as they were written, and without links that are their own text."""
    skip_close = False
    for number, token in enumerate(tokens):
        if token.type == "softbreak":
            token.type = "hardbreak"
        if token.type == "link_open" and _is_bare(tokens[number : number + 3]):
            skip_close = True
            continue
        if token.type == "link_close" and skip_close:
            skip_close = False
            continue
        yield token


def _is_bare(tokens: list[Token]) -> bool:
    href = str(tokens[0].attrs.get("href", ""))
    return len(tokens) == 3 and tokens[2].type == "link_close" and tokens[1].content in (href, href[7:])
