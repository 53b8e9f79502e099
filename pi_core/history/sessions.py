"""How a session comes to be: new, opened, in memory, or forked from another.

Touches: files.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from hookspecs.messages import JsonObject
from pi_core.errors import SessionFileError, UnknownEntryError
from pi_core.history.codec import entry_from_wire, entry_to_wire, header_from_wire, header_to_wire
from pi_core.history.collecting import collection_paused
from pi_core.history.entries import Entry, LabelEntry, SessionHeader
from pi_core.history.names import file_name, is_session_id, iso_now, new_entry_id, new_session_id
from pi_core.history.session_file import FileLog, LoadedFile, MemoryLog, SessionLog, load_session_file
from pi_core.history.store import SessionStore, is_conversation
from pi_core.history.tree import labels_of


def memory_session(cwd: str | Path, *, session_id: str | None = None) -> SessionStore:
    """A session that leaves no file."""
    return SessionStore(_header(str(cwd), session_id), MemoryLog())


def create_session(
    directory: Path, cwd: str, *, session_id: str | None = None, parent_session: str | None = None
) -> SessionStore:
    """A new session whose file will be in `directory`, which need not be there yet.

    Raises: SessionFileError if `session_id` cannot be a file's name.
    """
    header = _header(cwd, session_id, parent_session)
    return SessionStore(header, FileLog(directory / file_name(header.id, header.timestamp)))


def open_session(path: str | Path, *, cwd: str | None = None) -> SessionStore:
    """The session of a file. A file that is missing or empty begins a session there, for `cwd`.

    Raises: SessionFileError if the file is there and is no session.
    """
    file = Path(path)
    if not file.exists():
        return SessionStore(_header(cwd or ""), FileLog(file))
    with collection_paused():
        return _opened(load_session_file(file), cwd)


def _opened(loaded: LoadedFile, cwd: str | None) -> SessionStore:
    if not loaded.objects:
        header = _header(cwd or "")
        loaded.log.append(header_to_wire(header))
        return SessionStore(header, loaded.log, saved=True)
    found = header_from_wire(loaded.objects[0])
    assert found is not None, "a loaded file has a header"
    store = SessionStore(found, loaded.log, loaded.objects[1:], saved=True)
    store.unreadable_lines = loaded.unreadable
    return store


def create_branched_session(
    source: SessionStore, leaf_id: str | None, *, directory: Path | None = None, cwd: str | None = None
) -> SessionStore:
    """A new session with the branch up to `leaf_id` alone (None: with nothing). The source stays as it is.

    Labels leave the branch and are put again at its end, for the entries that it has. A session in
    memory has one in memory; the file of another stands in `directory`, or beside the source's.

    Raises: UnknownEntryError.
    """
    if leaf_id is not None and source.get_entry(leaf_id) is None:
        raise UnknownEntryError(leaf_id)
    branch = source.get_branch(leaf_id) if leaf_id is not None else []
    wires = _rechained(source, branch)
    wires += _labels_again(source, wires)
    return _begin(source.session_file, cwd or source.cwd, directory, wires)


def fork_file(path: Path, directory: Path, cwd: str, *, session_id: str | None = None) -> SessionStore:
    """A new session in `directory` for `cwd` with everything that the file at `path` has.

    Raises: SessionFileError if that is no session, or an empty one; if `session_id` cannot be a file's name.
    """
    loaded = load_session_file(path)
    if not loaded.objects:
        raise SessionFileError(str(path), "the file is empty")
    return _begin(str(path), cwd, directory, loaded.objects[1:], session_id)


def _begin(
    parent_session: str | None,
    cwd: str,
    directory: Path | None,
    wires: Sequence[JsonObject],
    session_id: str | None = None,
) -> SessionStore:
    header = _header(cwd, session_id, parent_session)
    if parent_session is None:
        return SessionStore(header, MemoryLog(), wires)
    folder = directory or Path(parent_session).parent
    log: SessionLog = FileLog(folder / file_name(header.id, header.timestamp))
    entries = [entry for wire in wires if (entry := entry_from_wire(wire)) is not None]
    worth_a_file = any(is_conversation(entry) for entry in entries)
    if worth_a_file:
        log.create([header_to_wire(header), *wires])
    return SessionStore(header, log, wires, saved=worth_a_file)


def _rechained(source: SessionStore, branch: Sequence[Entry]) -> list[JsonObject]:
    """The branch without its labels, each entry a child of the one before."""
    wires: list[JsonObject] = []
    renamed = _successors(branch)
    for entry in branch:
        if isinstance(entry, LabelEntry):
            continue
        wire = {**source.wire_of(entry.id), "parentId": wires[-1]["id"] if wires else None}
        first_kept = wire.get("firstKeptEntryId")
        if first_kept in renamed:
            wire["firstKeptEntryId"] = renamed[first_kept]
        wires.append(wire)
    return wires


def _successors(branch: Sequence[Entry]) -> dict[str, str]:
    """Label on the branch → the first entry after it that stays."""
    successors: dict[str, str] = {}
    following: str | None = None
    for entry in reversed(branch):
        if not isinstance(entry, LabelEntry):
            following = entry.id
        elif following is not None:
            successors[entry.id] = following
    return successors


def _labels_again(source: SessionStore, wires: Sequence[JsonObject]) -> list[JsonObject]:
    """New label entries for the labelled entries of a branch, chained after it, of their old time."""
    taken = {entry.id for entry in source.get_entries()}
    kept = {wire["id"] for wire in wires}
    parent: str | None = wires[-1]["id"] if wires else None
    labels: list[JsonObject] = []
    for target_id, label in labels_of(source.get_entries()).items():
        if target_id in kept:
            again = dataclasses.replace(label, id=new_entry_id(taken), parent_id=parent)
            parent = again.id
            taken.add(again.id)
            labels.append(entry_to_wire(again))
    return labels


def _header(cwd: str, session_id: str | None = None, parent_session: str | None = None) -> SessionHeader:
    if session_id is not None and not is_session_id(session_id):
        raise SessionFileError(session_id, "an id begins and ends with a letter or digit", hint=_ID_HINT)
    return SessionHeader(
        id=session_id or new_session_id(), timestamp=iso_now(), cwd=cwd, parent_session=parent_session
    )


_ID_HINT = "Inside, it may have letters, digits, `.`, `_` and `-`."
