"""From a package entry to what the package offers: where it stands, and whether it can load.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

from pi_pkg.diagnostics import Diagnostic, Severity
from pi_pkg.errors import SourceError
from pi_pkg.provenance import Scope
from pi_pkg.resources.collect import Collector
from pi_pkg.resources.contents import Contents, of_distribution, of_file, of_tree
from pi_pkg.resources.manifest import read_manifest
from pi_pkg.resources.model import Manifest, PackageRoot
from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source
from pi_pkg.sources.parse import environment_name, parse_source
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from pi_pkg.resources.memory import TreeMemory

_SYNC: Final = "Install what the settings name: pi sync"
_TAKE_OUT: Final = "Bring it back, or take the entry out of the settings."


@dataclass(frozen=True, slots=True)
class Sighting:
    """A source string that was understood: its identity and, for a path, where it leads."""

    identity: str
    source: Source | None
    """None for `env:NAME`."""


class Packages:
    """The packages that stand on disk, looked up by scope and identity and read once."""

    __slots__ = ("_by_key", "_collector", "_home", "_memory", "_read", "_synced")

    def __init__(
        self,
        roots: Collection[PackageRoot],
        collector: Collector,
        home: Path,
        memory: TreeMemory | None = None,
    ) -> None:
        self._by_key = {(root.scope, root.identity): root for root in roots}
        self._synced = {collector.real.of(os.fspath(root.root)) for root in roots if root.root}
        self._collector = collector
        self._home = os.fspath(home)
        self._read: dict[str, Contents | None] = {}
        self._memory = memory

    def of_scope(self, scope: Scope) -> list[PackageRoot]:
        """The packages of one scope, in the order given."""
        return [root for (owner, _), root in self._by_key.items() if owner == scope]

    def sight(self, text: str, *, base: str, scope: Scope) -> Sighting | None:
        """What a source string names; None, with a finding, if it is no source."""
        if name := environment_name(text):
            return Sighting(f"env:{name}", None)
        try:
            source = parse_source(text, base=base, home=self._home, real=self._collector.real.of)
        except SourceError as problem:
            self._report("source-invalid", problem.message, text, scope, problem.hint)
            return None
        return Sighting(source.identity, source)

    def contents(self, sighting: Sighting, text: str, scope: Scope) -> Contents | None:
        """What a package offers in the installation of a scope; None, with a finding, if it is not there."""
        owner: Scope = "environment" if sighting.source is None else scope
        root = self._by_key.get((owner, sighting.identity))
        path = sighting.source.path if isinstance(sighting.source, LocalSource) else None
        key = path or f"{owner} {sighting.identity}"
        if key not in self._read:
            self._read[key] = self._looked_into(sighting.source, root, text, scope)
        return self._read[key]

    def _looked_into(
        self, source: Source | None, root: PackageRoot | None, text: str, scope: Scope
    ) -> Contents | None:
        """What a package offers; every finding on the way is about this package."""
        tree = None if self._memory is None else _tree_of(source, root)
        if self._memory is None or tree is None:
            return self._read_afresh(source, root, text, scope)[0]
        real, given = self._collector.real.of(tree), _given(root)
        known = self._memory.contents(tree, real, given)
        if known is not None:
            return known
        witness = self._collector.witness
        witness.start()
        contents, found = self._read_afresh(source, root, text, scope)
        seen = witness.stop()
        if contents is not None and seen and not found and not contents.is_file:
            self._memory.remember(tree, real, given, contents, seen)
        return contents

    def _read_afresh(
        self, source: Source | None, root: PackageRoot | None, text: str, scope: Scope
    ) -> tuple[Contents | None, list[Diagnostic]]:
        report, found = self._collector.report, list[Diagnostic]()
        self._collector.report = found.append
        contents = self._look(source, root, text, scope)
        self._collector.report = report
        for finding in found:
            report(_about(finding, text, scope))
        return contents, found

    def waits_for(self, tree: str | None) -> bool:
        """Whether a source tree declares dependencies that no generation holds yet."""
        return tree is not None and self._collector.real.of(tree) not in self._synced

    def _look(
        self, source: Source | None, root: PackageRoot | None, text: str, scope: Scope
    ) -> Contents | None:
        match source:
            case LocalSource() if not source.path.lower().endswith(".whl"):
                contents = self._local(source.path, root)
                if contents is None:
                    self._missing(text, scope, f"there is no {source.path}", _TAKE_OUT)
            case LocalSource() | PypiSource() | GitSource():
                contents = None if root is None else self._installed(root)
                if contents is None:
                    self._missing(text, scope, "it is not installed", _SYNC)
            case None:
                contents = None if root is None else self._installed(root)
                if contents is None:
                    hint = "Install it where pi itself is installed, or take the entry out."
                    self._missing(text, scope, "nothing beside pi has this name", hint)
            case _:
                assert_never(source)
        if contents is not None and not any(contents.offered.values()):
            self._report(
                "package-empty", f"{text!r} offers no extension, skill, prompt or theme.", text, scope
            )
        return contents

    def _local(self, path: str, root: PackageRoot | None) -> Contents | None:
        if os.path.isdir(path):
            return self._tree(path, root)
        return of_file(self._collector, path) if os.path.exists(path) else None

    def _installed(self, root: PackageRoot) -> Contents | None:
        if root.is_tree:
            return self._local(os.fspath(root.root), root) if root.root is not None else None
        folders = [os.fspath(folder) for folder in (root.import_root, root.root) if folder is not None]
        folders = [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]
        return of_distribution(self._collector, root.entry_points, folders) if folders else None

    def _tree(self, path: str, root: PackageRoot | None) -> Contents:
        manifest = read_manifest(path, self._collector.documents) or Manifest()
        if root is None:
            return of_tree(self._collector, path, manifest)
        import_root = None if root.import_root is None else os.fspath(root.import_root)
        return of_tree(self._collector, path, manifest, root.entry_points, import_root)

    def _missing(self, text: str, scope: Scope, found: str, hint: str) -> None:
        self._report("package-missing", f"{text!r} is left out: {found}.", text, scope, hint)

    def _report(self, code: str, message: str, text: str, scope: Scope, hint: str | None = None) -> None:
        """A finding about a package; an error where the user asked for it on the command line."""
        severity: Severity = "error" if scope == "temporary" else "warning"
        self._collector.report(
            Diagnostic(severity, code, "resolve", message, source=text, scope=scope, hint=hint)
        )


def _tree_of(source: Source | None, root: PackageRoot | None) -> str | None:
    """The source tree that a package is read from; None for an installed distribution."""
    if isinstance(source, LocalSource):
        return None if source.path.lower().endswith(".whl") else source.path
    return os.fspath(root.root) if root is not None and root.is_tree and root.root is not None else None


def _given(root: PackageRoot | None) -> str:
    """What the reading of a tree depends on beside the tree."""
    if root is None or (root.import_root is None and not root.entry_points):
        return ""
    return f"{root.import_root} {[(point.group, point.name, point.value) for point in root.entry_points]}"


def _about(finding: Diagnostic, source: str, scope: Scope) -> Diagnostic:
    """A finding made inside a package, with the package's source and scope.

    What is wrong inside a package of the command line keeps no scope: only that the package cannot be had,
    or not by this host, is an error of the command line.
    """
    if finding.source is not None:
        return finding
    owner = None if scope == "temporary" and finding.code != "host-incompatible" else scope
    return Diagnostic(
        finding.severity, finding.code, finding.stage, finding.message, source, owner,
        finding.path, finding.hint, finding.detail,
    )  # fmt: skip
