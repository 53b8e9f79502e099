"""Which sessions there are, and which of them somebody means.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from hookspecs.messages import AssistantMessage, JsonObject, UserMessage, text_of
from hookspecs.values import dataclass
from pi_core.history.codec import entry_from_wire, header_from_wire, parse_objects
from pi_core.history.collecting import collection_paused
from pi_core.history.context import milliseconds
from pi_core.history.entries import MessageEntry, SessionHeader, SessionInfoEntry
from pi_core.history.excerpt import read_excerpt

HEADER_BYTES: Final = 1024 * 1024
"""A header that is longer is not looked for."""
FIRST_BYTES: Final = 8 * 1024
"""How much of a file is read at first: there may be thousands of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """A session as a list shows it. Times are milliseconds since the epoch.

    `modified` is the time of the last thing said, else of the header, else of the file. `text` is what
    was said, to be searched; of a long session, what was said at its beginning and its end.
    """

    path: Path
    id: str
    cwd: str
    name: str | None
    created: int
    modified: int
    message_count: int
    first_message: str
    text: str
    parent_session: str | None


@dataclass(frozen=True, slots=True)
class FoundSession:
    """The session that a word on the command line means. `here` is false for another project's."""

    path: Path
    here: bool
    cwd: str


def list_sessions(folder: Path, *, cwd: str | None = None) -> list[SessionInfo]:
    """The sessions in a folder, the last used first; with `cwd`, that working folder's alone.

    Files that cannot be read, or are no sessions, are left out.
    """
    infos = (session_info(path) for path in _files(folder))
    found = [info for info in infos if info is not None and cwd in (None, info.cwd)]
    return sorted(found, key=lambda info: info.modified, reverse=True)


def list_all_sessions(sessions_dir: Path) -> list[SessionInfo]:
    """The sessions of all projects, the last used first."""
    found = [info for folder in _folders(sessions_dir) for info in list_sessions(folder)]
    return sorted(found, key=lambda info: info.modified, reverse=True)


def most_recent_session(folder: Path, *, cwd: str | None = None) -> Path | None:
    """The session file that was changed last; with `cwd`, among that working folder's alone."""
    by_change = sorted(_files(folder), key=_modified_ns, reverse=True)
    return next((path for path in by_change if _belongs(read_header(path), cwd)), None)


def find_session(
    asked: str, folder: Path, sessions_dir: Path | None = None, *, cwd: str | None = None
) -> FoundSession | None:
    """The session whose id is, or begins with, `asked`: in `folder` first, then in all projects.

    An exact id goes before a beginning; of several the last changed is meant. None if there is none.
    """
    own = [item for item in _headers(_files(folder)) if cwd in (None, item[1].cwd)]
    match = _match(asked, own)
    if match is not None:
        return FoundSession(match[0], True, match[1].cwd)
    if sessions_dir is None:
        return None
    others = _headers(path for other in _folders(sessions_dir) for path in _files(other))
    match = _match(asked, list(others))
    return FoundSession(match[0], False, match[1].cwd) if match is not None else None


def read_header(path: Path) -> SessionHeader | None:
    """The header of a session file, read without the rest; None if it is none."""
    try:
        with path.open("rb") as file:
            start = file.read(FIRST_BYTES)
            # What was read may end within the header, which is no object then.
            if (first := _first_object(start)) is None:
                first = _first_object(start + file.read(HEADER_BYTES - FIRST_BYTES))
    except OSError:
        return None
    return header_from_wire(first) if first is not None else None


def _first_object(start: bytes) -> JsonObject | None:
    return next(parse_objects(start), None)


def session_info(path: Path) -> SessionInfo | None:
    """What a list shows of one file; None if it is no session."""
    with collection_paused():
        return _info(path)


def _info(path: Path) -> SessionInfo | None:
    try:
        excerpt = read_excerpt(path)
        changed = path.stat().st_mtime_ns // 1_000_000
    except OSError:
        return None
    header = header_from_wire(excerpt.objects[0]) if excerpt.objects else None
    if header is None:
        return None
    name, said = _content_of(excerpt.objects[1:])
    texts = [text for _, text, _ in said if text]
    return SessionInfo(
        path=path,
        id=header.id,
        cwd=header.cwd,
        name=name,
        created=milliseconds(header.timestamp) or changed,
        modified=max((at for _, _, at in said), default=0) or milliseconds(header.timestamp) or changed,
        message_count=len(said) + excerpt.unread_messages,
        first_message=next((text for role, text, _ in said if role == "user" and text), ""),
        text=" ".join(texts),
        parent_session=header.parent_session,
    )


def _content_of(objects: Iterable[JsonObject]) -> tuple[str | None, list[tuple[str, str, int]]]:
    """The name, and (role, text, time) of everything that was said, in file order."""
    name: str | None = None
    said: list[tuple[str, str, int]] = []
    for wire in objects:
        # Entries of version 1 have no id yet; the list does not need one.
        entry = entry_from_wire({"id": "-", **wire})
        if isinstance(entry, SessionInfoEntry):
            name = (entry.name or "").strip() or None
        elif isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage | AssistantMessage):
            message = entry.message
            at = message.timestamp or milliseconds(entry.timestamp)
            said.append((message.role, text_of(message.content), at))
    return name, said


def _match(asked: str, items: list[tuple[Path, SessionHeader]]) -> tuple[Path, SessionHeader] | None:
    exact = [item for item in items if item[1].id == asked]
    starting = [item for item in items if asked and item[1].id.startswith(asked)]
    return max(exact or starting, key=lambda item: _modified_ns(item[0]), default=None)


def _headers(paths: Iterable[Path]) -> Iterator[tuple[Path, SessionHeader]]:
    for path in paths:
        header = read_header(path)
        if header is not None:
            yield path, header


def _belongs(header: SessionHeader | None, cwd: str | None) -> bool:
    return header is not None and cwd in (None, header.cwd)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl")) if folder.is_dir() else []


def _folders(sessions_dir: Path) -> list[Path]:
    """The folder itself, which may hold sessions of all projects, and those in it."""
    if not sessions_dir.is_dir():
        return []
    return [sessions_dir, *sorted(path for path in sessions_dir.iterdir() if path.is_dir())]


def _modified_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
