"""Commands after which one goes on elsewhere: in a new conversation, another, a copy, or on another branch.

Touches: the screen, the session, session files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from hookspecs.messages import UserMessage, text_of
from pi_core.history.entries import MessageEntry
from pi_core.history.names import project_folder
from pi_core.history.store import SessionStore
from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.dialog import one_line
from pi_core.modes.tui.dialogs.questions import InputDialog
from pi_core.modes.tui.here import Here
from pi_core.modes.tui.pickers.sessions import SessionPicker, Shelf
from pi_core.modes.tui.pickers.tree import TreePicker

Leaving = Literal["plainly", "summarised", "instructed"]
_LEAVINGS: Final[tuple[tuple[str, Leaving], ...]] = (
    ("No summary", "plainly"),
    ("Summarise what is left", "summarised"),
    ("Summarise with instructions", "instructed"),
)


class ReplacingCommands:
    """Each asks where to go, and goes there."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        rows = (
            ("new", self.new, "begin a new conversation"),
            ("resume", self.resume, "go on with another conversation, from a list"),
            ("fork", self.fork, "go on in a copy from an earlier prompt, which can be changed"),
            ("clone", self.clone, "go on in a copy of the whole conversation"),
            ("tree", self.tree, "walk in the tree of this conversation, and go on from any entry"),
        )
        return tuple(BuiltinCommand(name=name, run=run, description=about) for name, run, about in rows)

    async def new(self, desk: Desk, _: str) -> None:
        """A conversation with nothing in it. Raises: AgentError."""
        if (await desk.runtime.new_session()).cancelled:
            desk.tell("An extension keeps this conversation open.", "warning")

    async def resume(self, desk: Desk, args: str) -> None:
        """The conversation of a file, or one from the list. Raises: AgentError."""
        path = Path(args).expanduser() if args else await self._chosen_session()
        if path is None:
            return
        if str(path) == self._here.store.session_file and not self._here.session.is_disposed:
            desk.tell("This conversation is open already.")
        elif (await desk.runtime.switch_session(path)).cancelled:
            desk.tell("An extension keeps this conversation open.", "warning")

    async def _chosen_session(self) -> Path | None:
        here = self._here
        store = here.store
        present = None if store.session_file is None else Path(store.session_file)
        picker = SessionPicker(
            shelf_of(store, here.locations.sessions_dir), present, here.session.set_session_name
        )
        info = await here.desk.open_dialog(picker)
        return None if info is None else info.path

    async def fork(self, desk: Desk, _: str) -> None:
        """A copy that ends before a prompt, which comes into the editor. Raises: AgentError."""
        prompts = prompts_of(self._here.store)
        if not prompts:
            desk.tell("There is no prompt to go on from yet.")
            return
        dialog = ChoiceDialog("Go on from", prompts, start=len(prompts) - 1, search=True)
        chosen = await desk.open_dialog(dialog)
        if chosen is None:
            return
        forked = await desk.runtime.fork(chosen)
        if forked.cancelled:
            desk.tell("An extension refused the fork.", "warning")
        elif forked.selected_text is not None:
            self._here.stage.editor.put(forked.selected_text)

    async def clone(self, desk: Desk, _: str) -> None:
        """A copy of everything. Raises: AgentError."""
        if (await desk.runtime.clone()).cancelled:
            desk.tell("An extension refused the copy.", "warning")
        else:
            desk.tell("This is the copy; the conversation before it stays as it is.")

    async def tree(self, desk: Desk, _: str) -> None:
        """Another place in the tree, with a summary of what is left if that is wished. Raises: AgentError."""
        store = self._here.store
        if not store.get_entries():
            desk.tell("There is nothing to walk in yet.")
            return
        target = await desk.open_dialog(TreePicker(store, self._here.session.set_label))
        if target is None:
            return
        if target == store.get_leaf_id():
            desk.tell("You are there.")
            return
        leaving = await self._leaving()
        if leaving is None:
            return
        words = None
        if leaving == "instructed":
            words = await desk.open_dialog(InputDialog("What should the summary keep?"))
            if words is None:
                return
        moved = await self._here.session.navigate_tree(
            target, summarize=leaving != "plainly", custom_instructions=words or None
        )
        if moved.cancelled:
            desk.tell("Nothing was changed.", "warning")
            return
        self._here.show_again()
        if moved.editor_text is not None and not self._here.stage.editor.text.strip():
            self._here.stage.editor.put(moved.editor_text)

    async def _leaving(self) -> Leaving | None:
        """How to leave the branch; the setting `branch-summary.skip-prompt` leaves it plainly."""
        if self._here.session.parts.settings.get("branch-summary", "skip-prompt") is True:
            return "plainly"
        rows = [Choice(label, value) for label, value in _LEAVINGS]
        return await self._here.desk.open_dialog(ChoiceDialog("What becomes of the branch you leave?", rows))


def shelf_of(store: SessionStore, sessions_dir: Path) -> Shelf:
    """Where a conversation stands, the others stand too: in a folder a project, or in one for all."""
    cwd = Path(store.cwd)
    if store.session_file is None:
        return Shelf(sessions_dir, cwd)
    folder = Path(store.session_file).parent
    usual = folder == project_folder(sessions_dir, store.cwd)
    return Shelf(sessions_dir, cwd, None if usual else folder)


def prompts_of(store: SessionStore) -> list[Choice[str]]:
    """What the person said on this branch, oldest first."""
    return [
        Choice(
            one_line(text_of(entry.message.content)) or "(an image)",
            entry.id,
            store.get_label(entry.id) or "",
        )
        for entry in store.get_branch()
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage)
    ]
