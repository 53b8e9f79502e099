"""Something to read, as long as it is: a text that scrolls.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from pi_core.clean import clean
from pi_core.modes.tui.dialogs.dialog import Dialog


class PanelDialog(Dialog[bool]):
    """Shows a text. Enter answers True, leaving it None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "done", "done", show=False, priority=True, id="tui.select.confirm"),
        Binding("up", "move(-1)", "a line up", show=False, id="tui.select.up"),
        Binding("down", "move(1)", "a line down", show=False, id="tui.select.down"),
        Binding("pageup", "page(-1)", "a page up", show=False, id="tui.select.pageUp"),
        Binding("pagedown", "page(1)", "a page down", show=False, id="tui.select.pageDown"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    PanelDialog {
        & > .frame { width: 100; }
        & .read { height: auto; max-height: 24; scrollbar-size-vertical: 1; }
    }
    """
    keys: ClassVar[str] = "↑↓ scroll · enter, escape leave"

    def __init__(self, title: str, text: str | Text) -> None:
        super().__init__(title)
        self._shown = Text(clean(text)) if isinstance(text, str) else text
        self._scroll = VerticalScroll(Static(self._shown, markup=False), classes="read", can_focus=False)

    def body(self) -> Iterable[Widget]:
        """The text."""
        return [self._scroll]

    def action_move(self, step: int) -> None:
        """A line up or down."""
        self._scroll.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self._scroll.scroll_relative(y=step * max(1, self._scroll.size.height - 1), animate=False)

    def action_done(self) -> None:
        """It was read."""
        self.dismiss(True)
