"""Everything that may load, from every layer, in the order in which it counts.

Rank (design of the project, restated in `ranking.Rank`): command line, project settings, project folders,
user settings, user folders, project packages, user packages, environment; explicit paths come last.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pi_pkg.diagnostics import Diagnostic, Severity, distinct
from pi_pkg.locations import RESOURCE_TYPES, ResourceType
from pi_pkg.provenance import Provenance, Scope
from pi_pkg.resources.candidates import Candidate, Choice
from pi_pkg.resources.collect import Collector
from pi_pkg.resources.contents import Contents
from pi_pkg.resources.discover import discover
from pi_pkg.resources.filters import EntryFilter
from pi_pkg.resources.lists import TopLevelList
from pi_pkg.resources.merge import Identified, PlannedEntry, plan_entries
from pi_pkg.resources.model import ResolvedResources, ResolveInputs, Resource
from pi_pkg.resources.packages import Packages, Sighting
from pi_pkg.resources.paths import RealPaths, absolute
from pi_pkg.resources.ranking import Rank, Ranking, Record
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry

if TYPE_CHECKING:
    from pi_pkg.resources.memory import TreeMemory

_NEEDS_SYNC = "its dependencies are not installed; run pi sync"


def resolve(inputs: ResolveInputs, memory: TreeMemory | None = None) -> ResolvedResources:
    """Every resource in rank order, each real file once, disabled ones included.

    Never imports code of a package and never writes. What is missing, hidden or refused is among the
    diagnostics; nothing of one package keeps another from being resolved. What a source tree offers is
    asked of the memory first, which takes over what was read; saving it is the caller's.
    """
    return _Resolution(inputs, memory).result()


class _Resolution:
    """One resolution while it gathers records."""

    def __init__(self, inputs: ResolveInputs, memory: TreeMemory | None) -> None:
        self.inputs = inputs
        self.findings: list[Diagnostic] = []
        self.home = os.fspath(inputs.locations.home)
        self.collector = Collector(RealPaths(), self.findings.append, inputs.host_version)
        self.packages = Packages(inputs.packages, self.collector, inputs.locations.home, memory)
        self.rankings: dict[ResourceType, Ranking] = {kind: Ranking() for kind in RESOURCE_TYPES}
        self.sightings: dict[tuple[str, str], Sighting] = {}

    def result(self) -> ResolvedResources:
        self._add_command_line()
        self._add_packages()
        for kind in RESOURCE_TYPES:
            if kind in self.inputs.discover:
                self._add_top_level(kind)
        self._add_explicit()
        if self.inputs.exclude:
            self._exclude()
        extensions, skills, prompts, themes = (self.rankings[kind].ordered() for kind in RESOURCE_TYPES)
        for ranking in self.rankings.values():
            self.findings += map(_second_way, filter(_is_news, ranking.dropped))
        return ResolvedResources(
            extensions, skills, prompts, themes, distinct(self.findings), import_roots(extensions)
        )

    def _layers(self) -> Iterator[Layer]:
        """The layers in force, the project's first."""
        if self.inputs.project is not None:
            yield self.inputs.project
        yield self.inputs.user

    # The command line.

    def _add_command_line(self) -> None:
        base = os.fspath(self.inputs.locations.project_dir)
        for text in self.inputs.cli:
            sighting = self.packages.sight(text, base=base, scope="temporary")
            contents = self.packages.contents(sighting, text, "temporary") if sighting else None
            if contents is not None:
                self._add_asked_for(text, contents)

    def _add_asked_for(self, text: str, contents: Contents) -> None:
        for kind, candidates in contents.offered.items():
            for candidate in candidates:
                provenance = _asked_for(candidate, kind, text, contents)
                self._add(Rank.CLI, kind, Choice(candidate, True), provenance, contents)

    def _add_explicit(self) -> None:
        base = os.fspath(self.inputs.locations.project_dir)
        for kind, texts in self.inputs.explicit.items():
            for text in texts:
                path = absolute(text, base=base, home=self.home)
                for candidate in self._explicit_files(kind, text, path):
                    provenance = Provenance(candidate.path, "cli", "temporary", "top-level")
                    self._add(Rank.EXPLICIT, kind, Choice(candidate, True), provenance)

    def _explicit_files(self, kind: ResourceType, text: str, path: str) -> list[Candidate]:
        if os.path.isdir(path):
            return self.collector.files(kind, path, "direct", within=self.collector.real.of(path))
        if os.path.exists(path):
            return [self.collector.file(path)]
        message = f"{text!r} does not exist: {path}."
        severity: Severity = "warning" if kind == "skills" else "error"
        self.findings.append(Diagnostic(severity, "explicit-missing", "resolve", message, path=path))
        return []

    # Packages.

    def _add_packages(self) -> None:
        if not self.inputs.discover:
            return
        project = self.inputs.project
        mine = [*self._identified(self.inputs.user), *self._environment()]
        plan = plan_entries(self._identified(project) if project else (), mine)
        for planned in plan:
            source, owner = planned.located_by.source, planned.owner
            contents = self.packages.contents(self.sightings[(owner, source)], source, owner)
            if contents is not None:
                self._add_package(planned, contents)

    def _identified(self, layer: Layer) -> Iterator[Identified]:
        """The entries of a layer that name a source, with its identity."""
        base = os.path.dirname(layer.path)
        for entry in layer.packages:
            sighting = self.packages.sight(entry.source, base=base, scope=layer.scope)
            if sighting is not None:
                self.sightings[(layer.scope, entry.source)] = sighting
                yield sighting.identity, entry

    def _environment(self) -> Iterator[Identified]:
        """An entry for each package beside pi, as if the user had listed it last."""
        for root in self.packages.of_scope("environment"):
            self.sightings[("user", root.source)] = Sighting(root.identity, None)
            yield root.identity, PackageEntry(root.source)

    def _add_package(self, planned: PlannedEntry, contents: Contents) -> None:
        layer, source = self._layer(planned.scope), planned.entry.source
        chooser = EntryFilter(planned.entry, layer.path, self.home, self.findings.append)
        scope: Scope = "environment" if planned.identity.startswith("env:") else planned.scope
        rank = _package_rank(scope)
        for kind in RESOURCE_TYPES:
            if kind in self.inputs.discover:
                for choice in chooser.choose(kind, contents):
                    candidate = choice.candidate
                    base = candidate.base or contents.base
                    provenance = Provenance(candidate.path, source, scope, "package", base)
                    self._add(rank, kind, choice, provenance, contents)

    def _layer(self, scope: LayerScope) -> Layer:
        project = self.inputs.project
        return project if scope == "project" and project is not None else self.inputs.user

    # Settings lists and conventional folders.

    def _add_top_level(self, kind: ResourceType) -> None:
        lists = [TopLevelList(layer, kind, self.home) for layer in self._layers()]
        for listed in lists:
            self._add_named(listed)
        for listed in lists:
            self._add_found(listed)
        ranking = self.rankings[kind]
        for listed in lists:
            listed.exclude(ranking)
            if listed.layer.scope == "project":
                listed.readmit(ranking)
            listed.report(self.collector)

    def _add_named(self, listed: TopLevelList) -> None:
        scope = listed.layer.scope
        rank = Rank.PROJECT_SETTINGS if scope == "project" else Rank.USER_SETTINGS
        for choice in listed.named(self.collector):
            provenance = Provenance(choice.candidate.path, "local", scope, "top-level")
            self._add(rank, listed.kind, choice, provenance)

    def _add_found(self, listed: TopLevelList) -> None:
        scope = listed.layer.scope
        rank = Rank.PROJECT_AUTO if scope == "project" else Rank.USER_AUTO
        for base, candidates in discover(self.collector, self.inputs.locations, scope, listed.kind):
            for choice in listed.found(candidates, base):
                provenance = Provenance(choice.candidate.path, "auto", scope, "top-level", base)
                self._add(rank, listed.kind, choice, provenance)

    def _exclude(self) -> None:
        from pi_pkg.resources.excluded import exclude  # start-up time: few runs leave something out

        exclude(self.inputs.exclude, self.rankings["extensions"], self.findings.append)

    # One record.

    def _add(
        self,
        rank: Rank,
        kind: ResourceType,
        choice: Choice,
        provenance: Provenance,
        contents: Contents | None = None,
    ) -> None:
        guard = contents is not None and contents.guard
        record = Record(rank, kind, choice, provenance, guard=guard)
        tree = choice.candidate.tree
        if rank is not Rank.CLI and self.packages.waits_for(tree):
            record.barrier = record.barrier or f"{tree}: {_NEEDS_SYNC}"
            if record.enabled:
                self._report_unsynced(record)
        self.rankings[kind].add(record)

    def _report_unsynced(self, record: Record) -> None:
        where, scope = record.candidate.path, record.provenance.scope
        message = f"{where} is not loaded: dependencies of {record.candidate.tree} are not installed."
        finding = Diagnostic(
            "warning", "dependencies-missing", "resolve", message,
            source=record.provenance.source, scope=scope, path=where, hint="Install them: pi sync",
        )  # fmt: skip
        self.findings.append(finding)


def _is_news(pair: tuple[Record, Record]) -> bool:
    """Whether a package's file came in by a second way, which is not a project's word about the same package.

    A path in a list that names a discovered file is no news either: that is how lists speak of one.
    """
    second, first = (record.provenance for record in pair)
    if second.origin == first.origin == "package":
        return second.base_dir != first.base_dir
    return second.origin != first.origin


def _second_way(pair: tuple[Record, Record]) -> Diagnostic:
    second, first = pair
    way = second.provenance
    message = (
        f"{second.candidate.path} is there already, by way of {first.provenance.source!r} "
        f"({first.candidate.path}); {way.source!r} adds nothing."
    )
    return Diagnostic(
        "info", "resource-duplicate", "resolve", message,
        source=way.source, scope=way.scope, path=second.candidate.path,
    )  # fmt: skip


def _package_rank(scope: Scope) -> Rank:
    if scope == "environment":
        return Rank.ENVIRONMENT
    return Rank.PROJECT_PACKAGE if scope == "project" else Rank.USER_PACKAGE


def _asked_for(candidate: Candidate, kind: ResourceType, text: str, contents: Contents) -> Provenance:
    """Where a resource of a `-e` source comes from: code and skills stand alone, data keeps its package."""
    if kind in ("extensions", "skills"):
        return Provenance(candidate.path, "cli", "temporary", "top-level")
    return Provenance(candidate.path, text, "temporary", "package", candidate.base or contents.base)


def import_roots(extensions: Iterable[Resource]) -> tuple[str, ...]:
    """The folders that enabled extensions are importable from, in rank order, each once."""
    roots = (item.import_root for item in extensions if item.enabled and item.import_root is not None)
    return tuple(dict.fromkeys(roots))
