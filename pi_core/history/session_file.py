"""One session file on disk: read once, then only added to.

Touches: files.
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import Protocol

from hookspecs.messages import JsonObject
from hookspecs.values import dataclass
from pi_core.errors import SessionFileError
from pi_core.history.codec import encode_line, header_from_wire, parse_objects
from pi_core.history.entries import CURRENT_VERSION
from pi_core.history.migration import is_known_version, migrate, version_of
from pi_core.history.names import new_entry_id
from pi_core.version import VERSION


class SessionLog(Protocol):
    """Where a session is kept. `path` is None for one that is kept in memory only."""

    @property
    def path(self) -> str | None: ...

    def create(self, objects: Sequence[JsonObject]) -> None:
        """Put down the header and the first entries.

        Raises: FileExistsError if there is a file already; OSError, and there is none then.
        """

    def append(self, wire: JsonObject) -> None:
        """Put down one entry more. Raises OSError; the file then ends as it did before."""


class MemoryLog:
    """Keeps nothing: the session lives as long as its store."""

    path = None

    def create(self, objects: Sequence[JsonObject]) -> None:
        """Nothing to put down."""

    def append(self, wire: JsonObject) -> None:
        """Nothing to put down."""


class FileLog:
    """A session file. Every append opens and closes it, so that nobody holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def path(self) -> str:
        return str(self._path)

    def create(self, objects: Sequence[JsonObject]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("xb", buffering=0) as file:
            try:
                self._write(file, b"".join(encode_line(wire) for wire in objects))
            except OSError:
                self._path.unlink(missing_ok=True)  # half a file would stand in the way of the next attempt
                raise

    def append(self, wire: JsonObject) -> None:
        line = encode_line(wire)
        with open(self._path, "ab", buffering=0, opener=_existing) as file:
            size = file.tell()
            try:
                self._write(file, line)
            except OSError:
                file.truncate(size)
                raise

    def _write(self, file: FileIO, data: bytes) -> None:
        """All of it, or an error: a full disk takes a part without a word."""
        if file.write(data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """The objects of a session file in the current version, header first; none for an empty file.

    `unreadable` lines hold no object; they stay in the file.
    """

    log: FileLog
    objects: tuple[JsonObject, ...]
    unreadable: int = 0


def load_session_file(path: Path) -> LoadedFile:
    """Read a session file. One of an older version is rewritten; one that was cut short gets its line feed.

    Raises: SessionFileError if it cannot be read or rewritten, or is none that we know. It stays then.
    """
    data = read_session_bytes(path)
    log = FileLog(path)
    if not data:
        return LoadedFile(log, ())
    objects = session_objects(path, data)
    unreadable = sum(bool(line.strip()) for line in data.split(b"\n")) - len(objects)
    if version_of(objects[0]) < CURRENT_VERSION:
        objects = tuple(migrate(objects, new_entry_id))
        try:
            _rewrite(path, objects)
        except OSError as error:
            found = f"it cannot be brought to version {CURRENT_VERSION}: {error.strerror or error}"
            raise SessionFileError(str(path), found) from error
    elif not data.endswith(b"\n"):
        _end_last_line(path)
    return LoadedFile(log, objects, unreadable)


def require_session_file(path: Path) -> None:
    """Raise SessionFileError, which says what is there instead, if there is no file to read."""
    if path.is_dir():
        raise SessionFileError(
            str(path), "that is a folder", hint="Name a session file, which ends in .jsonl."
        )
    if not path.is_file():
        raise SessionFileError(str(path), "that is no file" if path.exists() else "there is no such file")


def read_session_bytes(path: Path) -> bytes:
    """What stands in a file. Raises: SessionFileError."""
    require_session_file(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise SessionFileError(str(path), error.strerror or str(error)) from error


def session_objects(path: Path, data: bytes) -> tuple[JsonObject, ...]:
    """The objects of a session file, header first, in the version in which it was written.

    Raises: SessionFileError if it is none, or of a version that we do not know: what it means is a guess.
    """
    objects = tuple(parse_objects(data))
    if not objects or header_from_wire(objects[0]) is None:
        raise SessionFileError(str(path), "not a session file")
    version = objects[0].get("version", 1)
    if not is_known_version(version):
        raise SessionFileError(
            str(path),
            f"its format is version {json.dumps(version)}, and pi {VERSION} knows 1 to {CURRENT_VERSION}",
            hint="Open it with the pi that wrote it, or with a newer one; the file is left as it is.",
        )
    return objects


def _existing(path: str, flags: int) -> int:
    """Opens a file that is there: one that went away must not begin again without its header."""
    return os.open(path, flags & ~os.O_CREAT)


def _rewrite(path: Path, objects: Sequence[JsonObject]) -> None:
    """Put a new content in the file's place in one step; a failure leaves the old one."""
    handle, aside = tempfile.mkstemp(prefix=path.name, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(b"".join(encode_line(wire) for wire in objects))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(aside, path.stat().st_mode & 0o777)
        os.replace(aside, path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def _end_last_line(path: Path) -> None:
    """Let the next entry start on a line of its own, whatever the last one looks like."""
    try:
        with path.open("ab") as file:
            file.write(b"\n")
    except OSError:
        pass  # a file that cannot be written can still be read; the first append will tell
