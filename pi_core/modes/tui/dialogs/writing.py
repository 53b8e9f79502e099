"""A text of several lines, to be written or changed.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import TextArea

from pi_core.clean import typed
from pi_core.modes.tui.dialogs.dialog import Dialog


class EditorDialog(Dialog[str]):
    """Answers with the text as it was left; None if it was left without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "done", show=False, priority=True, id="tui.input.submit"),
        Binding(
            "shift+enter,ctrl+j", "new_line", "a new line", show=False, priority=True, id="tui.input.newLine"
        ),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    EditorDialog {
        & > .frame { width: 100; }
        & TextArea {
            height: auto; min-height: 3; max-height: 20; border: none; padding: 0; background: $surface;
        }
        & TextArea:focus { border: none; }
    }
    """
    keys: ClassVar[str] = "enter sends · shift+enter a new line · escape leaves"

    def __init__(self, title: str, prefill: str = "") -> None:
        super().__init__(title)
        self._area = TextArea(typed(prefill), soft_wrap=True, compact=True, tab_behavior="indent")

    def body(self) -> Iterable[Widget]:
        """The text."""
        return [self._area]

    def on_mount(self) -> None:
        """Typing goes behind what stands there."""
        self._area.focus()
        self._area.move_cursor(self._area.document.end)

    def action_submit(self) -> None:
        """It is done; a backslash before the cursor asks for a new line instead."""
        row, column = self._area.cursor_location
        if column and self._area.document[row][column - 1] == "\\":
            self._area.delete((row, column - 1), (row, column))
            self.action_new_line()
            return
        self.dismiss(self._area.text)

    def action_new_line(self) -> None:
        """A line break at the cursor."""
        self._area.insert("\n")
