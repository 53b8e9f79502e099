"""What a scan of a folder sees: entries in the order of their names, less what a rule hides.

Links are followed, broken ones and loops passed over; what an ignore file hides is reported.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import ResourceType
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.conventions import IGNORE_FILES, SKILL_FILE, SKIPPED, SUFFIX, has_suffix
from pi_pkg.resources.paths import RealPaths
from pi_pkg.resources.witness import Witness

if TYPE_CHECKING:
    from pi_pkg.resources.ignore import IgnoreRules

Depth: TypeAlias = Literal["deep", "direct", "agents"]
"""How a folder is read: with its sub-folders, without them (prompts and themes), or as `.agents/skills`."""
Report: TypeAlias = Callable[[Diagnostic], None]

DEEPEST: Final = 64
"""Folders below each other that a scan enters; a deeper one is reported."""
_by_name = attrgetter("name")


class Folder(NamedTuple):
    """A folder as a scan sees it."""

    path: str
    real: str
    entries: list[os.DirEntry[str]]
    """Visible entries by name; links among them lead somewhere."""
    rules: IgnoreRules | None

    def real_of(self, entry: os.DirEntry[str], real: RealPaths) -> str:
        """The real path of one entry."""
        return real.of(entry.path) if entry.is_symlink() else f"{self.real}{os.sep}{entry.name}"


class _Walk(NamedTuple):
    """One scan on its way down."""

    kind: ResourceType
    depth: Depth
    entered: set[str]
    """Real paths of the folders that were read: links may lead to one folder by many names."""
    found: list[Candidate]


class Scanner:
    """Reads folders, with one memory of real paths and one place for findings."""

    def __init__(self, real: RealPaths, report: Report) -> None:
        self.real = real
        self.report = report
        self.witness = Witness()

    def scan(self, kind: ResourceType, folder: str, rules: IgnoreRules | None = None) -> Folder:
        """The entries that no name rule and no ignore file hides, and the rules now in force."""
        self.witness.see(folder)
        entries, ignore_files, has_links = _entries(folder)
        if has_links:
            self.witness.spoil()
        if ignore_files:
            for name in ignore_files:
                self.witness.see(os.path.join(folder, name))
            rules = _entering(folder, ignore_files, rules)
        if rules is not None:
            entries = [entry for entry in entries if not self._ignored(kind, entry, rules)]
        return Folder(folder, self.real.of(folder), entries, rules)

    def skills(self, folder: str, depth: Depth) -> list[Candidate]:
        """The skills of a folder: its own `SKILL.md`, else loose files and those of the folders below."""
        seen = self.scan("skills", folder)
        walk = _Walk("skills", depth, {seen.real}, [])
        self._skills(seen, walk, 0)
        return walk.found

    def by_suffix(self, kind: ResourceType, folder: str, depth: Depth) -> list[Candidate]:
        """The prompts or themes of a folder."""
        seen = self.scan(kind, folder)
        walk = _Walk(kind, depth, {seen.real}, [])
        self._by_suffix(seen, walk, 0)
        return walk.found

    def _skills(self, seen: Folder, walk: _Walk, level: int) -> None:
        for entry in seen.entries:
            if entry.name == SKILL_FILE and entry.is_file():
                walk.found.append(Candidate(entry.path, seen.real_of(entry, self.real)))
                return
        loose = level > 0 if walk.depth == "agents" else level == 0
        for entry in seen.entries:
            if entry.is_dir():
                if (inner := self._inner(entry, seen, walk, level)) is not None:
                    self._skills(inner, walk, level + 1)
            elif loose and has_suffix("skills", entry.name) and entry.is_file():
                walk.found.append(Candidate(entry.path, seen.real_of(entry, self.real)))

    def _by_suffix(self, seen: Folder, walk: _Walk, level: int) -> None:
        suffix = SUFFIX[walk.kind]
        for entry in seen.entries:
            if entry.is_dir():
                if walk.depth == "deep" and (inner := self._inner(entry, seen, walk, level)) is not None:
                    self._by_suffix(inner, walk, level + 1)
            elif entry.name.endswith(suffix) and entry.is_file():
                walk.found.append(Candidate(entry.path, seen.real_of(entry, self.real)))

    def _inner(self, entry: os.DirEntry[str], seen: Folder, walk: _Walk, level: int) -> Folder | None:
        """A folder below; None for one that was entered already, by whatever name, and for one too deep."""
        if entry.is_symlink():
            real = self.real.of(entry.path)
        else:
            real = f"{seen.real}{os.sep}{entry.name}"
            self.real.learn(entry.path, real)
        if real in walk.entered:
            return None
        walk.entered.add(real)
        if level >= DEEPEST:
            message = f"{entry.path} is more than {DEEPEST} folders deep; it is not looked at."
            self.report(Diagnostic("warning", "folder-too-deep", "resolve", message, path=entry.path))
            return None
        return self.scan(walk.kind, entry.path, seen.rules)

    def _ignored(self, kind: ResourceType, entry: os.DirEntry[str], rules: IgnoreRules) -> bool:
        line = rules.hides(entry.path, is_dir=entry.is_dir())
        if line is None:
            return False
        if entry.is_dir() or has_suffix(kind, entry.name):
            message = f"{entry.path} is left out by {line.place}, which says '{line.text}'."
            self.report(Diagnostic("info", "resource-ignored", "resolve", message, path=entry.path))
        return True


def _entering(folder: str, ignore_files: list[str], rules: IgnoreRules | None) -> IgnoreRules:
    from pi_pkg.resources.ignore import IgnoreRules  # start-up time: few scanned folders hold ignore files

    return (rules or IgnoreRules()).entering(folder, ignore_files)


def _entries(folder: str) -> tuple[list[os.DirEntry[str]], list[str], bool]:
    """The entries that a scan looks at, by name, the ignore files, and whether there are links.

    Nothing of a folder that cannot be read.
    """
    ignore_files: list[str] = []
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:
        return [], [], False
    visible: list[os.DirEntry[str]] = []
    has_links = False
    for entry in entries:
        name = entry.name
        if name[0] == "." or name in SKIPPED:
            if name in IGNORE_FILES:
                ignore_files.append(name)
        elif not entry.is_symlink():
            visible.append(entry)
        else:
            has_links = True
            if _leads_somewhere(entry):
                visible.append(entry)
    if len(visible) > 1:
        visible.sort(key=_by_name)
    return visible, ignore_files, has_links


def _leads_somewhere(link: os.DirEntry[str]) -> bool:
    """Whether a link ends at a file or a folder; one that runs in a circle does not."""
    try:
        return link.is_dir() or link.is_file()
    except OSError:
        return False
