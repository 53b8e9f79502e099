"""A top-level list of the settings (`extensions`, `skills`, `prompts`, `themes`): paths, and patterns.

The reference's rules (§4.5). An exclusion binds its own scope and is applied last there, over packages too;
a project's `+path` switches a resource on again that the user's settings switched off.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import ResourceType
from pi_pkg.resources.candidates import Candidate, Choice
from pi_pkg.resources.collect import Collector
from pi_pkg.resources.marks import is_pattern, quoted
from pi_pkg.resources.paths import absolute
from pi_pkg.resources.ranking import Rank, Record
from pi_pkg.settings.model import Layer, LayerScope

if TYPE_CHECKING:
    from pi_pkg.resources.matching import Matcher

_PACKAGE_RANK: Final[dict[LayerScope, Rank]] = {
    "project": Rank.PROJECT_PACKAGE,
    "user": Rank.USER_PACKAGE,
}
_HINT: Final = (
    "A glob without a mark only filters the paths listed beside it; an exclusion reaches its own scope only."
)


class TopLevelList:
    """One list of one layer."""

    __slots__ = ("_base", "_home", "_matcher", "_paths", "kind", "layer")

    def __init__(self, layer: Layer, kind: ResourceType, home: str) -> None:
        self.layer = layer
        self.kind = kind
        self._home = home
        self._base = os.path.dirname(layer.path)
        entries = layer.listed(kind)
        self._paths = [entry for entry in entries if not is_pattern(entry)]
        self._matcher = self._match([entry for entry in entries if is_pattern(entry)])

    def _match(self, patterns: list[str]) -> Matcher | None:
        if not patterns:
            return None
        from pi_pkg.resources.matching import Matcher  # start-up time: most lists hold no patterns

        return Matcher(patterns, self._where, home=self._home)

    @property
    def _where(self) -> str:
        return f"{self.layer.path}: {self.kind}"

    def named(self, collector: Collector) -> Iterator[Choice]:
        """What its paths hold, filtered by its patterns; files as they are, folders by their conventions."""
        for path in self._paths:
            candidates = self._files(path, collector)
            yield from _on(candidates) if not self._matcher else self._matcher.select(candidates, self._base)

    def found(self, candidates: Iterable[Candidate], base: str) -> Iterator[Choice]:
        """What discovery found for a folder: on, unless the list's marks say otherwise."""
        return _on(candidates) if self._matcher is None else self._matcher.override(candidates, base)

    def exclude(self, records: Iterable[Record]) -> None:
        """Switch off the scope's package resources that the list excludes."""
        if self._matcher is None:
            return
        rank = _PACKAGE_RANK[self.layer.scope]
        for record in records:
            if record.rank is rank:
                rule = self._matcher.exclusion(record.candidate, self._base)
                if rule is not None and record.enabled:
                    record.switch_off(rule)

    def readmit(self, records: Iterable[Record]) -> None:
        """Switch on the user's resources that the user's settings switched off and this list names by `+`."""
        if self._matcher is None:
            return
        off = (record for record in records if not record.enabled)
        for record in off:
            if record.provenance.scope == "user" and self._matcher.forces_on(record.candidate, self._base):
                record.switch_on()

    def report(self, collector: Collector) -> None:
        """Report what is wrong with its patterns, once everything was held against them."""
        if self._matcher is not None:
            self._matcher.report(self.layer.path, collector.report, _HINT)

    def _files(self, entry: str, collector: Collector) -> list[Candidate]:
        path = absolute(entry, base=self._base, home=self._home)
        if os.path.isdir(path):
            return collector.files(self.kind, path, "deep", within=collector.real.of(path))
        if os.path.exists(path):
            return [collector.file(path)]
        message = f"{self._where}: {quoted(entry)} is not there."
        scope, where = self.layer.scope, self.layer.path
        collector.report(Diagnostic("warning", "path-missing", "resolve", message, scope=scope, path=where))
        return []


def _on(candidates: Iterable[Candidate]) -> Iterator[Choice]:
    return (Choice(candidate, True) for candidate in candidates)
