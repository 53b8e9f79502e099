"""Yes or no, and a line of text.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from pi_core.clean import clean_line
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.dialog import Dialog


class ConfirmDialog(ChoiceDialog[bool]):
    """Answers True or False; None if it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "say(True)", "yes", show=False),
        Binding("n", "say(False)", "no", show=False),
    ]
    keys: ClassVar[str] = "y yes · n no · escape leaves"

    def __init__(self, title: str, message: str = "", *, limit_s: float | None = None) -> None:
        choices = [Choice("Yes", True), Choice("No", False)]
        super().__init__(title, choices, message, limit_s=limit_s)

    def action_say(self, answer: bool) -> None:
        """By a letter."""
        self.dismiss(answer)


class InputDialog(Dialog[str]):
    """Answers with a line of text, which may be empty; None if it was left.

    `secret` shows no letter, `value` stands there at first.
    """

    DEFAULT_CSS: ClassVar[str] = """
    InputDialog {
        & Input { height: 1; border: none; padding: 0; background: $surface; }
        & Input:focus { border: none; }
    }
    """
    keys: ClassVar[str] = "enter sends · escape leaves"

    def __init__(
        self,
        title: str,
        placeholder: str | None = None,
        message: str = "",
        *,
        secret: bool = False,
        value: str = "",
        limit_s: float | None = None,
    ) -> None:
        super().__init__(title, message, limit_s=limit_s)
        self._input = Input(
            clean_line(value), placeholder=clean_line(placeholder or ""), password=secret, compact=True
        )

    def body(self) -> Iterable[Widget]:
        """The line."""
        return [self._input]

    def on_mount(self) -> None:
        """Typing goes there."""
        self._input.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """It is sent."""
        event.stop()
        self.dismiss(event.value)
