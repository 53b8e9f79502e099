"""The files that a manifest names: its paths and globs, kept inside the package, then its own marks.

Touches: files.
"""

from __future__ import annotations

import os
import re
import stat
from typing import Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import RESOURCE_TYPES, ResourceType
from pi_pkg.resources.collect import Candidate, Collector
from pi_pkg.resources.expand import expand
from pi_pkg.resources.globs import GlobError, has_magic
from pi_pkg.resources.model import Manifest
from pi_pkg.resources.paths import is_within
from pi_pkg.resources.patterns import PatternList, Subject, is_marked
from pi_pkg.values import dataclass

_UNTIDY: Final = re.compile(r"\.|//|/$|\\")
"""What a path needs to hold for its normal form to differ."""


def manifest_files(
    collector: Collector, manifest: Manifest, folder: str
) -> dict[ResourceType, list[Candidate]]:
    """The resources of each type that the manifest names, in the order of its entries, each path once."""
    names = _Names(collector, folder, collector.real.of(folder), manifest.path or folder)
    listed = ((kind, manifest.listed(kind)) for kind in RESOURCE_TYPES)
    return {kind: names.files(kind, entries) for kind, entries in listed if entries is not None}


@dataclass(frozen=True, slots=True)
class _Names:
    """The entries of one manifest, read against its folder."""

    collector: Collector
    folder: str
    within: str
    """Real path of the folder, which no entry may leave."""
    manifest: str

    def files(self, kind: ResourceType, entries: tuple[str, ...]) -> list[Candidate]:
        found: dict[str, Candidate] = {}
        marked: list[str] = []
        for entry in entries:
            if is_marked(entry):
                marked.append(entry)
                continue
            for path in self._paths(entry):
                for candidate in self._at(kind, path, entry):
                    found.setdefault(candidate.path, candidate)
        return self._kept(list(found.values()), marked) if marked else list(found.values())

    def _paths(self, entry: str) -> list[str]:
        """The paths of one entry, hits of a glob in order."""
        if not has_magic(entry):
            path = os.path.join(self.folder, entry)
            return [os.path.normpath(path) if _UNTIDY.search(entry) else path]
        if ".." in entry.split("/"):
            self.collector.refuse(entry, self.manifest)
            return []
        try:
            return expand(entry, self.folder)
        except GlobError as problem:
            self._report("pattern-invalid", f"{self.manifest}: {problem}.")
            return []

    def _at(self, kind: ResourceType, path: str, entry: str) -> list[Candidate]:
        """What stands at a path: a file as it is, a folder by its conventions."""
        real, mode = self.collector.real.inspect(path)
        if not mode:
            self._report("manifest-entry-missing", f"{self.manifest} names {entry!r}, which is not there.")
        elif not is_within(real, self.within):
            self.collector.refuse(entry, self.manifest)
        elif stat.S_ISDIR(mode):
            return self.collector.files(kind, path, "deep", within=self.within)
        else:
            return [Candidate(path, real)]
        return []

    def _kept(self, candidates: list[Candidate], marked: list[str]) -> list[Candidate]:
        """The candidates that the manifest's own marks leave."""
        patterns = PatternList(marked)
        for problem in patterns.problems:
            self._report("pattern-invalid", f"{self.manifest}: {problem}.")
        return [item for item in candidates if patterns.select(Subject.of(item.path, self.folder)).enabled]

    def _report(self, code: str, message: str) -> None:
        self.collector.report(Diagnostic("warning", code, "resolve", message, path=self.manifest))
