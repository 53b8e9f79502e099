"""What the keys of emacs do in the editor: cut, yank, turn the yanked piece over, jump to a letter.

Touches: the screen.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from textual import events
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from pi_core.modes.tui.editor.kill_ring import KillRing
from pi_core.modes.tui.editor.pasted import Pastes

Place = tuple[int, int]


class CuttingEditor(TextArea, inherit_bindings=False):
    """A text area with a kill ring. Signs of pastes are cut as a whole."""

    pastes: Pastes
    ring: KillRing
    _yanked: tuple[Place, Place] | None = None
    """Where the last yank stands."""
    _jumps: int = 0
    """The direction of the jump that waits for its letter."""

    # cutting

    async def action_cut_to_start(self) -> None:
        """Cut what stands in the line before the cursor."""
        await self._cut(self.action_delete_to_start_of_line, backward=True)

    async def action_cut_to_end(self) -> None:
        """Cut what stands in the line behind the cursor; at its end, the line break."""
        await self._cut(self.action_delete_to_end_of_line_or_delete_line, backward=False)

    async def action_cut_word_left(self) -> None:
        """Cut the word before the cursor, or the whole sign of a paste."""
        self.select_sign()
        await self._cut(self.action_delete_word_left, backward=True)

    async def action_cut_word_right(self) -> None:
        """Cut the word behind the cursor."""
        await self._cut(self.action_delete_word_right, backward=False)

    async def _cut(self, delete: Callable[[], Awaitable[None] | None], *, backward: bool) -> None:
        before = self.text
        done = delete()
        if inspect.isawaitable(done):
            await done
        at, gone = self._index(self.cursor_location), len(before) - len(self.text)
        self.ring.cut(before[at : at + gone], backward=backward)

    def select_sign(self) -> None:
        """Select the sign of a paste that ends at the cursor, so that it goes as one."""
        row, column = self.cursor_location
        span = self.pastes.sign_at(self.document[row], column) if self.selection.is_empty else None
        if span is not None:
            self.selection = Selection((row, span[0]), (row, span[1]))

    # yanking

    def action_yank(self) -> None:
        """Put back what was cut last."""
        piece = self.ring.yank()
        if piece:
            self._insert(piece, *self.selection)

    def action_yank_pop(self) -> None:
        """Put what was cut before in the place of what was just yanked."""
        piece = self.ring.turn()
        if piece is not None and self._yanked is not None and self._yanked[1] == self.cursor_location:
            self._insert(piece, *self._yanked)

    def _insert(self, piece: str, start: Place, end: Place) -> None:
        first, last = sorted((start, end))
        result = self._replace_via_keyboard(piece, first, last)
        self._yanked = None if result is None else (first, result.end_location)

    # jumping

    def action_jump(self, direction: int) -> None:
        """The next letter that is typed is gone to, forwards or backwards."""
        self._jumps = direction

    def takes_letter(self, event: events.Key, run: str | None) -> bool:
        """Whether a key belongs to the jump that was asked for: its letter, or what calls it off."""
        direction, self._jumps = self._jumps, 0
        if not direction:
            return False
        if event.is_printable and event.character is not None:
            text, at = self.text, self._index(self.cursor_location)
            letter = event.character
            found = text.find(letter, at + 1) if direction > 0 else text.rfind(letter, 0, at)
            if found >= 0:
                self.move_cursor((text.count("\n", 0, found), found - text.rfind("\n", 0, found) - 1))
            return True
        return event.key == "escape" or (run or "").startswith("jump(")

    def _index(self, place: Place) -> int:
        row, column = place
        return sum(len(line) + 1 for line in self.document.lines[:row]) + column
