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
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.collect import Collector
from pi_pkg.resources.marks import has_magic, is_marked
from pi_pkg.resources.model import Manifest
from pi_pkg.resources.paths import is_within

_UNTIDY: Final = re.compile(r"\.|//|/$|\\")
"""What a path needs to hold for its normal form to differ."""


def manifest_files(
    collector: Collector, manifest: Manifest, folder: str
) -> dict[ResourceType, list[Candidate]]:
    """The resources of each type that the manifest names, in the order of its entries, each path once."""
    names = _Names(collector, folder, manifest.path or folder)
    listed = ((kind, manifest.listed(kind)) for kind in RESOURCE_TYPES)
    return {kind: names.files(kind, entries) for kind, entries in listed if entries is not None}


class _Names:
    """The entries of one manifest, read against its folder, whose real path no entry may leave."""

    __slots__ = ("collector", "folder", "manifest", "within")

    def __init__(self, collector: Collector, folder: str, manifest: str) -> None:
        self.collector = collector
        self.folder = folder
        self.manifest = manifest
        self.within = collector.real.of(folder)

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
        from pi_pkg.resources.expand import GlobError, expand  # start-up time: few manifests hold globs

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
        from pi_pkg.resources.patterns import PatternList, Subject  # start-up time: few hold marks

        patterns = PatternList(marked)
        for problem in patterns.problems:
            self._report("pattern-invalid", f"{self.manifest}: {problem}.")
        return [item for item in candidates if patterns.select(Subject.of(item.path, self.folder)).enabled]

    def _report(self, code: str, message: str) -> None:
        self.collector.report(Diagnostic("warning", code, "resolve", message, path=self.manifest))
