"""Keyed places around the editor into which extensions put what they want to show.

Each place holds things by key: the same key replaces, None clears. A thing is a text, a list of lines,
anything that rich can show, or a Textual widget. One that cannot be shown is replaced by a sentence
that names it.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias

from rich.console import Group, RenderableType
from rich.protocol import is_renderable
from rich.text import Text
from textual.containers import Vertical
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from pi_core.clean import clean, clean_line
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.modes.tui.budget import MAX_CHARS, cut, in_time
from pi_core.modes.tui.style.look import Look

Place: TypeAlias = Literal["header", "above", "below", "footer"]

MAX_LINES: Final = 10
"""Of a list of lines, so many are shown."""
MAX_ROWS: Final = 20
"""And so many rows of anything else that is no widget."""


class Shown(Widget):
    """Something that rich can show, laid out and guarded as everything else is."""

    DEFAULT_CSS: ClassVar[str] = """
    Shown { height: auto; width: 1fr; }
    """

    def __init__(
        self, key: str, content: RenderableType, look: Look, failed: Callable[[str, BaseException], None]
    ) -> None:
        super().__init__()
        self.key = key
        self._content = content
        self._look = look
        self._failed = failed
        self._laid: tuple[int, int, list[Strip]] | None = None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as it has."""
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """One of its rows."""
        lines = self._lines(self.size.width)
        strip = lines[y] if y < len(lines) else Strip([])
        return strip.crop_extend(0, self.size.width, None).apply_style(self.rich_style)

    def _lines(self, width: int) -> list[Strip]:
        laid = self._laid
        if laid is None or laid[:2] != (width, self._look.version):
            laid = self._laid = (width, self._look.version, self._lay_out(width))
        return laid[2]

    def _lay_out(self, width: int) -> list[Strip]:
        look = self._look
        try:
            lines = look.lines(self._content, width, in_time=in_time)
        except FAILURES as error:  # the others are shown whatever this one does
            pass_interrupt(error)
            self._failed(self.key, error)
            said = clean_line(f"{self.key} cannot be shown: {type(error).__name__}: {error}")
            return look.lines(Text(said, look.palette["error"], no_wrap=True, overflow="ellipsis"), width)
        if len(lines) > MAX_ROWS:
            more = Text(f"… {len(lines) - MAX_ROWS} more rows", look.palette["dim"])
            return [*lines[:MAX_ROWS], *look.lines(more, width)]
        return lines


class SlotArea(Vertical):
    """One place on the screen; as high as what is in it."""

    DEFAULT_CSS: ClassVar[str] = """
    SlotArea { height: auto; max-height: 50%; padding: 0 2; display: none; }
    """


class Slots:
    """What is in all the places. `areas` are made by the screen; `failed` is told what cannot be shown."""

    def __init__(self, look: Look, failed: Callable[[str, BaseException], None]) -> None:
        self.areas: dict[Place, SlotArea] = {
            place: SlotArea(id=f"slot-{place}") for place in ("header", "above", "below", "footer")
        }
        self._look = look
        self._failed = failed
        self._held: dict[tuple[Place, str], Widget] = {}

    def set(self, place: Place, key: str, content: Any) -> None:
        """Show something under a key, in the order in which keys first came; None takes it away."""
        old = self._held.pop((place, key), None)
        area = self.areas[place]
        if content is not None:
            widget = self._widget(key, content)
            self._held[(place, key)] = widget
            if old is not None and old.is_attached:
                area.mount(widget, before=old)
            else:
                area.mount(widget)
        if old is not None:
            old.remove()
        area.display = any(held == place for held, _ in self._held)

    def holds(self, place: Place) -> bool:
        """Whether anything is in a place."""
        return any(held == place for held, _ in self._held)

    def clear(self) -> None:
        """Nothing is in any place any more."""
        for place, key in tuple(self._held):
            self.set(place, key, None)

    def refresh(self) -> None:
        """The look has changed."""
        for widget in self._held.values():
            widget.refresh(layout=True)

    def _widget(self, key: str, content: Any) -> Widget:
        if isinstance(content, Widget):
            return content
        return Shown(key, shown(content), self._look, self._failed)


def shown(content: Any) -> RenderableType:
    """A thing as rich can show it: texts and lists of lines without anything that a terminal obeys."""
    if isinstance(content, str):
        return Text(clean(cut(content)))
    if isinstance(content, Text) and len(content) > MAX_CHARS:
        return content[:MAX_CHARS] + Text(f"… {len(content) - MAX_CHARS} more characters")
    if isinstance(content, Sequence) and all(isinstance(line, str) for line in content):
        lines = [clean_line(cut(line)) for line in content[:MAX_LINES]]
        hidden = len(content) - len(lines)
        return Text("\n".join([*lines, *([f"… {hidden} more lines"] if hidden else [])]))
    if isinstance(content, Sequence):
        return Group(*(shown(item) for item in content))
    if is_renderable(content):
        renderable: RenderableType = content
        return renderable
    return Text(clean(cut(str(content))))
