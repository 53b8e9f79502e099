"""When something is proposed, and what becomes of it: the keyboard goes on, whatever takes its time.

Touches: the screen, and whatever providers of extensions touch.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from textual.document._document import Document

from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.modes.tui.completion.popup import Popup
from pi_core.modes.tui.completion.proposal import (
    MOST,
    Proposal,
    accepted,
    proposals_of,
    typing_at,
    word_start,
)
from pi_core.modes.tui.completion.sources import Sources
from pi_core.modes.tui.fuzzy import score
from pi_core.modes.tui.here import Here
from pi_core.modes.tui.keys import textual_keys

_NO_TYPING: Final = frozenset(
    ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape", "shift+enter")
)
LIMIT: Final = 100_000
"""In a longer text nothing is proposed."""


class Completing:
    """Fills the list after every key that types, and takes the keys that are its own while it is open."""

    def __init__(self, here: Here, popup: Popup) -> None:
        self._here = here
        self._popup = popup
        self._sources = Sources(here, self._again)
        self._typing = False
        self._number = 0
        self._filled_for: tuple[str, int] | None = None
        """The text and the cursor that the list is for."""
        self._left: str | None = None
        """The text at which the person closed the list."""

    # keys

    def take(self, key: str) -> bool:
        """Deal with a key while the list is open; see `Signals.keys`."""
        if not self._here.writes:
            self.close()
            return False
        if self._popup.is_open and self._act(key):
            return True
        chord = "ctrl+" in key or "alt+" in key
        if key == "tab" and not self._popup.is_open:
            return self._ask_by_tab()
        self._typing = not chord and key not in _NO_TYPING
        if not self._typing:
            self.close()
        return False

    def _act(self, key: str) -> bool:
        """What a key means to the open list; False if nothing."""
        if not self._is_for_this():
            return False
        if self._is(key, "tui.select.up"):
            self._popup.move(-1)
        elif self._is(key, "tui.select.down"):
            self._popup.move(1)
        elif self._is(key, "tui.select.cancel") and key != "ctrl+c":
            self._left = self._here.stage.editor.text
            self.close()
        elif self._is(key, "tui.input.tab"):
            self.accept()
        elif self._is(key, "tui.select.confirm"):
            return self._confirm()
        else:
            return False
        return True

    def _is_for_this(self) -> bool:
        """Whether the list is for what is written by now: keys may come faster than it is filled."""
        written = self._here.stage.editor.text, self._cursor()
        if self._filled_for != written:
            self.typed()
        if self._filled_for != written:
            self.close()
        return self._popup.is_open

    def _is(self, key: str, action: str) -> bool:
        return key in textual_keys(self._here.stage.keys.of(action))

    def _confirm(self) -> bool:
        """Take the marked one. Where that changes nothing the key is the editor's, and a command is sent."""
        editor, marked = self._here.stage.editor, self._popup.marked
        text, cursor = editor.text, self._cursor()
        if accepted(text, cursor, marked)[0].rstrip() == text.rstrip():
            self.close()
            return False
        self.accept()
        return not marked.sends

    def _ask_by_tab(self) -> bool:
        """Where a file may stand, tab proposes; elsewhere it is the editor's."""
        self._left = None
        self._typing = True
        if typing_at(self._here.stage.editor.text, self._cursor()) is None:
            return False
        self.typed()
        return True

    # proposing

    def typed(self) -> None:
        """Something was typed; see `Signals.typed`."""
        editor = self._here.stage.editor
        if not self._typing or not self._here.writes:
            self.close()
            return
        text = editor.text
        if len(text) > LIMIT or text == self._left or not text:
            self.close()
            return
        self._left = None
        self._number += 1
        cursor = self._cursor()
        typing = typing_at(text, cursor)
        completer = None
        if typing is not None and typing.kind == "argument":
            completer = self._sources.completer(typing)
        if completer is None and not self._here.stage.extras.completion_factories:
            self._fill(self._sources.propose(text, cursor), text, cursor)
            return
        self._here.desk.start(self._ask(self._number, text, cursor, completer), "propose")

    async def _ask(self, number: int, text: str, cursor: int, completer: Callable[[str], Any] | None) -> None:
        """Let extensions propose, too; what comes too late is dropped."""
        found = await self._chained(text, cursor)
        typing = typing_at(text, cursor)
        if completer is not None and typing is not None:
            offered = await self._guarded("complete", completer, typing.typed)
            own = proposals_of(offered, typing.start)
            found = [
                item for item in own if score(typing.typed, item.shown + " " + item.value) is not None
            ] + found
        if number == self._number and self._typing:
            self._fill(found[:MOST], text, cursor)

    async def _chained(self, text: str, cursor: int) -> list[Proposal]:
        """What we propose, as the providers of extensions let it through, each around the one before."""
        propose: Callable[[str, int], Any] = self._sources.propose
        for factory in self._here.stage.extras.completion_factories:
            try:
                made = factory(propose)
            except FAILURES as error:  # the others propose all the same
                pass_interrupt(error)
                self._here.stage.failed("add_autocomplete_provider", error)
                continue
            propose = made if callable(made) else propose
        if propose == self._sources.propose:
            return self._sources.propose(text, cursor)
        offered = await self._guarded("add_autocomplete_provider", propose, text, cursor)
        if offered is None:
            return self._sources.propose(text, cursor)
        return proposals_of(offered, word_start(text, cursor))

    async def _guarded(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of an extension answers; None if it fails, which is reported."""
        try:
            answer = function(*arguments)
            return await answer if inspect.isawaitable(answer) else answer
        except FAILURES as error:  # typing goes on
            pass_interrupt(error)
            self._here.stage.failed(what, error)
            return None

    def _again(self) -> None:
        """More is known than when it was asked."""
        if self._typing:
            self.typed()

    # the list

    def accept(self) -> None:
        """Put the marked proposal into the text."""
        editor = self._here.stage.editor
        marked, cursor = self._popup.marked, self._cursor()
        self.close()
        begin = self._document.get_location_from_index(min(marked.start, cursor))
        result = editor.replace(marked.value, begin, editor.cursor_location, maintain_selection_offset=False)
        editor.move_cursor(result.end_location)

    def _fill(self, proposals: list[Proposal], text: str, cursor: int) -> None:
        self._filled_for = text, cursor
        self._popup.fill(proposals)

    def close(self) -> None:
        """Nothing is proposed."""
        self._number += 1
        if self._popup.is_open:
            self._popup.fill(())

    def _cursor(self) -> int:
        editor = self._here.stage.editor
        return self._document.get_index_from_location(editor.cursor_location)

    @property
    def _document(self) -> Document:
        document = self._here.stage.editor.document
        assert isinstance(document, Document)
        return document
