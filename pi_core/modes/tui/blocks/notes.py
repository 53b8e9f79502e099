"""What stands between the words: messages of extensions, shell commands, summaries, notices.

Pure.
"""

from __future__ import annotations

from typing import Final

from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from hookspecs.messages import BashExecutionMessage, CustomMessage, text_of
from pi_core.clean import clean, clean_line, clean_output
from pi_core.history.entries import CustomEntry
from pi_core.modes.tui.blocks.prose import read_markdown
from pi_core.modes.tui.blocks.rendering import Renderers, RenderOptions
from pi_core.modes.tui.log.block import Block, indented, prose_width, with_edge
from pi_core.modes.tui.style.look import Look
from pi_core.modes.tui.style.palette import Palette

BOLD: Final = Style(bold=True)
SHELL_LINES: Final = 20
"""Lines of a command's output that are shown; the rest unfolds."""


class CustomBlock(Block):
    """A message of an extension, shown by its renderer or under its type."""

    def __init__(self, message: CustomMessage, renderers: Renderers) -> None:
        self._message = message
        self._renderers = renderers

    def text(self) -> str:
        """The words."""
        return text_of(self._message.content)

    def toggle(self, look: Look) -> bool:
        """A renderer may have more to show."""
        self.expanded = not (look.tools_expanded if self.expanded is None else self.expanded)
        return True

    def lines(self, width: int, look: Look) -> list[Strip]:
        """As the renderer wants, else the type and the text as Markdown."""
        expanded = look.tools_expanded if self.expanded is None else self.expanded
        own = self._renderers.message(self._message, RenderOptions(expanded=expanded), look.palette)
        if own is not None:
            return indented(look.lines(own, max(8, width - 4)))
        palette = look.palette
        label = Text(clean_line(self._message.custom_type), palette["customMessageLabel"])
        body = read_markdown(clean(self.text()), look)
        strips = look.lines(Group(label, body), max(8, prose_width(width) - 2))
        return indented(with_edge(strips, "┃ ", palette["customMessageLabel"]))


class EntryBlock(Block):
    """An entry of an extension that has a renderer; without one it is not shown."""

    def __init__(self, entry: CustomEntry, renderers: Renderers) -> None:
        self._entry = entry
        self._renderers = renderers

    def text(self) -> str:
        """Nobody knows its words."""
        return ""

    def rows(self, width: int) -> int:
        """Unknown until it is shown."""
        return 1

    def lines(self, width: int, look: Look) -> list[Strip]:
        """As the renderer wants."""
        own = self._renderers.entry(self._entry, RenderOptions(expanded=look.tools_expanded), look.palette)
        return [] if own is None else indented(look.lines(own, max(8, width - 4)))


class ShellBlock(Block):
    """A command that the person ran, with what it said."""

    def __init__(self, message: BashExecutionMessage, *, running: bool = False) -> None:
        self.message = message
        self.running = running

    def text(self) -> str:
        """Command and output."""
        return f"$ {self.message.command}\n{self.message.output}"

    def rows(self, width: int) -> int:
        """The command and the end of the output."""
        return 2 + min(SHELL_LINES, self.message.output.count("\n", 0, 10_000) + 1)

    def toggle(self, look: Look) -> bool:
        """Show all of the output, or the end."""
        self.expanded = not (look.tools_expanded if self.expanded is None else self.expanded)
        return True

    def lines(self, width: int, look: Look) -> list[Strip]:
        """The command, the output, and how it ended where that says something."""
        expanded = look.tools_expanded if self.expanded is None else self.expanded
        strips = look.lines(Group(*self._parts(look.palette, expanded)), max(8, width - 6))
        return indented(with_edge(strips, "┃ ", look.palette["bashMode"]))

    def _parts(self, palette: Palette, expanded: bool) -> list[RenderableType]:
        message = self.message
        parts: list[RenderableType] = [Text(f"$ {clean(message.command)}", palette["bashMode"] + BOLD)]
        lines = clean_output(message.output).rstrip("\n").split("\n")
        hidden = 0 if expanded else max(0, len(lines) - SHELL_LINES)
        if hidden:
            parts.append(Text(f"… {hidden} earlier lines", palette["dim"]))
        if lines != [""]:
            parts.append(Text("\n".join(lines[hidden:]), palette["toolOutput"]))
        ending = shell_ending(message, running=self.running)
        if ending:
            parts.append(Text(ending, palette["dim"]))
        return parts


def shell_ending(message: BashExecutionMessage, *, running: bool) -> str:
    """How a command ended, where it is not just over."""
    if running:
        return "running · escape stops it"
    notes = []
    if message.cancelled:
        notes.append("stopped")
    elif message.exit_code:
        notes.append(f"exit {message.exit_code}")
    if message.truncated and message.full_output_path:
        notes.append(f"all of it: {clean_line(message.full_output_path)}")
    if message.exclude_from_context:
        notes.append("not told to the model")
    return " · ".join(notes)


class SummaryBlock(Block):
    """What stands for an earlier part of the conversation: a title, and the text when it is unfolded."""

    def __init__(self, title: str, summary: str) -> None:
        self._title = title
        self._summary = summary

    def text(self) -> str:
        """Title and summary."""
        return f"{self._title}\n{self._summary}"

    def rows(self, width: int) -> int:
        """It is folded more often than not."""
        return 1

    def toggle(self, look: Look) -> bool:
        """Show the summary, or the title alone."""
        self.expanded = not (look.tools_expanded if self.expanded is None else self.expanded)
        return True

    def lines(self, width: int, look: Look) -> list[Strip]:
        """The title across, and the text under it."""
        expanded = look.tools_expanded if self.expanded is None else self.expanded
        palette = look.palette
        title = Text("── ", palette["border"], no_wrap=True, overflow="ellipsis")
        title.append(clean_line(self._title), palette["muted"])
        title.append(" " + "─" * max(0, prose_width(width) - len(self._title) - 4), palette["border"])
        strips = indented(look.lines(title, prose_width(width)))
        if expanded:
            strips += indented(look.lines(read_markdown(clean(self._summary), look), prose_width(width)))
        return strips
