"""What a person is asked while the program starts: trust, which conversation, and what is missing.

Touches: the screen, session files, and packages that are installed if the person says so.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hookspecs.ui import Severity
from pi_core.modes.tui.builtin.loaded import reload_here
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.questions import ConfirmDialog, InputDialog
from pi_core.modes.tui.here import Here
from pi_core.modes.tui.pickers.sessions import SessionPicker, Shelf
from pi_core.resources.trust import TrustQuestion
from pi_pkg import Answer, Diagnostic, Locations, PackageError, PackageManager

_ANSWERS: Final[tuple[tuple[str, Answer, str], ...]] = (
    ("Trust it as it is now", "trust-content", "asks again when something changes"),
    ("Trust this folder from now on", "trust-folder", "whatever it will hold"),
    ("Trust it for this run", "trust-session", ""),
    ("Leave it out", "deny-session", "asks again at the next start"),
    ("Never trust this folder", "deny-folder", ""),
)
_SHOWN: Final = 12
"""So many paths, and so many changes, are named."""
SYNC: Final = "pi sync"
"""What repairs a finding whose advice names it."""


class PersonAtDesk:
    """Implements `Person` with dialogs."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def dialogs(self) -> DeskDialogs:
        """How extensions that vote may ask."""
        return DeskDialogs(self._desk)

    async def trusts(self, question: TrustQuestion) -> Answer | None:
        """What of the project wants to be read, what changed, and the choices."""
        rows = [Choice(label, answer, about) for label, answer, about in _ANSWERS]
        title = "This project has changed" if question.changed else "Do you trust this project?"
        return await self._desk.open_dialog(ChoiceDialog(title, rows, question_text(question)))


def question_text(question: TrustQuestion) -> str:
    """The folder, what it would bring, and what is not as it was."""
    names = [os.path.relpath(path, question.folder) for path in question.paths]
    lines = [question.folder, "", "It can run code and instruct the model through:"]
    lines += [f"  {name}" for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        lines.append(f"  … and {len(names) - _SHOWN} more")
    if question.changed:
        lines += ["", "Changed since you trusted it:"]
        lines += [f"  {change}" for change in question.changes[:_SHOWN]] or ["  (what exactly is not known)"]
    return "\n".join(lines)


class DeskDialogs:
    """Implements `Dialogs` before there is a session."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None:
        """One of the options; None if nobody chose in time."""
        rows = [Choice(str(option), str(option)) for option in options]
        return await self._desk.open_dialog(ChoiceDialog(title, rows, limit_s=timeout_s))

    async def confirm(
        self,
        title: str,
        message: str = "",
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> bool:
        """True only if the person says so."""
        return await self._desk.open_dialog(ConfirmDialog(title, message, limit_s=timeout_s)) is True

    async def input(
        self,
        title: str,
        placeholder: str | None = None,
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None:
        """A line; None if nobody sent one."""
        return await self._desk.open_dialog(InputDialog(title, placeholder, limit_s=timeout_s))

    def notify(self, message: str, level: Severity = "info") -> None:
        """A sentence in the log."""
        self._desk.tell(message, level)


async def choose_session(desk: Desk, locations: Locations, directory: Path | None) -> Path | None:
    """The conversation to go on with; None if none was chosen."""
    info = await desk.open_dialog(
        SessionPicker(Shelf(locations.sessions_dir, locations.project_dir, directory))
    )
    return None if info is None else info.path


async def confirm_fork(desk: Desk, said: str) -> bool:
    """Whether to go on with a copy of a conversation that belongs to another folder."""
    title = "Go on with a copy in this folder?"
    return await desk.open_dialog(ConfirmDialog(title, said)) is True


async def offer_sync(here: Here) -> None:
    """Install what the settings name and is not there, if the person says so, and load it."""
    missing = [finding for finding in here.session.diagnostics if is_repaired_by_sync(finding)]
    if not missing:
        return
    lines = "\n".join(f"  {finding.message}" for finding in missing[:_SHOWN])
    said = f"{lines}\n\nIt is brought from its index or repository, as with pi sync."
    if not await here.desk.open_dialog(ConfirmDialog("Install what is missing?", said)):
        return
    here.desk.tell("Installing…")
    try:
        told = await asyncio.to_thread(_sync, here.places, here.environ)
    except PackageError as error:
        here.desk.tell(str(error), "error")
        return
    for level, line in told:
        here.desk.tell(line, level)
    await reload_here(here)


def is_repaired_by_sync(finding: Diagnostic) -> bool:
    """Whether its advice is to install."""
    return finding.severity != "info" and (finding.hint or "").endswith(SYNC)


def _sync(places: Locations, environ: Mapping[str, str]) -> list[tuple[Severity, str]]:
    report = PackageManager(places, environ).sync()
    told: list[tuple[Severity, str]] = []
    for outcome in report.outcomes:
        name = outcome.source or outcome.asked
        if outcome.error is not None:
            told.append(("error", f"{name}: {outcome.error}"))
        else:
            told.append(("info", f"{outcome.did} {name} {outcome.after or ''}".rstrip()))
    return told
