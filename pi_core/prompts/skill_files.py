"""Where skills lie in a folder.

A folder with a `SKILL.md` is one skill and holds no others; in the folder that is
looked through itself loose `*.md` files are skills too. Hidden folders,
`node_modules` and what ignore files name are passed over; links are followed.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

SKILL_FILE: Final = "SKILL.md"
_IGNORE_FILES: Final = (".gitignore", ".ignore", ".fdignore")


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file that may be a skill. `loose`: it is not the `SKILL.md` of its folder."""

    path: str
    loose: bool


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder on the way down, with the ignore rules of it and of those above, outermost first."""

    path: str
    real_paths: tuple[str, ...]
    rules: tuple[tuple[str, Any], ...]

    def hides(self, path: str, *, is_dir: bool) -> bool:
        """Whether an entry is named by an ignore file; the deepest file that speaks of it decides."""
        for base, spec in reversed(self.rules):
            name = os.path.relpath(path, base).replace(os.sep, "/")
            decided = spec.check_file(f"{name}/" if is_dir else name).include
            if decided is not None:
                return bool(decided)
        return False


def find_skill_files(path: str) -> list[SkillFile]:
    """The skills of a folder, in the order of their paths; a file is itself. Empty if nothing is there."""
    if os.path.isfile(path):
        return [SkillFile(path, os.path.basename(path) != SKILL_FILE)]
    if not os.path.isdir(path):
        return []
    return list(_walk(_enter(path, None), top=True))


def _walk(folder: _Folder, *, top: bool) -> Iterator[SkillFile]:
    try:
        entries = sorted(os.scandir(folder.path), key=lambda entry: entry.name)
    except OSError:
        return
    own = next((entry for entry in entries if entry.name == SKILL_FILE and _is_file(entry)), None)
    if own is not None and not folder.hides(own.path, is_dir=False):
        yield SkillFile(own.path, False)
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name == "node_modules":
            continue
        if _is_dir(entry):
            below = _enter(entry.path, folder)
            in_a_circle = below.real_paths[-1] in folder.real_paths
            if not in_a_circle and not folder.hides(entry.path, is_dir=True):
                yield from _walk(below, top=False)
        elif top and _is_loose(entry) and not folder.hides(entry.path, is_dir=False):
            yield SkillFile(entry.path, True)


def _enter(path: str, above: _Folder | None) -> _Folder:
    rules = above.rules if above else ()
    real_paths = above.real_paths if above else ()
    lines = [line for name in _IGNORE_FILES for line in _lines(os.path.join(path, name))]
    if lines:
        from pathspec import GitIgnoreSpec  # start-up time: 27 ms, and few folders hold ignore files

        rules = (*rules, (path, GitIgnoreSpec.from_lines(lines)))
    return _Folder(path, (*real_paths, os.path.realpath(path)), rules)


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _is_loose(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".md") and entry.name != SKILL_FILE and _is_file(entry)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
