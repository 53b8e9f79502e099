"""Manifest files as parsed documents; what did not change since the last run is not parsed again.

The memory is one JSON file of the user's. A document is known by path, both times, size and inode of its
file; a file younger than the clock can tell apart is never remembered. Losing the memory costs time only.

Touches: files.
"""

from __future__ import annotations

import os
import stat
import time
import tomllib
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from pi_pkg.resources.entry_points import GROUPS

Document: TypeAlias = dict[str, Any]
Stamp: TypeAlias = list[int]
"""What tells two states of a file apart: modification and change time in nanoseconds, size, inode."""

MAX_BYTES: Final = 1_000_000
"""A larger manifest is refused: nobody wrote it by hand."""
WORTH_KEEPING: Final = 16
"""So many newly parsed files are worth writing the memory for; fewer are parsed faster than it is read."""
MAX_KEPT: Final = 4096
"""Documents of other folders beyond this number are forgotten, the longest unused first."""
SETTLED_NS: Final = 2_000_000_000
"""A file changed less than this ago could change again without its times showing it."""

_FORMAT: Final = 1
_DEEPEST: Final = 32
"""Documents that are nested deeper are not remembered."""
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Documents:
    """The manifest files of one run, each read at most as often as it is asked for."""

    __slots__ = ("_known", "_memory", "_new", "_now_ns", "_used")

    def __init__(self, memory: Path | None = None, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        """Documents that are parsed anew, or remembered in a file, which need not exist."""
        self._memory = memory
        self._now_ns = now_ns
        self._known: dict[str, list[Any]] = {} if memory is None else _recall(memory)
        self._used: dict[str, list[Any]] = {}
        self._new = 0

    def toml(self, path: str) -> Document | None:
        """The part of a `pyproject.toml` or `pi.toml` that packages are read by; None if there is no file.

        Raises:
            OSError: it cannot be read.
            ValueError: it is too large, no UTF-8 or no TOML; the text says where.
            RecursionError: it is nested too deeply.
        """
        return self._document(path, _parse_toml)

    def json(self, path: str) -> Document | None:
        """The part of a `package.json` that packages are read by; None if there is no file.

        Raises:
            OSError, ValueError, RecursionError: as above.
        """
        return self._document(path, _parse_json)

    def _document(self, path: str, parse: Callable[[str, bytes], Document]) -> Document | None:
        if (known := self._recalled(path)) is not None:
            return known
        try:
            status, data = _read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        document = parse(path, data)
        changed_ns = max(status.st_mtime_ns, status.st_ctime_ns)
        if self._memory is not None and self._now_ns() - changed_ns > SETTLED_NS:
            self._new += 1
            self._used[path] = [_stamp(status), document]
        return document

    def _recalled(self, path: str) -> Document | None:
        """The remembered document of a file that is as it was."""
        known = self._known.get(path)
        if known is None:
            return None
        try:
            current = _stamp(os.stat(path)) == known[0]
        except (OSError, ValueError):
            current = False
        if not current:
            del self._known[path]
            return None
        self._used[path] = known
        document: Document = known[1]
        return document

    def save(self) -> bool:
        """Write the memory if enough is new; whether it was written. Losing it is no error."""
        if self._memory is None or self._new < WORTH_KEEPING:
            return False
        kept = {path: known for path, known in self._known.items() if path not in self._used}
        while kept and len(kept) + len(self._used) > MAX_KEPT:
            del kept[next(iter(kept))]
        import json  # start-up time: only a run that parsed much writes

        rows = {**kept, **self._used}
        files = {path: row for path, row in rows.items() if _is_plain(row[1])}
        text = json.dumps({"format": _FORMAT, "files": files}, separators=(",", ":"))
        from pi_pkg.atomic import replace_file  # start-up time: as above

        try:
            replace_file(self._memory, text.encode("ascii"))
        except OSError:
            return False
        self._new = 0
        return True


def _recall(memory: Path) -> dict[str, list[Any]]:
    """The remembered rows; none where the file is missing or damaged."""
    try:
        data = memory.read_bytes()
    except OSError:
        return {}
    import json  # start-up time: only where something is remembered

    try:
        document = json.loads(data)
        files = document["files"] if document["format"] == _FORMAT else {}
        return {path: row for path, row in files.items() if len(row) == 2 and isinstance(row[1], dict)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _read(path: str) -> tuple[os.stat_result, bytes]:
    """The state and the bytes of a regular file; never waits, as a named pipe would let us.

    Raises:
        OSError, ValueError: it cannot be read; it is no regular file or too large.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no regular file")
        data = os.read(descriptor, min(status.st_size, MAX_BYTES) + 1)
        while len(data) < status.st_size <= MAX_BYTES and (more := os.read(descriptor, status.st_size)):
            data += more
    finally:
        os.close(descriptor)
    if max(status.st_size, len(data)) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES} bytes")
    return status, data


def _stamp(status: os.stat_result) -> Stamp:
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def _parse_toml(path: str, data: bytes) -> Document:
    document = tomllib.loads(data.removeprefix(BOM_UTF8).decode())
    return _of_pyproject(document) if path.endswith("pyproject.toml") else document


def _of_pyproject(document: Mapping[str, Any]) -> Document:
    """The tables `[tool.pi]` and `[project]`, the latter without what is of no use here."""
    found: Document = {}
    tool, project = document.get("tool"), document.get("project")
    if isinstance(tool, dict) and "pi" in tool:
        found["tool"] = {"pi": tool["pi"]}
    if isinstance(project, dict):
        kept = {key: project[key] for key in ("name", "dependencies", "dynamic") if key in project}
        points = project.get("entry-points")
        if isinstance(points, dict):
            kept["entry-points"] = {group: points[group] for group in GROUPS if group in points}
        found["project"] = kept
    return found


def _parse_json(path: str, data: bytes) -> Document:
    import json  # start-up time: few packages carry a package.json

    document = json.loads(data)
    return {"pi": document["pi"]} if isinstance(document, dict) and "pi" in document else {}


def _is_plain(value: object, levels: int = _DEEPEST) -> bool:
    """Whether a value comes back from JSON as it was: no dates, no infinities, not nested without end."""
    match value:
        case None | bool() | int() | str():
            return True
        case float():
            return value == value and abs(value) != float("inf")
        case list():
            return levels > 0 and all(_is_plain(item, levels - 1) for item in value)
        case dict():
            return levels > 0 and all(_is_plain(item, levels - 1) for item in value.values())
        case _:
            return False
