"""What the keys of the conversation do, by the names that the bindings call.

Touches: the screen, the clipboard, the session.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pi_core.modes.tui.pasting import paste_clipboard
from pi_core.modes.tui.screen import ChatScreen

if TYPE_CHECKING:
    from textual.app import App

    from hookspecs.ui import Severity
    from pi_core.modes.tui.attached import Attached
    from pi_core.modes.tui.editor.prompt_editor import PromptEditor
    from pi_core.modes.tui.log.view import ChatLog
    from pi_core.modes.tui.style.look import Look

    Base = App[int]
else:
    Base = object

ONCE_MORE: Final = "Once more to quit."
TWICE_S: Final = 1.0
"""Two presses within so many seconds are one wish."""


class Actions(Base):
    """A part of the application: `PiApp` has what is used here."""

    look: Look
    log_view: ChatLog
    editor: PromptEditor
    attached: Attached | None
    environ: Mapping[str, str] = MappingProxyType({})
    _cleared_s: float = -TWICE_S

    def tell(self, message: str, level: Severity = "info") -> None:
        """Say something to the person."""
        raise NotImplementedError

    def quit(self) -> None:
        """End in order."""
        raise NotImplementedError

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        """Begin some work; what it raises is shown."""
        raise NotImplementedError

    # the run

    def action_interrupt(self) -> None:
        """Stop what goes on; what waited goes back into the editor."""
        if self.attached is not None and self.attached.conversation.stop():
            self.action_dequeue()

    def action_dequeue(self) -> None:
        """Take what waits back into the editor, before what stands there."""
        if self.attached is None:
            return
        waiting = self.attached.conversation.take_back()
        if waiting:
            written = self.editor.whole_text
            self.editor.put(f"{waiting}\n\n{written}" if written.strip() else waiting)

    def action_clear(self) -> None:
        """Copy what is selected on the screen; else empty the editor; pressed again, end."""
        if self._copy_selected():
            return
        now = monotonic()
        if not self.editor.text and now - self._cleared_s < TWICE_S:
            self.quit()
            return
        if not self.editor.text:
            self._tell_once_more()
        self._cleared_s = now
        self.editor.empty()

    def _copy_selected(self) -> bool:
        """Copy what is selected in the conversation, or in the editor. False if nothing is."""
        selected = self.screen.get_selected_text() or self.editor.selected_text
        if selected:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
            self.editor.move_cursor(self.editor.cursor_location)
        return bool(selected)

    def action_paste_image(self) -> None:
        """Attach the image that the clipboard has, or put its text into the editor."""
        if self.attached is not None:
            settings = self.attached.runtime.session.parts.settings
            self.start(paste_clipboard(settings, self.editor, self.environ, self.tell), "paste")

    def _tell_once_more(self) -> None:
        """One such notice at the end is enough."""
        last = self.log_view.blocks[-1:]
        if not last or last[0].text() != ONCE_MORE:
            self.tell(ONCE_MORE)

    def action_exit_if_empty(self) -> None:
        """End, if nothing is written; else delete to the right, as everywhere."""
        if self.editor.text:
            self.editor.action_delete_right()
        else:
            self.quit()

    def action_cycle_thinking(self) -> None:
        """The next thinking level of the model."""
        if self.attached is None:
            return
        session = self.attached.runtime.session
        if session.cycle_thinking_level() is None:
            self.tell(f"{session.model.id} has one thinking level.")
        self.attached.refresh_facts()

    def action_cycle_model(self, direction: int) -> None:
        """The next model that can be used, or the one before."""
        if self.attached is not None:
            self.start(self._cycle_model(self.attached, direction), "switch the model")

    async def _cycle_model(self, attached: Attached, direction: int) -> None:
        if await attached.runtime.session.cycle_model(direction) is None:
            self.tell("There is no other model to switch to; /login gives a provider its key.")
        attached.refresh_facts()

    def action_call_command(self, name: str) -> None:
        """What a slash command does, by a key."""
        if self.attached is not None:
            self.start(self.attached.conversation.send(f"/{name}"), name)

    # the log

    def action_toggle_tools(self) -> None:
        """All of what tools did, or the head of it."""
        self.look.expand_tools(not self.look.tools_expanded)
        self.log_view.fold_all()
        self.log_view.restyle()

    def action_toggle_thinking(self) -> None:
        """Show thoughts, or fold them."""
        self.look.show_thinking(not self.look.thinking_shown)
        self.log_view.restyle()

    def action_scroll_page(self, direction: int) -> None:
        """A page up or down, two lines of it kept in sight."""
        self.log_view.move(direction * max(1, self.log_view.size.height - 2))

    def action_scroll_half(self, direction: int) -> None:
        """Half a page up or down."""
        self.log_view.move(direction * max(1, self.log_view.size.height // 2))

    def action_scroll_line(self, direction: int) -> None:
        """A line up or down."""
        self.log_view.move(direction)

    def action_scroll_top(self) -> None:
        """The beginning."""
        if self.log_view.blocks:
            self.log_view.show_block(0)

    def action_scroll_bottom(self) -> None:
        """The end, and what comes."""
        self.log_view.show_end()

    def action_jump_prompt(self, direction: int) -> None:
        """The prompt before, or after, what is at the upper edge."""
        here = self.log_view.top_place
        places = [block.place for block in self.log_view.blocks if block.is_prompt]
        if direction < 0:
            before = [place for place in places if place < here]
            if before:
                self.log_view.show_block(before[-1])
            return
        after = [place for place in places if place > here]
        if after:
            self.log_view.show_block(after[0])
        else:
            self.log_view.show_end()

    def action_search(self) -> None:
        """Open the search."""
        screen = self.screen
        if isinstance(screen, ChatScreen):
            screen.search_bar.open()

    def action_copy_answer(self) -> None:
        """The last answer into the clipboard, as the model wrote it."""
        text = self.attached and self.attached.runtime.session.last_assistant_text()
        if not text:
            self.tell("There is no answer to copy yet.")
            return
        self.copy_to_clipboard(text)
        self.notify("Copied.", timeout=2, markup=False)
