"""What ignore files hide during a scan, by git's rules.

`.gitignore`, `.ignore` and `.fdignore` of the scanned folder and of the folders below it count, never
those above. A deeper file decides before a higher one, and of one folder the later-named file.

Touches: files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from re import Pattern
from typing import Final

from pi_pkg.resources.conventions import IGNORE_FILES
from pi_pkg.resources.documents import read_bytes
from pi_pkg.values import dataclass

MOST_WILDCARDS: Final = 6
"""Lines with more wildcards are passed over."""
_WILDCARDS: Final = re.compile(r"\*+")


@dataclass(frozen=True, slots=True)
class IgnoreLine:
    """One effective line of an ignore file."""

    file: str
    """Absolute path of the ignore file."""
    number: int
    """Counts from 1."""
    text: str
    """The line as written."""

    @property
    def place(self) -> str:
        """The file and the line's number, as editors take them."""
        return f"{self.file}:{self.number}"


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line as a predicate. The translation is pathspec's; who prevails is decided here."""

    line: IgnoreLine
    regex: Pattern[str]
    hides: bool
    """False for a line that starts with `!`."""
    folders_only: bool
    """The line ends in a slash."""

    def matches(self, name: str, is_dir: bool) -> bool:
        """Whether the line speaks of the entry itself, not of a folder above it."""
        if self.folders_only and not is_dir:
            return False
        if self.regex.groups:  # the group is the slash after a folder: what it leads to is asked by itself
            return self.regex.fullmatch(name) is not None
        return self.regex.search(name) is not None  # `*` and `folder/**`


@dataclass(frozen=True, slots=True)
class _Level:
    """The ignore files of one folder, their lines in order."""

    folder: str
    rules: tuple[_Rule, ...]

    def decides(self, path: str, is_dir: bool) -> _Rule | None:
        """The last line that speaks of an entry below the folder."""
        name = path[len(self.folder) :].lstrip(os.sep).replace(os.sep, "/")
        return next((rule for rule in reversed(self.rules) if rule.matches(name, is_dir)), None)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force in one folder of a scan, the deepest last."""

    levels: tuple[_Level, ...] = ()

    def entering(self, folder: str, names: Collection[str]) -> IgnoreRules:
        """The rules inside a folder whose entry names are known."""
        present = [name for name in IGNORE_FILES if name in names]
        if not present:
            return self
        level = _read_level(folder, present)
        return self if level is None else IgnoreRules((*self.levels, level))

    def hides(self, path: str, *, is_dir: bool) -> IgnoreLine | None:
        """The line that hides an entry of the scan; None if it is visible.

        Asked top down: a folder that is hidden is not entered.
        """
        for level in reversed(self.levels):
            rule = level.decides(path, is_dir)
            if rule is not None:
                return rule.line if rule.hides else None
        return None


def _read_level(folder: str, names: Collection[str]) -> _Level | None:
    lines = [line for name in names for line in _read_lines(os.path.join(folder, name))]
    rules = [rule for line in lines if (rule := _compile(line)) is not None]
    return _Level(folder, tuple(rules)) if rules else None


def _read_lines(path: str) -> list[IgnoreLine]:
    """The lines of one file that are neither blank nor comments; none if it cannot be read, as in git."""
    try:
        text = read_bytes(path).decode("utf-8-sig", "surrogateescape")
    except (OSError, ValueError):
        return []
    lines = enumerate((line.removesuffix("\r") for line in text.split("\n")), 1)
    return [IgnoreLine(path, number, line) for number, line in lines if line.strip(" \t") and line[0] != "#"]


def _compile(line: IgnoreLine) -> _Rule | None:
    """The rule of a line; None for one that git would not understand either, and for a trap.

    What the library makes of a line goes back and forth at each wildcard, without end if there are many.
    """
    if len(_WILDCARDS.findall(line.text)) > MOST_WILDCARDS:
        return None
    from pathspec import GitIgnoreSpec  # start-up time: 27 ms, and few scanned folders hold ignore files

    body = line.text.rstrip(" ")
    if body.endswith("\\"):  # an escaped blank belongs to the name
        body = line.text
    folders_only = body.endswith("/")
    try:
        (pattern,) = GitIgnoreSpec.from_lines([body.removesuffix("/")]).patterns
    except ValueError:
        return None
    if pattern.include is None or pattern.regex is None:
        return None
    return _Rule(line, pattern.regex, pattern.include, folders_only)
