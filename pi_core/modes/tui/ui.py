"""The user interface that extensions are handed: what they show goes into the slots of the application.

Touches: the screen.
"""

from __future__ import annotations

from typing import Any, Final

from hookspecs.ui import Placement, Severity
from pi_core.extensions.headless import HeadlessUI
from pi_core.modes.tui.stage import Stage

DISPLAYS: Final = frozenset(
    {"notify", "set_status", "set_widget", "paste_to_editor", "set_editor_text", "get_editor_text"}
)


class TuiUI(HeadlessUI):
    """Implements `UI` over the application."""

    def __init__(self, stage: Stage) -> None:
        super().__init__("tui")
        self._stage = stage

    def can(self, method: str) -> bool:
        """Whether this method does something here."""
        return method in DISPLAYS

    def notify(self, message: str, level: Severity = "info") -> None:
        """A sentence in the log."""
        self._stage.desk.tell(message, level)

    def set_status(self, key: str, text: str | None) -> None:
        """A status in the footer."""
        self._stage.footer.set_status(key, text)

    def set_widget(self, key: str, content: Any, *, placement: Placement = "above") -> None:
        """Something above or below the editor; the same key moves with its place."""
        for place in ("above", "below"):
            if place != placement:
                self._stage.slots.set(place, key, None)
        self._stage.slots.set(placement, key, content)

    def paste_to_editor(self, text: str) -> None:
        """At the cursor."""
        self._stage.editor.paste_text(text)

    def set_editor_text(self, text: str) -> None:
        """In place of what stands there."""
        self._stage.editor.put(text)

    def get_editor_text(self) -> str:
        """With the pastes in it."""
        return self._stage.editor.whole_text
