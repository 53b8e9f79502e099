"""A tool call: one row that says what was done and how it went, and the head of what came of it.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from rich.console import Group, RenderableType
from rich.text import Text
from textual.strip import Strip

from hookspecs.definitions import ToolResult
from hookspecs.messages import ImageContent, text_of
from pi_core.clean import clean, clean_line, clean_output
from pi_core.modes.tui.blocks.call_text import call_summary
from pi_core.modes.tui.blocks.diff import diff_counts, diff_text
from pi_core.modes.tui.blocks.rendering import Renderers, RenderOptions
from pi_core.modes.tui.log.block import Block, indented
from pi_core.modes.tui.style.code import highlighted
from pi_core.modes.tui.style.look import Look

ToolState: TypeAlias = Literal["written", "running", "done", "failed", "dropped"]
"""The model still writes it, or it waits; it runs; it ended well, or badly; it never came to its end."""

HEAD: Final[Mapping[str, int]] = {"read": 0, "ls": 0, "find": 0, "grep": 0, "write": 0, "edit": 24, "bash": 6}
"""How many lines of the outcome stand under the row of a folded call."""
HEAD_OF_OTHERS: Final = 6
BODY_INDENT: Final = 4
_GLYPHS: Final[Mapping[ToolState, tuple[str, str]]] = {
    "written": ("○", "dim"),
    "running": ("◐", "accent"),
    "done": ("●", "success"),
    "failed": ("●", "error"),
    "dropped": ("○", "dim"),
}


class ToolBlock(Block):
    """One call from its first word to its result. Its fields are changed by the feed."""

    def __init__(self, name: str, renderers: Renderers) -> None:
        self.name = name
        self.args: Any = None
        self.state: ToolState = "written"
        self.result: ToolResult | None = None
        self.duration_ms: int | None = None
        self.written_chars = 0
        self._renderers = renderers

    @property
    def compact(self) -> bool:
        """Whether it is a row without a body, as a rule."""
        return HEAD.get(self.name, HEAD_OF_OTHERS) == 0

    def text(self) -> str:
        """The row and the whole outcome."""
        outcome = text_of(self.result.content) if self.result is not None else ""
        return f"{self.name} {call_summary(self.name, self.args)}\n{outcome}"

    def rows(self, width: int) -> int:
        """The row, and the head of the outcome."""
        head = HEAD.get(self.name, HEAD_OF_OTHERS)
        if self.result is None or not head:
            return 1
        source = self._diff() or text_of(self.result.content)
        return 1 + min(head + 1, source.count("\n", 0, 4000) + 1)

    def toggle(self, look: Look) -> bool:
        """Show all, or the head."""
        self.expanded = not self._is_expanded(look)
        return True

    def lines(self, width: int, look: Look) -> list[Strip]:
        """The row and the body."""
        expanded = self._is_expanded(look)
        strips = indented(look.lines(self._row(look), max(8, width - 4)))
        body = self._body(look, expanded)
        if body is not None:
            limit = max(8, width - BODY_INDENT - 2)
            strips += indented(look.lines(body, limit), BODY_INDENT)
        return strips

    def _is_expanded(self, look: Look) -> bool:
        return look.tools_expanded if self.expanded is None else self.expanded

    # the row

    def _row(self, look: Look) -> RenderableType:
        palette = look.palette
        own = self._renderers.call(self.name, self.args, palette) if self.args is not None else None
        glyph, token = _GLYPHS[self.state]
        row = Text(no_wrap=True, overflow="ellipsis")
        row.append(glyph + " ", palette[token])
        if isinstance(own, Text):
            return row + own
        if own is not None:
            return own
        row.append(clean_line(self.name), palette["toolTitle"])
        summary = call_summary(self.name, self.args)
        if summary:
            row.append(" " + summary, palette["muted"])
        for note in self._notes():
            row.append(f" · {note}", palette["dim"])
        return row

    def _notes(self) -> list[str]:
        notes = []
        if self.state == "written" and self.written_chars > 200:
            notes.append(f"{self.written_chars} characters")
        diff = self._diff()
        if diff:
            added, removed = diff_counts(diff)
            notes.append(f"+{added} −{removed}")
        elif self.compact and self.result is not None and not self.result.is_error:
            count = self._line_count()
            notes.append(f"{count} line{'s' * (count != 1)}")
        if self.duration_ms is not None and self.duration_ms >= 1000:
            notes.append(f"{self.duration_ms / 1000:.1f} s")
        return notes

    def _line_count(self) -> int:
        source = self._written() if self.name == "write" else self._outcome()
        return source.rstrip("\n").count("\n") + 1 if source.strip() else 0

    # the body

    def _body(self, look: Look, expanded: bool) -> RenderableType | None:
        result, palette = self.result, look.palette
        if result is not None:
            options = RenderOptions(expanded=expanded, is_partial=self.state == "running")
            own = self._renderers.result(self.name, result, options, palette)
            if own is not None:
                return own
        limit = None if expanded else HEAD.get(self.name, HEAD_OF_OTHERS)
        failed = result is not None and result.is_error
        if failed and limit is not None:
            limit = max(limit, HEAD_OF_OTHERS)
        parts: list[RenderableType] = []
        if expanded:
            parts += self._whole_call(look)
        diff = self._diff()
        if diff and not failed:
            text, hidden = diff_text(diff, palette, limit)
            parts += [text, *_more(hidden, look)]
        elif result is not None and limit != 0:
            parts += self._outcome_parts(look, limit, failed)
        return Group(*parts) if parts else None

    def _whole_call(self, look: Look) -> list[RenderableType]:
        """What the row could not hold: a long command, the text that is written."""
        args = self.args if isinstance(self.args, Mapping) else {}
        if self.name == "bash" and "\n" in str(args.get("command", "")):
            return [highlighted(clean(str(args["command"])), "bash", look.palette)]
        if self.name == "write" and self._written():
            suffix = str(args.get("path", "")).rpartition(".")[2]
            return [highlighted(clean(self._written()), suffix or "text", look.palette)]
        return []

    def _outcome_parts(self, look: Look, limit: int | None, failed: bool) -> list[RenderableType]:
        style = look.palette["error" if failed else "toolOutput"]
        lines = clean_output(self._outcome()).rstrip("\n").split("\n")
        if lines == [""]:
            return []
        hidden = 0 if limit is None else max(0, len(lines) - limit)
        if self.name == "bash" and hidden:  # the end of what a program says tells most
            shown = Text("\n".join(lines[hidden:]), style)
            return [*_more(hidden, look, "earlier"), shown]
        shown = Text("\n".join(lines[: len(lines) - hidden]), style)
        return [shown, *_more(hidden, look)]

    def _outcome(self) -> str:
        if self.result is None:
            return ""
        content = self.result.content
        images = 0 if isinstance(content, str) else sum(isinstance(block, ImageContent) for block in content)
        noted = f"[{images} image{'s' * (images > 1)}]" if images else ""
        return text_of(content) + (f"\n{noted}" if noted else "")

    def _written(self) -> str:
        content = self.args.get("content") if isinstance(self.args, Mapping) else None
        return content if isinstance(content, str) else ""

    def _diff(self) -> str:
        details = self.result.details if self.result is not None else None
        diff = details.get("diff") if isinstance(details, Mapping) else None
        return diff if isinstance(diff, str) else ""


def _more(hidden: int, look: Look, where: str = "more") -> list[RenderableType]:
    if not hidden:
        return []
    return [Text(f"… {hidden} {where} line{'s' * (hidden != 1)}", look.palette["dim"])]
