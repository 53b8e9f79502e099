"""What the program's own commands work on: the screen, the session, and the places of the person's files.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from hookspecs.values import dataclass
from pi_core.history.store import SessionStore
from pi_core.modes.tui.commands import Commands
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.shortcuts import ShortcutKeys
from pi_core.modes.tui.stage import Stage
from pi_core.session.session import Session
from pi_pkg import Locations


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """One application in use. `show_again` writes the present session anew into the log."""

    desk: Desk
    stage: Stage
    commands: Commands
    shortcuts: ShortcutKeys
    locations: Locations
    show_again: Callable[[], None]
    refresh_facts: Callable[[], None]
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def session(self) -> Session:
        """The session of the moment."""
        return self.desk.runtime.session

    @property
    def store(self) -> SessionStore:
        """Its history."""
        return self.session.parts.store

    @property
    def places(self) -> Locations:
        """The places, with the folder of the session as the project."""
        return Locations(self.locations.agent_dir, self.session.parts.cwd, self.locations.home)

    @property
    def writes(self) -> bool:
        """Whether keys go to the editor: not in a dialog, nor in the search."""
        editor = self.stage.editor
        return editor.is_attached and editor.app.focused is editor
