"""Writes a session where it was asked for, or beside the work: as a page to read, or as a file to go on with.

Touches: files.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pi_core.errors import CannotWriteError
from pi_core.export.page import page_of
from pi_core.history.codec import encode_line, header_from_wire
from pi_core.history.linear import linear_objects
from pi_core.history.migration import migrate
from pi_core.history.names import new_entry_id
from pi_core.history.session_file import MemoryLog, read_session_bytes, session_objects
from pi_core.history.store import SessionStore


def export_session(store: SessionStore, output: str | None, *, cwd: Path) -> Path:
    """Write the page; a file that is there is replaced. Without a name it is `pi-session-NAME.html`.

    A name that ends in `.jsonl` gets the branch as a session file. Returns where it is.
    Raises: CannotWriteError.
    """
    source = store.session_file
    name = f"pi-session-{Path(source).stem if source else store.session_id}.html"
    target = cwd / Path(output).expanduser() if output else cwd / name
    if source is not None and target.resolve() == Path(source).resolve():
        raise CannotWriteError(str(target), "it is the session itself")
    _write(target, _lines_of(store) if target.suffix == ".jsonl" else page_of(store))
    return target


def export_file(path: Path, output: str | None, *, cwd: Path) -> Path:
    """The same for a session file, which stays as it is, however old its version.

    Raises: SessionFileError if it is none that we know; CannotWriteError.
    """
    objects = session_objects(path, read_session_bytes(path))
    header = header_from_wire(objects[0])
    assert header is not None, "a session file has a header"
    store = SessionStore(header, _ReadOnly(path), migrate(objects, new_entry_id)[1:], saved=True)
    return export_session(store, output, cwd=cwd)


def _lines_of(store: SessionStore) -> str:
    return b"".join(map(encode_line, linear_objects(store))).decode("utf-8")


class _ReadOnly(MemoryLog):
    """A file that is read and not written."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)  # type: ignore[assignment]  # here there is one


def _write(target: Path, text: str) -> None:
    """Put the page into its place in one step."""
    aside: str | None = None
    try:
        handle, aside = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        os.replace(aside, target)
    except OSError as error:
        if aside is not None:
            Path(aside).unlink(missing_ok=True)
        raise CannotWriteError(str(target), error.strerror or str(error)) from error
