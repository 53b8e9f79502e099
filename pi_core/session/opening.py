"""Which conversation a run is about: a new one, one in memory, or one that is there already.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hookspecs.values import dataclass
from pi_core.errors import SessionFileError
from pi_core.history.listing import FoundSession, find_session, most_recent_session
from pi_core.history.names import project_folder
from pi_core.history.session_file import require_session_file
from pi_core.history.sessions import create_session, fork_file, memory_session, open_session
from pi_core.history.store import SessionStore
from pi_pkg import Diagnostic

_SUFFIX: Final = ".jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRequest:
    """What was asked for. Of several the first in this order counts: memory, fork, session, continue, id.

    `session` and `fork` are a path, an id or the beginning of one; `session_id` is the id to open, to
    begin or to fork with. `directory` keeps all conversations in one folder, instead of one folder a
    project.
    """

    in_memory: bool = False
    fork: str | None = None
    session: str | None = None
    continue_last: bool = False
    session_id: str | None = None
    directory: Path | None = None
    name: str | None = None


class SessionElsewhereError(SessionFileError):
    """A conversation was asked for by its id, and belongs to another folder. `path` is its file."""

    def __init__(self, asked: str, found: FoundSession) -> None:
        hint = f"Go on with a copy here: --fork {asked}. Or open it where it is: --session {found.path}"
        super().__init__(asked, f"it belongs to {found.cwd}", hint=hint)
        self.path = found.path


def open_store(request: StoreRequest, *, cwd: Path, sessions_dir: Path) -> SessionStore:
    """The conversation, named if a name was asked for. Its own working folder may differ from `cwd`.

    Raises: SessionFileError.
    """
    store = _open(request, cwd=cwd, sessions_dir=sessions_dir)
    if not Path(store.cwd).is_dir():
        raise SessionFileError(store.session_id, f"its working folder {store.cwd} is gone")
    if request.name is not None:
        store.append_session_info(request.name)
    return store


def passed_over(store: SessionStore) -> list[Diagnostic]:
    """That lines of a session's file hold nothing that can be read, if there are some."""
    count = store.unreadable_lines
    if not count:
        return []
    lines, verb = ("1 line", "is") if count == 1 else (f"{count} lines", "are")
    what = f"{lines} of the conversation cannot be read and {verb}"
    return [
        Diagnostic(
            "warning", "session-lines-unreadable", "session", f"{what} passed over.",
            path=store.session_file, hint="The file is left as it is, and everything else in it is there.",
        )
    ]  # fmt: skip


def _open(request: StoreRequest, *, cwd: Path, sessions_dir: Path) -> SessionStore:
    here = str(cwd)
    if request.in_memory:
        return memory_session(here, session_id=request.session_id)
    folder = request.directory or project_folder(sessions_dir, here)
    only_here = here if request.directory else None
    if request.fork is not None:
        return _forked(request.fork, request, cwd, sessions_dir)
    if request.session is not None:
        return _asked_for(request.session, request, cwd, sessions_dir)
    if request.continue_last:
        found = most_recent_session(folder, cwd=only_here)
        return open_session(found) if found is not None else create_session(folder, here)
    if request.session_id is not None:
        known = find_session(request.session_id, folder, cwd=only_here)
        if known is not None and known.path.stem.endswith(f"_{request.session_id}"):
            return open_session(known.path)
    return create_session(folder, here, session_id=request.session_id)


def _asked_for(asked: str, request: StoreRequest, cwd: Path, sessions_dir: Path) -> SessionStore:
    if (path := _as_path(asked, cwd)) is not None:
        return open_session(path, cwd=str(cwd))
    found = _found(asked, request, cwd, sessions_dir)
    if not found.here:
        raise SessionElsewhereError(asked, found)
    return open_session(found.path)


def _forked(asked: str, request: StoreRequest, cwd: Path, sessions_dir: Path) -> SessionStore:
    """A copy of everything in the conversation, for this working folder."""
    path = _as_path(asked, cwd)
    if path is None:
        path = _found(asked, request, cwd, sessions_dir).path
    folder = request.directory or project_folder(sessions_dir, str(cwd))
    wanted = request.session_id
    taken = wanted and find_session(wanted, folder)
    if taken and taken.path.stem.endswith(f"_{wanted}"):
        raise SessionFileError(str(wanted), f"there is one already, {taken.path}")
    return fork_file(path, folder, str(cwd), session_id=wanted)


def _as_path(asked: str, cwd: Path) -> Path | None:
    """The file that is meant, if it is one: something with a slash, or with the ending of conversations."""
    if "/" in asked or "\\" in asked or asked.endswith(_SUFFIX):
        return (cwd / Path(asked).expanduser()).resolve()
    return None


def _found(asked: str, request: StoreRequest, cwd: Path, sessions_dir: Path) -> FoundSession:
    """The conversation with this id, or one that begins so. Raises: SessionFileError."""
    folder = request.directory or project_folder(sessions_dir, str(cwd))
    found = find_session(asked, folder, sessions_dir, cwd=str(cwd) if request.directory else None)
    if found is None:
        if (cwd / asked).is_dir():
            require_session_file(cwd / asked)
        raise SessionFileError(asked, f"no conversation in {folder} has an id that begins so")
    return found
