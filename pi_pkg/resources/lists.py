"""A top-level list of the settings (`extensions`, `skills`, `prompts`, `themes`): paths, and patterns.

Rules of packages.md §4.5. An exclusion binds its own scope and is applied last there, over packages too;
a project's `+path` switches a resource on again that the user's settings switched off.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import ResourceType
from pi_pkg.resources.collect import Candidate, Collector
from pi_pkg.resources.filters import Choice, report_patterns, rule_of, subject_of
from pi_pkg.resources.paths import absolute
from pi_pkg.resources.patterns import PatternList, Subject, Verdict, is_pattern
from pi_pkg.resources.ranking import Rank, Record
from pi_pkg.settings.model import Layer, LayerScope
from pi_pkg.values import dataclass

_PACKAGE_RANK: Final[dict[LayerScope, Rank]] = {
    "project": Rank.PROJECT_PACKAGE,
    "user": Rank.USER_PACKAGE,
}
_HINT: Final = (
    "A glob without a mark only filters the paths listed beside it; an exclusion reaches its own scope only."
)


@dataclass(frozen=True, slots=True)
class TopLevelList:
    """One list of one layer."""

    layer: Layer
    kind: ResourceType
    patterns: PatternList
    home: str

    @classmethod
    def of(cls, layer: Layer, kind: ResourceType, home: str) -> TopLevelList:
        marked = (entry for entry in layer.listed(kind) if is_pattern(entry))
        return cls(layer, kind, PatternList(marked, home=home), home)

    @property
    def base(self) -> str:
        """The folder of the settings file."""
        return os.path.dirname(self.layer.path)

    @property
    def where(self) -> str:
        return f"{self.layer.path}: {self.kind}"

    def named(self, collector: Collector) -> Iterator[Choice]:
        """What its paths hold, filtered by its patterns; files as they are, folders by their conventions."""
        for entry in self.layer.listed(self.kind):
            if is_pattern(entry):
                continue
            for candidate in self._files(entry, collector):
                verdict = self.patterns.select(subject_of(candidate, self.base))
                yield Choice(candidate, verdict.enabled, rule_of(verdict, self.where))

    def found(self, candidates: Iterable[Candidate], base: str) -> Iterator[Choice]:
        """What discovery found for a folder: on, unless the list's marks say otherwise."""
        for candidate in candidates:
            verdict = self.patterns.override(subject_of(candidate, base), Verdict(True))
            yield Choice(candidate, verdict.enabled, rule_of(verdict, self.where))

    def exclude(self, records: Iterable[Record]) -> None:
        """Switch off the scope's package resources that the list excludes."""
        if not self.patterns.patterns:
            return
        rank = _PACKAGE_RANK[self.layer.scope]
        for record in records:
            if record.rank is rank:
                pattern = self.patterns.exclusion(Subject.of(record.candidate.spoken, self.base))
                if pattern is not None and record.enabled:
                    record.switch_off(f"{self.where}: {pattern!r}")

    def readmit(self, records: Iterable[Record]) -> None:
        """Switch on the user's resources that the user's settings switched off and this list names by `+`."""
        if not any(pattern.kind == "on" for pattern in self.patterns.patterns):
            return
        for record in records:
            if record.provenance.scope == "user" and not record.locked:
                subject = Subject.of(record.candidate.spoken, self.base)
                if self.patterns.forces_on(subject) and not record.enabled:
                    record.switch_on()

    def report(self, collector: Collector) -> None:
        """Report what is wrong with its patterns, once everything was held against them."""
        report_patterns(self.patterns, self.where, self.layer.path, collector.report, _HINT)

    def _files(self, entry: str, collector: Collector) -> list[Candidate]:
        path = absolute(entry, base=self.base, home=self.home)
        if os.path.isdir(path):
            return collector.files(self.kind, path, "deep", within=collector.real.of(path))
        if os.path.exists(path):
            return [collector.file(path)]
        message = f"{self.where}: {entry!r} is not there."
        finding = Diagnostic(
            "warning", "path-missing", "resolve", message, scope=self.layer.scope, path=self.layer.path
        )
        collector.report(finding)
        return []
