"""Where skills lie in a folder.

A folder with a `SKILL.md` is one skill and holds no others; in the folder that is
looked through itself loose `*.md` files are skills too. Hidden folders,
`node_modules` and what ignore files name are passed over; links are followed.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from hookspecs.values import dataclass
from pi_core.ignore_rules import IgnoreRules

SKILL_FILE: Final = "SKILL.md"


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file that may be a skill. `loose`: it is not the `SKILL.md` of its folder."""

    path: str
    loose: bool


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder on the way down: the real paths of it and of those above, and the rules in force in it."""

    path: str
    real_paths: tuple[str, ...]
    rules: IgnoreRules


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
    if own is not None and not folder.rules.hides(own.path, is_dir=False):
        yield SkillFile(own.path, False)
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name == "node_modules":
            continue
        if _is_dir(entry):
            below = _enter(entry.path, folder)
            in_a_circle = below.real_paths[-1] in folder.real_paths
            if not in_a_circle and not folder.rules.hides(entry.path, is_dir=True):
                yield from _walk(below, top=False)
        elif top and _is_loose(entry) and not folder.rules.hides(entry.path, is_dir=False):
            yield SkillFile(entry.path, True)


def _enter(path: str, above: _Folder | None) -> _Folder:
    rules = above.rules if above else IgnoreRules()
    real_paths = above.real_paths if above else ()
    return _Folder(path, (*real_paths, os.path.realpath(path)), rules.entering(path))


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
