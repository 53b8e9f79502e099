"""What is read: the words of the person, of the model, and the thoughts behind them.

Pure.
"""

from __future__ import annotations

from typing import Final

from rich.console import RenderableType
from rich.segment import Segment
from rich.text import Text
from textual.strip import Strip

from hookspecs.values import dataclass
from pi_core.clean import clean
from pi_core.modes.tui.blocks.chunks import Chunk
from pi_core.modes.tui.log.block import INDENT, Block, indented, prose_width, wrapped_rows
from pi_core.modes.tui.style.look import Look

SHOWN_LINES: Final = 24
"""Lines of a prompt that are shown; the rest unfolds."""
MOST_CHARS: Final = 400_000
"""No more of a prompt is ever laid out."""
HEADLINE: Final = 72


class PromptBlock(Block):
    """What a person said, on a ground of its own. `images` come with it; `label` says how it waits."""

    is_prompt = True

    def __init__(self, said: str, images: int = 0, label: str = "") -> None:
        self._said = said
        self._images = images
        self._label = label

    def text(self) -> str:
        """The words."""
        return self._said

    def rows(self, width: int) -> int:
        """The words and what is noted under them."""
        return min(SHOWN_LINES + 1, wrapped_rows(self._said[:4000], prose_width(width) - 2)) + bool(
            self._images
        )

    def toggle(self, look: Look) -> bool:
        """A long prompt unfolds."""
        if self._said.count("\n") < SHOWN_LINES:
            return False
        self.expanded = not self.expanded
        return True

    def lines(self, width: int, look: Look) -> list[Strip]:
        """A bar at the left, the ground across."""
        palette, inner = look.palette, max(4, width - 2 * INDENT - 2)
        ground = palette.over("userMessageText", "userMessageBg")
        strips = look.lines(self._shown(look), min(inner, prose_width(width)))
        bar = Segment("▌", palette.over("accent", "userMessageBg"))
        blank, pad = Segment(" " * INDENT), Segment(" ", ground)
        laid = []
        for strip in strips:
            filled = strip.adjust_cell_length(inner).apply_style(ground)
            laid.append(Strip([blank, bar, pad, *filled]))
        return laid

    def _shown(self, look: Look) -> Text:
        palette = look.palette
        said = clean(self._said[:MOST_CHARS])
        hidden = 0
        if not self.expanded:
            lines = said.split("\n")
            hidden = max(0, len(lines) - SHOWN_LINES)
            said = "\n".join(lines[:SHOWN_LINES])
        text = Text(said)
        if hidden:
            text.append(f"\n… {hidden} more lines", palette["dim"])
        if self._images:
            text.append(f"\n[{self._images} image{'s' * (self._images > 1)}]", palette["muted"])
        if self._label:
            text.append(f"\n{self._label}", palette["dim"])
        return text


class AnswerBlock(Block):
    """A chunk of what a model answered."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk

    @property
    def gap(self) -> bool:  # type: ignore[override]  # a property in place of the attribute
        """None where a text was cut inside a list or code."""
        return not self._chunk.joined

    def change(self, chunk: Chunk) -> None:
        """It has grown."""
        self._chunk = chunk

    def text(self) -> str:
        """As it was written."""
        return self._chunk.text

    def lines(self, width: int, look: Look) -> list[Strip]:
        """Markdown; what cannot be read as such stands as it is."""
        text = self._chunk.text
        if not text.strip():
            return []
        return indented(
            _without_blank_start(look.lines(read_markdown(clean(text), look), prose_width(width)))
        )


@dataclass(slots=True)
class Fold:
    """What the chunks of one thought share: whether the person wants to see it, and how it is going."""

    expanded: bool | None = None
    ended: bool = False


class ThoughtBlock(Block):
    """A chunk of what a model thought. Folded, the first one is a line and the others are nothing."""

    def __init__(self, chunk: Chunk, fold: Fold, *, first: bool) -> None:
        self._chunk = chunk
        self._fold = fold
        self._first = first

    @property
    def gap(self) -> bool:  # type: ignore[override]  # as above
        """As the text was cut."""
        return not self._chunk.joined

    def change(self, chunk: Chunk) -> None:
        """It has grown."""
        self._chunk = chunk

    def text(self) -> str:
        """As it was written."""
        return self._chunk.text

    def rows(self, width: int) -> int:
        """Thoughts are folded more often than not."""
        return 1 if self._first else 0

    def toggle(self, look: Look) -> bool:
        """All chunks of the thought unfold."""
        self._fold.expanded = not self._shown(look)
        return True

    def lines(self, width: int, look: Look) -> list[Strip]:
        """The text, or a line that says that there is one."""
        palette = look.palette
        if self._shown(look):
            style = palette["thinkingText"]
            body = look.lines(
                read_markdown(clean(self._chunk.text), look, "thinkingText"), prose_width(width)
            )
            return indented([strip.apply_style(style) for strip in body])
        if not self._first:
            return []
        label = Text(no_wrap=True, overflow="ellipsis")
        label.append("▸ " if self._fold.ended else "▹ ", palette["dim"])
        label.append(look.thinking_label, palette["thinkingText"])
        headline = _headline(self._chunk.text)
        if headline:
            label.append(f"  {headline}", palette["dim"])
        return indented(look.lines(label, prose_width(width)))

    def _shown(self, look: Look) -> bool:
        return look.thinking_shown if self._fold.expanded is None else self._fold.expanded


def read_markdown(text: str, look: Look, style: str = "") -> RenderableType:
    """The text as Markdown; as it is where that cannot be made of it."""
    from pi_core.modes.tui.blocks.markdown import Document  # the screen is there before it is needed

    try:
        return Document(text, look.palette, style=look.style(style) if style else "none")
    except (ValueError, RecursionError):
        return Text(text)


def _without_blank_start(strips: list[Strip]) -> list[Strip]:
    """Tables and nested lists are laid out with an empty line before them; the log has its own gaps."""
    while strips and not strips[0].text.strip():
        strips = strips[1:]
    return strips


def _headline(text: str) -> str:
    """The first line that says something, shortened."""
    for line in text[:1000].split("\n"):
        bare = clean(line).strip(" *#_-")
        if bare:
            return bare if len(bare) <= HEADLINE else bare[: HEADLINE - 1] + "…"
    return ""
