"""The conversations of a folder, or of all of them: to go on with one, to name it, or to delete it.

Touches: the screen, session files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from time import time
from typing import ClassVar, Final

from textual.binding import BindingType

from hookspecs.values import dataclass
from pi_core.errors import AgentError
from pi_core.history.listing import SessionInfo, list_all_sessions, list_sessions
from pi_core.history.names import project_folder
from pi_core.history.sessions import open_session
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.dialog import one_line
from pi_core.modes.tui.dialogs.questions import ConfirmDialog, InputDialog
from pi_core.modes.tui.keys import bindings_for
from pi_core.modes.tui.pickers.ages import age

SOUGHT: Final = 4000
"""A search looks at so much of what was said in a conversation."""
TITLE_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where conversations are. `directory` has all of them, if the person keeps them in one folder."""

    sessions_dir: Path
    cwd: Path
    directory: Path | None = None

    def here(self) -> list[SessionInfo]:
        """Those of the working folder, the last used first."""
        if self.directory is not None:
            return list_sessions(self.directory, cwd=str(self.cwd))
        return list_sessions(project_folder(self.sessions_dir, str(self.cwd)))

    def everywhere(self) -> list[SessionInfo]:
        """Those of all folders, the last used first."""
        return list_all_sessions(self.directory or self.sessions_dir)


@dataclass(frozen=True, slots=True)
class SessionChoice(Choice[SessionInfo]):
    """A conversation in the list; a search looks at what was said in it, too."""

    @property
    def sought(self) -> str:
        """Its name, its first message, and more of what was said."""
        info = self.value
        return f"{info.name or ''} {info.first_message[:200]} {info.text[:SOUGHT]} {info.cwd}"


class SessionPicker(ChoiceDialog[SessionInfo], inherit_bindings=False):
    """Answers with a conversation. `present` is the file of the one that is open: it is not deleted here.

    `renamed` names that one; others are named in their files.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("list", priority=True),
        *bindings_for("sessions", priority=True),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    SessionPicker > .frame { width: 110; }
    """

    def __init__(
        self,
        shelf: Shelf,
        present: Path | None = None,
        renamed: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__("Conversations", [], search=True)
        self._shelf = shelf
        self._present = present
        self._renamed = renamed
        self._infos: list[SessionInfo] = []
        self._all = self._named = self._path = self._newest = False

    keys: ClassVar[str] = (
        "enter goes on · tab all folders · ctrl+n named · ctrl+s sort · ctrl+p folder · ctrl+r name · "
        "ctrl+d delete"
    )

    def on_mount(self) -> None:
        """They are read beside everything else: there may be thousands."""
        self._load()

    # what keys do

    def action_tab(self) -> None:
        """This folder's, or all."""
        self._all = not self._all
        self._load()

    def action_named(self) -> None:
        """Only those with a name, or all."""
        self._named = not self._named
        self._show()

    def action_path(self) -> None:
        """With their folders, or without."""
        self._path = not self._path
        self._show()

    def action_sort(self) -> None:
        """By their last use, or by their beginning."""
        self._newest = not self._newest
        self._show()

    def action_rename(self) -> None:
        """Give the marked one a name."""
        choice = self.current
        if choice is not None:
            self.run_worker(self._rename(choice.value))

    def action_delete(self) -> None:
        """Delete the marked one, if the person means it."""
        choice = self.current
        if choice is not None:
            self.run_worker(self._delete(choice.value))

    def action_delete_unsought(self) -> None:
        """The same where nothing is sought; else the last word of the search goes, as keys do in a line."""
        if self._input.value:
            self._input.action_delete_left_word()
        else:
            self.action_delete()

    async def _rename(self, info: SessionInfo) -> None:
        name = await self.app.push_screen_wait(InputDialog("Name of the conversation", value=info.name or ""))
        if name is None:
            return
        try:
            if info.path == self._present and self._renamed is not None:
                self._renamed(name)
            else:
                open_session(info.path).append_session_info(name.strip() or None)
        except (AgentError, OSError) as error:
            self.app.notify(str(error), severity="error", markup=False)
        self._load()

    async def _delete(self, info: SessionInfo) -> None:
        if info.path == self._present:
            self.app.notify("This conversation is open.", severity="warning", markup=False)
            return
        said = f"{title_of(info)}\n{info.message_count} messages · {info.path}"
        if not await self.app.push_screen_wait(ConfirmDialog("Delete this conversation?", said)):
            return
        try:
            info.path.unlink()
        except OSError as error:
            self.app.notify(str(error), severity="error", markup=False)
        self._load()

    # the list

    def _load(self) -> None:
        self.run_worker(self._read(), exclusive=True, group="read")

    async def _read(self) -> None:
        read = self._shelf.everywhere if self._all else self._shelf.here
        self._infos = await asyncio.to_thread(read)
        self._show()

    def _show(self) -> None:
        if not self.is_attached:
            return
        infos = [info for info in self._infos if info.name or not self._named]
        if self._newest:
            infos = sorted(infos, key=lambda info: info.created, reverse=True)
        self.refill(session_choices(infos, self._present, time() * 1000, folders=self._all or self._path))
        where = "all folders" if self._all else "this folder"
        marks = [where, *(["named"] if self._named else []), *(["newest first"] if self._newest else [])]
        self.retitle(f"Conversations · {' · '.join(marks)}")


def session_choices(
    infos: Sequence[SessionInfo], present: Path | None, now_ms: float, *, folders: bool
) -> list[Choice[SessionInfo]]:
    """The rows of a list: name or first message, age, how much was said, and the folder if asked for."""
    rows: list[Choice[SessionInfo]] = []
    for info in infos:
        facts = [age(info.modified, now_ms), f"{info.message_count} messages"]
        if folders:
            facts.append(info.cwd)
        mark = "▸" if info.path == present else " "
        rows.append(SessionChoice(title_of(info), info, " · ".join(facts), mark))
    return rows


def title_of(info: SessionInfo) -> str:
    """What a conversation is called: its name, else how it begins."""
    if info.name:
        return one_line(info.name, TITLE_CHARS)
    return one_line(info.first_message, TITLE_CHARS) or f"(empty) {info.id[:8]}"
