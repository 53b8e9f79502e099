"""Everything below some roots, by name, with a mark for its content; links count by what they lead to.

Touches: files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import Final

MAX_FILES: Final = 20_000
MAX_BYTES: Final = 512 * 1024 * 1024
"""More than this is not covered."""

_FILE: Final = "sha256:"
_GIT: Final = ".git"
_CACHE: Final = "__pycache__"
_LOADABLE: Final = (".py", ".md", ".json", ".toml", ".so", ".pyd", ".pyc")
"""Names of what could be loaded from the folder of a repository's history, whose other files come and go."""


class TooMuch(Exception):
    """More files or bytes than a digest may cover."""


def marks_of(roots: Iterable[str], base: str) -> dict[str, str]:
    """A mark for each file and folder, names relative to `base`, in `/` form.

    A mark is `sha256:…` for a file, `folder`, `absent` for a broken link, `special` for what is neither,
    `unreadable`, or `as NAME` for a folder that was met before under another name. The bytecode that
    Python keeps beside sources is left out: it comes and goes, and pi loads none of a project's.

    Raises:
        TooMuch: more than `MAX_FILES` names or `MAX_BYTES` bytes.
    """
    walk = _Walk(base)
    for path in roots:
        walk.add(path)
    return walk.marks


class _Walk:
    """One walk with its budget."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.marks: dict[str, str] = {}
        self.folders: dict[tuple[int, int], str] = {}
        self.count = 0
        self.bytes = 0

    def add(self, root: str) -> None:
        pending = [root]
        while pending:
            path = pending.pop()
            name = os.path.relpath(path, self.base).replace(os.sep, "/")
            if name in self.marks:
                continue
            self.count += 1
            if self.count > MAX_FILES:
                raise TooMuch
            mark = self._mark(path, name)
            if mark == "folder":
                pending += _children(path)
            if mark.startswith(_FILE) or not _is_by_the_way(name):
                self.marks[name] = mark

    def _mark(self, path: str, name: str) -> str:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return "absent"
        if stat.S_ISDIR(status.st_mode):
            first = self.folders.setdefault((status.st_dev, status.st_ino), name)
            return "folder" if first == name else f"as {first}"
        if not stat.S_ISREG(status.st_mode):
            return "special"
        self.bytes += status.st_size
        if self.bytes > MAX_BYTES:
            raise TooMuch
        return _content(path, status.st_size)


def _is_by_the_way(name: str) -> bool:
    """Whether a folder says nothing by being there: that of a repository's history, that of bytecode."""
    parts = name.split("/")
    return _GIT in parts or parts[-1] == _CACHE


def _children(folder: str) -> Iterator[str]:
    """What stands in a folder and is covered, last name first."""
    try:
        names = sorted(os.listdir(folder), reverse=True)
    except OSError:
        return
    parts = folder.split(os.sep)
    for name in names:
        path = os.path.join(folder, name)
        if parts[-1] == _CACHE and name.endswith(".pyc"):
            continue
        if _GIT in parts and not name.endswith(_LOADABLE) and not os.path.isdir(path):
            continue
        yield path


def _content(path: str, size: int) -> str:
    import hashlib  # start-up time: most starts compare no content

    if size == 0:  # not opened: files of the kernel are empty, too, and reading some of them never ends
        return _FILE + hashlib.sha256().hexdigest()
    try:
        with open(path, "rb") as stream:
            return f"{_FILE}{hashlib.file_digest(stream, 'sha256').hexdigest()}"
    except OSError:
        return "unreadable"
