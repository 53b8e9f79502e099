"""The search in the conversation: a line to type into, and a place after another in sight.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from pi_core.modes.tui.keys import bindings_for
from pi_core.modes.tui.log.block import Block
from pi_core.modes.tui.log.view import ChatLog


def places_of(blocks: Sequence[Block], sought: str) -> list[int]:
    """The blocks that hold a text, whatever its case; empty for an empty one."""
    wanted = sought.lower()
    return [place for place, block in enumerate(blocks) if wanted and wanted in block.text().lower()]


class SearchBar(Horizontal):
    """Looks from the end backwards. While it is open, what was found is marked in the log."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("search")]
    DEFAULT_CSS: ClassVar[str] = """
    SearchBar {
        height: 1; margin: 0 2; display: none; background: $surface;
        & Static { width: auto; color: $pi-muted; padding: 0 1; }
        & Input { width: 1fr; height: 1; border: none; padding: 0; background: $surface; }
        & Input:focus { border: none; }
    }
    """

    class Closed(Message):
        """It is over."""

    def __init__(self, log: ChatLog) -> None:
        super().__init__(id="search")
        self._log = log
        self._input = Input(placeholder="search the conversation", compact=True)
        self._count = Static("", markup=False)
        self._places: list[int] = []
        self._at = -1

    def compose(self) -> ComposeResult:
        """The word, the line, the count."""
        yield Static("search", markup=False)
        yield self._input
        yield self._count

    def open(self) -> None:
        """Begin, or go on with what was sought before."""
        self.display = True
        self.screen.set_focus(self._input)  # at once: what is typed next is sought
        self._input.action_select_all()
        self._look()

    def action_close(self) -> None:
        """End it; the log stays where it is."""
        self.display = False
        self._log.found = ""
        self._log.refresh()
        self.post_message(self.Closed())

    def action_next(self) -> None:
        """Further back: the next older place."""
        self._step(-1)

    def action_previous(self) -> None:
        """Nearer to the end."""
        self._step(1)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another text is sought."""
        event.stop()
        self._look()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter belongs to the line itself: it means the next place."""
        event.stop()
        self.action_next()

    def _look(self) -> None:
        self._log.found = self._input.value.lower()
        self._places = places_of(self._log.blocks, self._input.value)
        self._at = len(self._places) - 1
        self._show()

    def _step(self, step: int) -> None:
        if self._places:
            self._at = (self._at + step) % len(self._places)
            self._show()

    def _show(self) -> None:
        if self._places:
            place = self._places[self._at]
            lines = self._log.places_in(place)
            found = (number for number, line in enumerate(lines) if self._log.found in line.lower())
            self._log.show_block(place, next(found, 0), above=self._log.size.height // 3)
        self._log.refresh()
        self._count.update(self._said())

    def _said(self) -> str:
        if not self._places:
            return "nothing" if self._input.value else ""
        return f"{len(self._places) - self._at} of {len(self._places)}"
