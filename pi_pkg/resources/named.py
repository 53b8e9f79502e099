"""The files that a manifest names: its paths and globs, kept inside the package, then its own marks.

Touches: files.
"""

from __future__ import annotations

import os
import re
import stat
from typing import Final, Protocol

from pi_pkg.diagnostics import Diagnostic, Severity
from pi_pkg.locations import ResourceType
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.marks import has_magic, is_marked, quoted
from pi_pkg.resources.paths import RealPaths, is_within
from pi_pkg.resources.scan import Depth, Report
from pi_pkg.resources.witness import Witness

MOST_TOLD: Final = 20
"""Findings of one code about one list that are reported one by one."""
_NAME: Final = re.compile(r"\w+")
"""The usual entry: the name of a folder, neither pattern nor path."""
_UNTIDY: Final = re.compile(r"\.|//|/$|\\")
"""What a path needs to hold for its normal form to differ."""
_BRACES: Final = re.compile(r"\{[^{}]*,[^{}]*\}|\[[^\]]+\]")


class FolderReader(Protocol):
    """What reads a folder that a manifest names, and where findings go."""

    real: RealPaths
    report: Report
    witness: Witness

    def files(self, kind: ResourceType, folder: str, depth: Depth, *, within: str) -> list[Candidate]:
        """The resources of a folder, in order; `within` is what manifests below may not leave."""
        ...


class Names:
    """The entries of one manifest, read against its folder; none may leave `within`, a real path."""

    __slots__ = ("_told", "folder", "manifest", "reader", "within")

    def __init__(self, reader: FolderReader, folder: str, manifest: str, within: str) -> None:
        self.reader = reader
        self.folder = folder
        self.manifest = manifest
        self.within = within
        self._told: dict[str, int] = {}

    def files(self, kind: ResourceType, entries: tuple[str, ...]) -> list[Candidate]:
        """The resources of one type that the entries name, in their order, each path once."""
        if len(entries) == 1 and _NAME.fullmatch(entries[0]):
            return self._one_folder(kind, entries[0])
        found: dict[str, Candidate] = {}
        marked: list[str] = []
        for entry in entries:
            if is_marked(entry):
                marked.append(entry)
                continue
            for path in self.paths(entry):
                for candidate in self._at(kind, path, entry):
                    found.setdefault(candidate.path, candidate)
        kept = self.kept(list(found.values()), marked)
        if self._told:
            self._mention_rest(kind)
        return kept

    def _one_folder(self, kind: ResourceType, name: str) -> list[Candidate]:
        """The usual list, a folder of the package's own, without the questions that it does not raise."""
        path = f"{self.folder}{os.sep}{name}"
        try:
            is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
        except OSError:
            is_folder = False
        if not is_folder:
            found = self._at(kind, path, name)
            self._mention_rest(kind)
            return found
        real = self.reader.real
        real.learn(path, f"{real.of(self.folder)}{os.sep}{name}")
        return self.reader.files(kind, path, "deep", within=self.within)

    def paths(self, entry: str) -> list[str]:
        """The paths of one entry, hits of a glob in order."""
        if not has_magic(entry):
            path = os.path.join(self.folder, entry)
            return [os.path.normpath(path) if _UNTIDY.search(entry) else path]
        self.reader.witness.spoil()  # what a pattern names is looked for everywhere below
        if ".." in entry.split("/"):
            self.refuse(entry)
            return []
        from pi_pkg.resources.expand import GlobError, expand  # start-up time: few manifests hold globs

        try:
            return expand(entry, self.folder)
        except GlobError as problem:
            self._report("pattern-invalid", f"{self.manifest}: {problem}.")
            return []

    def _at(self, kind: ResourceType, path: str, entry: str) -> list[Candidate]:
        """What stands at a path: a file as it is, a folder by its conventions."""
        self.reader.witness.see_folders(path, self.folder)
        real, mode = self.reader.real.inspect(path)
        if not mode:
            self._mention_missing(entry)
        elif not is_within(real, self.within):
            self.refuse(entry)
        elif stat.S_ISDIR(mode):
            return self.reader.files(kind, path, "deep", within=self.within)
        else:
            return [Candidate(path, real)]
        return []

    def refuse(self, entry: str) -> None:
        """Report an entry that leaves its package."""
        message = f"{self.manifest} names {quoted(entry)}, which is outside of the package; it is left out."
        self._report("entry-outside-package", message, severity="error")

    def _mention_missing(self, entry: str) -> None:
        hint = None
        if _BRACES.search(entry):
            hint = "Braces and brackets alone are a name; together with a * or ? they are a pattern."
        self._report(
            "manifest-entry-missing", f"{self.manifest} names {quoted(entry)}, which is not there.", hint
        )

    def _mention_rest(self, kind: ResourceType) -> None:
        """Say how many findings were not told, for a list with hundreds of them."""
        for code, count in self._told.items():
            if count > MOST_TOLD:
                message = f"{self.manifest}: {kind} holds {count - MOST_TOLD} more entries of this kind."
                self.reader.report(Diagnostic("warning", code, "resolve", message, path=self.manifest))
        self._told.clear()

    def kept(self, candidates: list[Candidate], marked: list[str]) -> list[Candidate]:
        """The candidates that the manifest's own marks leave."""
        if not marked:
            return candidates
        from pi_pkg.resources.patterns import PatternList, Subject  # start-up time: few hold marks

        patterns = PatternList(marked)
        for problem in patterns.problems:
            self._report("pattern-invalid", f"{self.manifest}: {problem}.")
        return [item for item in candidates if patterns.select(Subject.of(item.path, self.folder)).enabled]

    def _report(
        self, code: str, message: str, hint: str | None = None, severity: Severity = "warning"
    ) -> None:
        told = self._told[code] = self._told.get(code, 0) + 1
        if told <= MOST_TOLD:
            finding = Diagnostic(severity, code, "resolve", message, path=self.manifest, hint=hint)
            self.reader.report(finding)
