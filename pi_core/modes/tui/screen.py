"""The screen of the conversation: the log, and under it what is written, waits, and is to be known.

Touches: the screen.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from pi_core.modes.tui.editor.prompt_editor import PromptEditor
from pi_core.modes.tui.footer import Footer
from pi_core.modes.tui.keys import bindings_for
from pi_core.modes.tui.log.search_bar import SearchBar
from pi_core.modes.tui.log.view import ChatLog
from pi_core.modes.tui.slots import Slots
from pi_core.modes.tui.working import Working


class ChatScreen(Screen[None], inherit_bindings=False):
    """Puts the widgets in their places; what they do is the application's."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("chat")]
    DEFAULT_CSS: ClassVar[str] = """
    ChatScreen { background: $background; layers: base; }
    #prompt-row {
        height: auto;
        margin: 1 1 0 1;
        padding: 0 1;
        border: round $pi-border;
    }
    #prompt-row.-shell { border: round $success; }
    #prompt-sign { width: 2; height: 1; color: $pi-accent; }
    #prompt-row.-shell #prompt-sign { color: $success; }
    #more { height: 1; padding: 0 2; color: $pi-dim; display: none; }
    """

    def __init__(
        self,
        log: ChatLog,
        working: Working,
        editor: PromptEditor,
        footer: Footer,
        slots: Slots,
    ) -> None:
        super().__init__(id="chat")
        self.log_view = log
        self.working = working
        self.editor = editor
        self.footer = footer
        self.slots = slots
        self.search_bar = SearchBar(log)
        self.more = Static("", id="more", markup=False)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        areas = self.slots.areas
        yield areas["header"]
        yield self.log_view
        yield self.more
        yield self.search_bar
        yield self.working
        yield areas["above"]
        with Horizontal(id="prompt-row"):
            yield Static("›", id="prompt-sign", markup=False)
            yield self.editor
        yield areas["below"]
        yield self.footer
        yield areas["footer"]

    def on_mount(self) -> None:
        """Typing goes to the editor."""
        self.editor.focus()
