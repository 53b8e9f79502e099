"""What source trees offered when they were last read, for as long as nothing in them changed.

One JSON file of the user's. A tree is known by its path and by the times and sizes of every file and folder
that was looked at when it was read; a tree with a finding, a link or a glob is read anew each time. Losing
the file costs time only.

Touches: files.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.contents import Contents
from pi_pkg.resources.conventions import PACKAGE_FILE
from pi_pkg.resources.witness import is_settled, states

Row: TypeAlias = list[Any]
"""Given, the paths that were looked at, the digest of their states, base, guard, candidates by type."""

WORTH_KEEPING: Final = 16
"""So many newly read trees are worth writing the file for; fewer are read faster than it is."""
MAX_KEPT: Final = 4096
"""Trees beyond this number are forgotten, those longest unused first."""
_FORMAT: Final = 1


class TreeMemory:
    """The remembered trees of one run. Nothing is written before `save`."""

    __slots__ = ("_file", "_host", "_known", "_new", "_now_ns", "_used")

    def __init__(self, file: Path, host_version: str, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        """What a file remembers for this host; nothing if it is missing, damaged or for another host."""
        self._file = file
        self._host = host_version
        self._now_ns = now_ns
        self._known: dict[str, Row] = _recall(file, host_version)
        self._used: dict[str, Row] = {}
        self._new = 0

    def contents(self, tree: str, real: str, given: str) -> Contents | None:
        """What a tree offers, if it is as it was; `given` is what its reading was told beside the path."""
        row = self._known.get(tree)
        if row is None:
            return None
        try:
            if row[0] != [real, given] or row[2] != _digest(tree, row[1]):
                return None
            found = _decoded(row, tree, real)
        except (OSError, ValueError, TypeError, LookupError, AttributeError):
            return None
        self._used[tree] = row
        return found

    def remember(
        self, tree: str, real: str, given: str, contents: Contents, seen: Mapping[str, os.stat_result]
    ) -> bool:
        """Take over what was read; whether it can be told from a later state of the tree."""
        now_ns = self._now_ns()
        if not all(is_settled(status, now_ns) for status in seen.values()):
            return False
        paths = [_below(path, tree) for path in seen]
        offered, base = _encoded(contents, tree, real), _below(contents.base, tree)
        if offered is None or base is None or None in paths:
            return False
        if any(os.path.islink(path) for path in seen if path != tree):
            return False
        digest = hash(tuple(number for status in seen.values() for number in states(status)))
        self._used[tree] = [[real, given], paths, digest, base, contents.guard, offered]
        self._new += 1
        return True

    def save(self) -> bool:
        """Write the file if enough is new; whether it was written. That it cannot be written is no error."""
        if self._new < WORTH_KEEPING:
            return False
        import json  # start-up time: only a run that read many trees writes

        kept = [(tree, row) for tree, row in self._known.items() if tree not in self._used]
        room = max(0, MAX_KEPT - len(self._used))
        trees = {**dict(kept[len(kept) - room :] if len(kept) > room else kept), **self._used}
        document = {"format": _FORMAT, "host": self._host, "trees": trees}
        self._new = 0
        return _replaced(self._file, json.dumps(document, separators=(",", ":")).encode("ascii"))


def _recall(file: Path, host_version: str) -> dict[str, Row]:
    try:
        data = file.read_bytes()
    except OSError:
        return {}
    import json  # start-up time: only where something is remembered

    try:
        document = json.loads(data)
        if document["format"] != _FORMAT or document["host"] != host_version:
            return {}
        return dict(document["trees"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}


def _replaced(file: Path, data: bytes) -> bool:
    """Replace a file, unflushed: after a power cut it may be damaged, which the reader notices."""
    aside = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(data)
        os.replace(aside, file)
    except OSError:
        with suppress(OSError):
            aside.unlink()
        return False
    return True


def _digest(tree: str, paths: list[str]) -> int:
    """Of the states of paths as they are now; equal in every process of one interpreter."""
    numbers: list[int] = []
    for path in paths:
        numbers += states(os.stat(tree + path))
    return hash(tuple(numbers))


def _below(path: str | None, tree: str) -> str | None:
    """The rest of a path behind a tree, empty for the tree itself; None for a path elsewhere."""
    if path is None or not path.startswith(tree) or path[len(tree) : len(tree) + 1] not in ("", os.sep):
        return None
    return path[len(tree) :]


def _encoded(contents: Contents, tree: str, real: str) -> dict[str, list[Any]] | None:
    """The candidates, paths without the tree in front; None if that cannot be done for one of them."""
    rows: dict[str, list[Any]] = {}
    for kind, candidates in contents.offered.items():
        rows[kind] = found = []
        for item in candidates:
            places = (item.import_root, item.base, item.tree)
            path, *inner = (_below(place, tree) for place in (item.path, *places))
            row = [path, item.module, item.attribute, item.name, *inner, item.is_folder, item.guard]
            if path is None or item.blocked is not None or _candidate(row, tree, real) != item:
                return None  # the last also holds for a link, whose end is elsewhere
            found.append(path if row[1:] == _PLAIN else row)
    return rows


_PLAIN: Final = [None, None, None, None, None, None, False, False]


def _decoded(row: Row, tree: str, real: str) -> Contents:
    offered = {}
    for kind in RESOURCE_TYPES:
        if kind in row[5]:
            offered[kind] = [
                Candidate(tree + item, real + item) if isinstance(item, str) else _candidate(item, tree, real)
                for item in row[5][kind]
            ]
    return Contents(tree + row[3], offered, False, row[4])


def _candidate(row: list[Any], tree: str, real: str) -> Candidate:
    path, module, attribute, name, import_root, base, waiting, is_folder, guard = row
    places = [None if place is None else tree + place for place in (import_root, base, waiting)]
    end = f"{path}{os.sep}{PACKAGE_FILE}" if is_folder else path
    return Candidate(
        tree + path, real + end, module, attribute, places[0], name, places[1], places[2], is_folder, guard
    )
