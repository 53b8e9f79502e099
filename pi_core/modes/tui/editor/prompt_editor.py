"""The editor: several lines, enter sends, up and down call earlier prompts back, long pastes are folded.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.message import Message

from hookspecs.messages import ImageContent
from pi_core.clean import typed
from pi_core.modes.tui.editor.cutting import CuttingEditor
from pi_core.modes.tui.editor.kill_ring import KillRing
from pi_core.modes.tui.editor.pasted import Pastes
from pi_core.modes.tui.editor.recalled import Recalled
from pi_core.modes.tui.keys import Keys, bindings_for

ROWS: Final = 12
"""It grows up to so many lines, and scrolls from there on."""


class PromptEditor(CuttingEditor, inherit_bindings=False):
    """Where a person writes. It tells what is sent; whoever listens decides what becomes of it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("editor")]
    DEFAULT_CSS: ClassVar[str] = f"""
    PromptEditor {{
        height: auto;
        max-height: {ROWS};
        border: none;
        padding: 0;
        background: $background;
        color: $foreground;
        scrollbar-size-vertical: 1;
        &:focus {{ border: none; }}
        & .text-area--cursor-line {{ background: transparent; }}
        & .text-area--placeholder {{ color: $pi-dim; }}
    }}
    """

    class Submitted(Message):
        """Something is sent. `text` has the pastes in it, `shown` is what stood in the editor."""

        def __init__(
            self, text: str, shown: str, *, follow_up: bool, images: Sequence[ImageContent] = ()
        ) -> None:
            super().__init__()
            self.images = images
            self.text = text
            self.shown = shown
            self.follow_up = follow_up

    def __init__(self, *, keys: Keys | None = None, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(
            soft_wrap=True,
            compact=True,
            highlight_cursor_line=False,
            show_line_numbers=False,
            tab_behavior="focus",
            placeholder=placeholder,
            id=id,
        )
        self.keys = keys or Keys()
        self.pastes = Pastes()
        self.recalled = Recalled()
        self.busy = False
        """Whether something goes on: the key for follow-ups sends then, and begins a line otherwise."""
        self.ring = KillRing()

    # its text

    @property
    def whole_text(self) -> str:
        """What would be sent: with the pastes in it."""
        return self.pastes.unfold(self.text)

    def put(self, text: str) -> None:
        """Another text in place of the present one; the cursor goes behind it."""
        self.text = typed(text)
        self.move_cursor(self.document.end)

    def paste_text(self, text: str) -> None:
        """Put a text at the cursor, as if the person had pasted it."""
        self.ring.next_key()
        result = self._replace_via_keyboard(self.pastes.fold(typed(text)), *self.selection)
        if result is not None:
            self.move_cursor(result.end_location)

    def attach(self, image: ImageContent) -> None:
        """Put the sign of an image at the cursor; it is sent with the prompt while it stands there."""
        self._replace_via_keyboard(self.pastes.add_image(image), *self.selection)

    def empty(self) -> None:
        """Nothing stands in it any more, and nothing is kept of what was pasted."""
        self.text = ""
        self.pastes.clear()

    # what keys do

    def action_submit(self) -> None:
        """Send, unless there is nothing; a backslash before the cursor asks for a new line instead."""
        row, column = self.cursor_location
        if column and self.document[row][column - 1 : column] == "\\" and self.selection.is_empty:
            self.delete((row, column - 1), (row, column))
            self.action_new_line()
            return
        self._send(follow_up=False)

    def action_follow_up(self) -> None:
        """Send for when what goes on is over; a new line if nothing does."""
        if self.busy:
            self._send(follow_up=True)
        else:
            self.action_new_line()

    def _send(self, *, follow_up: bool) -> None:
        shown = self.text
        text = self.whole_text
        if not text.strip():
            return
        self.recalled.add(text if len(text) < 10_000 else shown)
        self.empty()
        images = self.pastes.images_in(shown)
        self.post_message(self.Submitted(text.strip(), shown, follow_up=follow_up, images=images))

    def action_new_line(self) -> None:
        """A line break at the cursor."""
        self._replace_via_keyboard("\n", *self.selection)

    def action_up(self) -> None:
        """A line up; from the first line to the prompt before."""
        if self.cursor_at_first_line and not self.wrapped_document.location_to_offset(self.cursor_location).y:
            self.action_history(-1)
        else:
            self.action_cursor_up()

    def action_down(self) -> None:
        """A line down; from the last line to the next prompt."""
        offset = self.wrapped_document.location_to_offset(self.cursor_location).y
        if offset >= self.wrapped_document.height - 1:
            self.action_history(1)
        else:
            self.action_cursor_down()

    def action_history(self, step: int) -> None:
        """An earlier or a later prompt."""
        found = self.recalled.older(self.text) if step < 0 else self.recalled.newer()
        if found is not None:
            self.put(found)

    def action_delete_left(self) -> None:
        """A character, or the whole sign of a paste."""
        self.select_sign()
        super().action_delete_left()

    async def _on_key(self, event: events.Key) -> None:
        """Letters are typed; keys that call something call it here and now.

        As bindings they would be looked up after the key went through all widgets around, and what is
        typed fast would overtake them.
        """
        focused = self.app.focused
        if focused is not None and focused is not self:  # the key before this one went elsewhere
            event.stop()
            event.prevent_default()
            focused.post_message(events.Key(event.key, event.character))
            return
        run = self.keys.run_of(event.key)
        self.ring.next_key()
        if self.takes_letter(event, run):
            event.stop()
            event.prevent_default()
        elif run is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(run)
        elif event.key == "enter" or not event.is_printable:
            event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.paste_text(event.text)
