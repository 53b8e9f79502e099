"""Which conversation takes the place of another: a new one, one from a file, or a fork.

Everything is found and made here before anything is told to end, so a wish that cannot be granted
changes nothing.

Touches: files.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

from hookspecs.messages import UserMessage, text_of
from hookspecs.values import dataclass
from pi_core.errors import ForkError, SessionFileError
from pi_core.history.entries import MessageEntry
from pi_core.history.session_file import require_session_file
from pi_core.history.sessions import create_branched_session, create_session, memory_session, open_session
from pi_core.history.store import SessionStore


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """Where a fork ends, None for before everything, and the text of the message that it leaves out."""

    leaf_id: str | None
    selected_text: str | None = None


def new_target(store: SessionStore, parent_session: str | None = None) -> SessionStore:
    """A new conversation beside another one, kept as that one is kept."""
    if store.session_file is None:
        return memory_session(store.cwd)
    return create_session(Path(store.session_file).parent, store.cwd, parent_session=parent_session)


def stored_target(path: Path) -> SessionStore:
    """The conversation of a file.

    Raises: SessionFileError if there is none, or if its working folder is gone.
    """
    require_session_file(path)
    store = open_session(path)
    if not Path(store.cwd).is_dir():
        raise SessionFileError(str(path), f"its working folder {store.cwd or '(none)'} is gone")
    return store


def imported_file(path: Path, target: Path) -> Path:
    """Copy a session file to `target`, unless it is that file; returns where it is now.

    Raises: SessionFileError if there is no such session, or another file is there.
    """
    stored_target(path)
    try:
        if target.exists():
            if target.samefile(path):
                return target
            raise SessionFileError(str(path), f"{target} is there already")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    except OSError as error:
        raise SessionFileError(str(path), f"it cannot be copied to {target}: {error.strerror}") from error
    return target


def fork_point(store: SessionStore, entry_id: str, position: Literal["before", "at"]) -> ForkPoint:
    """What a fork at an entry means; `before` leaves a user message out, to be written anew.

    Raises: ForkError for an entry that is not there, or that nothing can be forked before.
    """
    entry = store.get_entry(entry_id)
    if entry is None:
        raise ForkError(entry_id, "is not in this session")
    if position == "at":
        return ForkPoint(entry.id)
    if not isinstance(entry, MessageEntry) or not isinstance(entry.message, UserMessage):
        raise ForkError(entry_id, "is no message of the user")
    return ForkPoint(entry.parent_id, text_of(entry.message.content))


def forked_target(store: SessionStore, point: ForkPoint) -> SessionStore:
    """A conversation with what leads to a point, kept as the other one is kept.

    Raises: SessionFileError if nothing of the conversation was stored yet.
    """
    if store.session_file is not None and not store.is_saved:
        raise SessionFileError(store.session_id, "it was not stored yet, since nothing was said in it")
    if point.leaf_id is None:
        return new_target(store, parent_session=store.session_file)
    return create_branched_session(store, point.leaf_id)
