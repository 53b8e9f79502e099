"""Which files of a folder are resources of one type.

Entries come in the order of their names; links are followed, broken ones and loops passed over; what
an ignore file hides is reported.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import ResourceType
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.conventions import IGNORE_FILES, PACKAGE_FILE, SKILL_FILE, has_suffix, is_skipped
from pi_pkg.resources.entry_points import PACKAGE_GROUP, Located, dotted_name, locate, parse_value
from pi_pkg.resources.manifest import read_manifest, read_package_manifest
from pi_pkg.resources.model import EntryPoint, Manifest
from pi_pkg.resources.paths import RealPaths, is_within

if TYPE_CHECKING:
    from pi_pkg.resources.ignore import IgnoreRules

Depth: TypeAlias = Literal["deep", "direct", "agents"]
"""How a folder is read: with its sub-folders, without them (prompts and themes), or as `.agents/skills`."""
Report: TypeAlias = Callable[[Diagnostic], None]


_OWN_ENTRIES: Final = frozenset({PACKAGE_FILE, "pyproject.toml", "pi.toml"})
"""Files that can make a folder an extension by itself."""
_by_name = attrgetter("name")


class _Folder(NamedTuple):
    """A folder as a scan sees it."""

    real: str
    entries: list[os.DirEntry[str]]
    """Visible entries by name; links among them lead somewhere."""
    rules: IgnoreRules | None


class Collector:
    """Reads folders, with one memory of real paths and one place for findings."""

    def __init__(self, real: RealPaths, report: Report) -> None:
        self.real = real
        self.report = report

    def files(self, kind: ResourceType, folder: str, depth: Depth, *, within: str) -> list[Candidate]:
        """The resources of a folder, in order; empty if it is no folder.

        `within` is the real path that manifests of extension folders below may not leave.
        """
        if kind == "extensions":
            return self.extensions(folder, within=within)
        found: list[Candidate] = []
        if kind == "skills":
            self._skills(folder, None, depth, (), found)
        else:
            self._by_suffix(kind, folder, None, depth, (), found)
        return found

    def file(self, path: str) -> Candidate:
        """A file taken as it is."""
        return Candidate(path, self.real.of(path))

    def extensions(self, folder: str, *, within: str) -> list[Candidate]:
        """An extension folder's own entries, else its `*.py` files and the extension folders right below."""
        seen = self._folder("extensions", folder, None)
        if not _OWN_ENTRIES.isdisjoint(entry.name for entry in seen.entries):
            own = self.extension_folder(folder, within=within)
            if own:
                return own
        found: list[Candidate] = []
        for entry in seen.entries:
            if entry.is_dir():
                inner = self._real(entry, seen)
                limit = within if is_within(inner, within) and within != seen.real else inner
                found += self.extension_folder(entry.path, within=limit)
            elif has_suffix("extensions", entry.name) and entry.is_file():
                found.append(Candidate(entry.path, self._real(entry, seen)))
        return found

    def extension_folder(self, folder: str, *, within: str) -> list[Candidate]:
        """The entries of one extension folder: its manifest's, its entry points', or its `__init__.py`."""
        manifest = self.noted(read_manifest(folder))
        found = list(self._listed(folder, manifest, within)) or self._advertised(folder, manifest)
        found = found or self._package_file(folder)
        return [item._replace(tree=folder) for item in found] if manifest.dependencies else found

    def noted(self, manifest: Manifest | None) -> Manifest:
        """A manifest whose findings are reported; an empty one where there is none."""
        if manifest is None:
            return Manifest()
        for finding in manifest.diagnostics:
            self.report(finding)
        return manifest

    def from_entry_points(self, entry_points: Iterable[EntryPoint], roots: list[str]) -> Iterator[Candidate]:
        """The extensions that entry points name, in order; what is not there is reported."""
        for entry_point in entry_points:
            located = self.located(entry_point, roots)
            if located is None:
                continue
            if entry_point.group == PACKAGE_GROUP:
                yield from self.package_extensions(located, entry_point.name)
            else:
                value = parse_value(entry_point.value)
                attribute = value[1] if value else None
                yield self.module(located, entry_point.name, attribute)

    def located(self, entry_point: EntryPoint, roots: list[str]) -> Located | None:
        """Where an entry point's module stands; reported if nowhere."""
        value = parse_value(entry_point.value)
        found = locate(value[0], roots) if value else None
        if found is None:
            where = ", ".join(roots)
            message = (
                f"Entry point {entry_point.name!r} names {entry_point.value!r}, which is not in {where}."
            )
            hint = "A module that only exists after a build needs --build." if value else "Write module:name."
            self.report(Diagnostic("error", "entry-point-missing", "resolve", message, hint=hint))
        return found

    def module(self, located: Located, name: str | None, attribute: str | None = None) -> Candidate:
        """A module that is an extension by itself, and the entry point that names it."""
        real = self.real.of(located.path)
        base = located.folder or os.path.dirname(located.path)
        return Candidate(located.path, real, located.module, attribute, located.import_root, name, base)

    def package_extensions(self, located: Located, name: str | None) -> list[Candidate]:
        """The extensions of an import package: of `pi.toml`, of `extensions/`, else the package itself."""
        folder = located.folder
        if folder is None:
            return [self.module(located, name)]
        manifest = self.noted(read_package_manifest(folder))
        if manifest.declares_resources:
            found = list(self._listed(folder, manifest, self.real.of(folder)))
        elif os.path.isdir(os.path.join(folder, "extensions")):
            found = self.extensions(os.path.join(folder, "extensions"), within=self.real.of(folder))
        else:
            return [self.module(located, name)] if located.is_importable else []
        return [importable(item, located.import_root)._replace(base=folder) for item in found]

    def _listed(self, folder: str, manifest: Manifest, within: str) -> Iterator[Candidate]:
        """Exact paths of a manifest's extension list that exist; globs do not count here."""
        for entry in manifest.extensions or ():
            path = os.path.normpath(os.path.join(folder, entry))
            if entry[:1] in ("!", "+", "-") or not os.path.exists(path):
                continue
            if is_within(self.real.of(path), within):
                yield self.file(path)
            else:
                self.refuse(entry, manifest.path or folder)

    def refuse(self, entry: str, manifest: str) -> None:
        """Report a manifest entry that leaves its package."""
        message = f"{manifest} names {entry!r}, which is outside of the package; it is left out."
        self.report(Diagnostic("error", "entry-outside-package", "resolve", message, path=manifest))

    def _advertised(self, folder: str, manifest: Manifest) -> list[Candidate]:
        roots = import_roots_of(folder)
        return list(self.from_entry_points(manifest.entry_points, roots))

    def _package_file(self, folder: str) -> list[Candidate]:
        path = os.path.join(folder, PACKAGE_FILE)
        return [self.file(path)] if os.path.isfile(path) else []

    def _skills(
        self,
        folder: str,
        rules: IgnoreRules | None,
        depth: Depth,
        trail: tuple[str, ...],
        found: list[Candidate],
    ) -> None:
        seen = self._folder("skills", folder, rules)
        for entry in seen.entries:
            if entry.name == SKILL_FILE and entry.is_file():
                found.append(Candidate(entry.path, self._real(entry, seen)))
                return
        loose = bool(trail) if depth == "agents" else not trail
        for entry in seen.entries:
            if entry.is_dir():
                if not self._loops(entry, seen, trail):
                    self._skills(entry.path, seen.rules, depth, (*trail, seen.real), found)
            elif loose and has_suffix("skills", entry.name) and entry.is_file():
                found.append(Candidate(entry.path, self._real(entry, seen)))

    def _by_suffix(
        self,
        kind: ResourceType,
        folder: str,
        rules: IgnoreRules | None,
        depth: Depth,
        trail: tuple[str, ...],
        found: list[Candidate],
    ) -> None:
        seen = self._folder(kind, folder, rules)
        for entry in seen.entries:
            if entry.is_dir():
                if depth == "deep" and not self._loops(entry, seen, trail):
                    self._by_suffix(kind, entry.path, seen.rules, depth, (*trail, seen.real), found)
            elif has_suffix(kind, entry.name) and entry.is_file():
                found.append(Candidate(entry.path, self._real(entry, seen)))

    def _real(self, entry: os.DirEntry[str], seen: _Folder) -> str:
        if entry.is_symlink():
            return self.real.of(entry.path)
        return f"{seen.real}{os.sep}{entry.name}"

    def _loops(self, entry: os.DirEntry[str], seen: _Folder, trail: tuple[str, ...]) -> bool:
        """Whether a linked folder leads back to one that is being scanned."""
        if not entry.is_symlink():
            self.real.learn(entry.path, f"{seen.real}{os.sep}{entry.name}")
            return False
        return self.real.of(entry.path) in (*trail, seen.real)

    def _folder(self, kind: ResourceType, folder: str, rules: IgnoreRules | None) -> _Folder:
        """The entries that no name rule and no ignore file hides, and the rules now in force."""
        entries, ignore_files = _scan(folder)
        if ignore_files:
            rules = _entering(folder, ignore_files, rules)
        if rules is not None:
            entries = [entry for entry in entries if not self._ignored(kind, entry, rules)]
        return _Folder(self.real.of(folder), entries, rules)

    def _ignored(self, kind: ResourceType, entry: os.DirEntry[str], rules: IgnoreRules) -> bool:
        line = rules.hides(entry.path, is_dir=entry.is_dir())
        if line is None:
            return False
        if entry.is_dir() or has_suffix(kind, entry.name):
            message = f"{entry.path} is not looked at: {line}"
            self.report(Diagnostic("info", "resource-ignored", "resolve", message, path=entry.path))
        return True


def importable(candidate: Candidate, import_root: str) -> Candidate:
    """The candidate with its import name, if it is part of a package below an importable folder."""
    if candidate.module is not None:
        return candidate
    return candidate._replace(import_root=import_root, module=dotted_name(candidate.path, import_root))


def import_roots_of(tree: str) -> list[str]:
    """The folders that a source tree's modules are imported from, the usual one first."""
    src = os.path.join(tree, "src")
    return [src, tree] if os.path.isdir(src) else [tree]


def _entering(folder: str, ignore_files: list[str], rules: IgnoreRules | None) -> IgnoreRules:
    from pi_pkg.resources.ignore import IgnoreRules  # start-up time: few scanned folders hold ignore files

    return (rules or IgnoreRules()).entering(folder, ignore_files)


def _scan(folder: str) -> tuple[list[os.DirEntry[str]], list[str]]:
    """The entries that a scan looks at, by name, and the ignore files; nothing if it cannot be read."""
    visible: list[os.DirEntry[str]] = []
    ignore_files: list[str] = []
    try:
        with os.scandir(folder) as found:
            for item in found:
                if is_skipped(item.name):
                    if item.name in IGNORE_FILES:
                        ignore_files.append(item.name)
                elif not item.is_symlink() or _leads_somewhere(item):
                    visible.append(item)
    except OSError:
        return [], []
    visible.sort(key=_by_name)
    return visible, ignore_files


def _leads_somewhere(link: os.DirEntry[str]) -> bool:
    """Whether a link ends at a file or a folder; one that runs in a circle does not."""
    try:
        return link.is_dir() or link.is_file()
    except OSError:
        return False
