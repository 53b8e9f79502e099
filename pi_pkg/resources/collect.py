"""Which files of a folder, and which modules of an import package, are resources.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import RESOURCE_TYPES, ResourceType
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.conventions import PACKAGE_FILE, has_suffix
from pi_pkg.resources.documents import Documents
from pi_pkg.resources.entry_points import PACKAGE_GROUP, Located, dotted_name, locate, parse_value
from pi_pkg.resources.manifest import read_manifest, read_package_manifest
from pi_pkg.resources.marks import quoted
from pi_pkg.resources.model import HOST_VERSION, EntryPoint, Manifest
from pi_pkg.resources.named import Names
from pi_pkg.resources.paths import RealPaths, is_within
from pi_pkg.resources.scan import Depth, Report, Scanner

_OWN_ENTRIES: Final = frozenset({PACKAGE_FILE, "pyproject.toml", "pi.toml"})
"""Files that can make a folder an extension by itself."""


class Collector(Scanner):
    """Reads folders and import packages, their manifests included."""

    def __init__(self, real: RealPaths, report: Report, host_version: str = HOST_VERSION) -> None:
        super().__init__(real, report)
        self.documents = Documents(self.witness)
        self.host_version = host_version
        self._entered: set[str] = set()
        """Extension folders that are being read, whose manifests may name the folder itself."""

    def files(self, kind: ResourceType, folder: str, depth: Depth, *, within: str) -> list[Candidate]:
        """The resources of a folder, in order; empty if it is no folder.

        `within` is the real path that manifests of extension folders below may not leave.
        """
        if kind == "extensions":
            return self.extensions(folder, within=within)
        return self.skills(folder, depth) if kind == "skills" else self.by_suffix(kind, folder, depth)

    def file(self, path: str) -> Candidate:
        """A file taken as it is."""
        return Candidate(path, self.real.of(path))

    def extensions(self, folder: str, *, within: str) -> list[Candidate]:
        """An extension folder's own entries, else its `*.py` files and the extension folders right below."""
        seen = self.scan("extensions", folder)
        if not _OWN_ENTRIES.isdisjoint([entry.name for entry in seen.entries]):
            own = self.extension_folder(folder, within=within)
            if own:
                return own
        found: list[Candidate] = []
        for entry in seen.entries:
            if entry.is_dir():
                inner = seen.real_of(entry, self.real)
                limit = within if is_within(inner, within) and within != seen.real else inner
                found += self.extension_folder(entry.path, within=limit)
            elif has_suffix("extensions", entry.name) and entry.is_file():
                found.append(Candidate(entry.path, seen.real_of(entry, self.real)))
        return found

    def extension_folder(self, folder: str, *, within: str) -> list[Candidate]:
        """The entries of one extension folder: its manifest's, its entry points', or its `__init__.py`."""
        if folder in self._entered:
            return self._package_file(folder)
        self.witness.see(folder)
        self._entered.add(folder)
        try:
            manifest = self.noted(read_manifest(folder, self.documents), of_package=False)
            found = self._listed(folder, manifest, within) or self._advertised(folder, manifest)
        finally:
            self._entered.remove(folder)
        found = found or self._package_file(folder)
        if manifest.dependencies:
            found = [item._replace(tree=folder) for item in found]
        if manifest.guard:
            found = [item._replace(guard=True) for item in found]
        return blocked(found, self.unfit(manifest, folder))

    def noted(self, manifest: Manifest | None, *, of_package: bool = True) -> Manifest:
        """A manifest whose findings are reported; an empty one where there is none.

        Scripts in a folder of extensions are no finding: the folder may be shared with a host that runs them.
        """
        if manifest is None:
            return Manifest()
        for finding in manifest.diagnostics:
            if of_package or finding.code != "javascript-extensions":
                self.report(finding)
        return manifest

    def unfit(self, manifest: Manifest, folder: str) -> str | None:
        """Why what a manifest stands for cannot load in this pi, reported; None where it can."""
        if manifest.requires_host is None and manifest.tested_host is None:
            return None
        from pi_pkg.resources.host import judged  # start-up time: few manifests speak of the host

        findings, reason = judged(manifest, folder, self.host_version)
        for finding in findings:
            self.report(finding)
        return reason

    def named(
        self, manifest: Manifest, folder: str, within: str | None = None
    ) -> dict[ResourceType, list[Candidate]]:
        """The resources of each type that the manifest names, in the order of its entries."""
        limit = self.real.of(folder) if within is None else within
        names = Names(self, folder, manifest.path or folder, limit)
        listed = ((kind, manifest.listed(kind)) for kind in RESOURCE_TYPES)
        return {kind: names.files(kind, entries) for kind, entries in listed if entries is not None}

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
        if value:
            self._see_parents(value[0], roots)
        if found is None:
            where = ", ".join(roots)
            message = (
                f"Entry point {quoted(entry_point.name)} names {quoted(entry_point.value)}, "
                f"which is not in {where}."
            )
            hint = "A module that only exists after a build needs --build." if value else "Write module:name."
            self.report(Diagnostic("error", "entry-point-missing", "resolve", message, hint=hint))
        return found

    def _see_parents(self, module: str, roots: Iterable[str]) -> None:
        """Note the folders that an import of a module looks into."""
        *parents, last = module.split(".")
        for folder in roots:
            self.witness.see(folder)
            for name in (*parents, last):
                folder = os.path.join(folder, name)
                if not os.path.isdir(folder):
                    break
                self.witness.see(folder)

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
        manifest = self.noted(read_package_manifest(folder, self.documents))
        if manifest.declares_resources:
            found = self._listed(folder, manifest, self.real.of(folder))
        elif os.path.isdir(os.path.join(folder, "extensions")):
            found = self.extensions(os.path.join(folder, "extensions"), within=self.real.of(folder))
        else:
            found = [self.module(located, name)] if located.is_importable else []
        named = [
            importable(item, located.import_root, located)._replace(base=folder, guard=manifest.guard)
            for item in found
        ]
        return blocked(named, self.unfit(manifest, folder))

    def _listed(self, folder: str, manifest: Manifest, within: str) -> list[Candidate]:
        """What a manifest's extension list names."""
        if not manifest.extensions:
            return []
        return Names(self, folder, manifest.path or folder, within).files("extensions", manifest.extensions)

    def _advertised(self, folder: str, manifest: Manifest) -> list[Candidate]:
        if not manifest.entry_points:
            return []
        return list(self.from_entry_points(manifest.entry_points, import_roots_of(folder)))

    def _package_file(self, folder: str) -> list[Candidate]:
        path = os.path.join(folder, PACKAGE_FILE)
        self.witness.look(path)
        return [self.file(path)] if os.path.isfile(path) else []


def blocked(candidates: list[Candidate], reason: str | None) -> list[Candidate]:
    """The candidates, none of which can load if there is a reason."""
    if reason is None:
        return candidates
    return [item._replace(blocked=item.blocked or reason) for item in candidates]


def importable(candidate: Candidate, import_root: str, package: Located | None = None) -> Candidate:
    """The candidate with its import name, if it is part of a package below an importable folder.

    `package` is an import package that an entry point names, and whose parents need no `__init__.py`.
    """
    if candidate.module is not None:
        return candidate
    top = None if package is None else package.folder
    return candidate._replace(
        import_root=import_root, module=dotted_name(candidate.path, import_root, package=top)
    )


def import_roots_of(tree: str) -> list[str]:
    """The folders that a source tree's modules are imported from, the usual one first."""
    src = os.path.join(tree, "src")
    return [src, tree] if os.path.isdir(src) else [tree]
