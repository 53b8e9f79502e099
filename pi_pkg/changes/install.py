"""Packages come into a scope.

Touches: files, git, network (through the builder).
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_pkg.changes import outcomes
from pi_pkg.changes.growth import Grown, Growth, Slot, build_findings, left_out
from pi_pkg.changes.scope import ChangingScope
from pi_pkg.declared import Declared, asked_for, matcher, with_changes
from pi_pkg.errors import PackageError, SourceError
from pi_pkg.install.generation import discard_generation
from pi_pkg.install.index import GenerationIndex
from pi_pkg.locations import Locations
from pi_pkg.outcome import Outcome, Report
from pi_pkg.settings.edit import put_packages
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry

Asked = tuple[str, Declared]
"""What was typed, and the package that it names."""


def named(
    sources: Sequence[str], locations: Locations, scope: LayerScope
) -> tuple[dict[str, Outcome], tuple[Asked, ...]]:
    """The refused ones by what was typed, and the packages that were named, each once."""
    refused: dict[str, Outcome] = {}
    found: dict[str, Asked] = {}
    for text in dict.fromkeys(sources):
        try:
            item = asked_for(text, locations, scope)
            if item.identity in found:
                first = found[item.identity][0]
                raise SourceError(text, f"it names the same package as {first!r}", "Name one of them.")
        except SourceError as error:
            refused[text] = Outcome(text, "refused", scope, error=error)
        else:
            found[item.identity] = (text, item)
    return refused, tuple(found.values())


def install(scope: ChangingScope, asked: Sequence[Asked], *, dry_run: bool = False) -> Report:
    """Bring packages in, all in one generation if they go together, else as many as do.

    Raises:
        SettingsError: the settings cannot be read; nothing was tried.
    """
    with scope.turn():
        layer = scope.readable()
        if not asked:
            return Report(())
        before = scope.in_force()
        known = scope.declared(layer)
        slots = _slots(scope, known, asked, before)
        slots += [Slot(item.identity, item) for item in _others(scope.trees(layer, before), asked)]
        grown = Growth(scope, before).grow(slots)
        refused = dict(grown.refused)
        if not dry_run:
            refused |= _put_in_force(scope, layer, grown, asked)
        report = _report(scope, asked, known, before, grown, refused)
        if not dry_run:
            scope.tidy()
        elif grown.index is not None:
            discard_generation(scope.folder, grown.index.generation)
            return Report(tuple(map(outcomes.planned, report.outcomes)), report.diagnostics)
        return report


def _slots(
    scope: ChangingScope, known: Sequence[Declared], asked: Sequence[Asked], before: GenerationIndex | None
) -> list[Slot]:
    """The asked ones in the places of what they replace, then the new ones; what was never brought here is
    tried on the way."""
    new = {item.identity: item for _, item in asked}
    old = {item.identity: item for item in known}
    slots = []
    for item in with_changes(known, new.values()):
        kept = old.get(item.identity)
        if kept is not None and scope.standing(kept, before) is None:
            kept = None
        if item.identity in new:
            slots.append(Slot(item.identity, kept, item, fresh=True))
        else:
            slots.append(Slot(item.identity, kept, None if kept else item))
    return slots


def _others(trees: Sequence[Declared], asked: Sequence[Asked]) -> list[Declared]:
    """Those that are not asked for as packages."""
    identities = {item.identity for _, item in asked}
    return [item for item in trees if item.identity not in identities]


def _put_in_force(
    scope: ChangingScope, layer: Layer, grown: Grown, asked: Sequence[Asked]
) -> dict[str, PackageError]:
    """Put the generation in force and declare what it brought; why not, by identity, if that fails."""
    accepted = [item for _, item in asked if item.identity not in grown.refused]
    if grown.index is None:
        return {}
    home = scope.locations.home
    entries = [(PackageEntry(item.text), matcher({item.identity}, (), layer, home)) for item in accepted]
    try:
        generation = grown.index.generation
        scope.put_in_force(generation, layer, lambda document: put_packages(document, entries))
    except PackageError as error:
        discard_generation(scope.folder, grown.index.generation)
        return {item.identity: error for item in accepted}
    return {}


def _report(
    scope: ChangingScope,
    asked: Sequence[Asked],
    known: Sequence[Declared],
    before: GenerationIndex | None,
    grown: Grown,
    refused: dict[str, PackageError],
) -> Report:
    done: list[Outcome] = []
    for text, item in asked:
        if item.identity in refused or grown.index is None:
            done.append(outcomes.refused(text, item, scope.name, refused[item.identity]))
        else:
            done.append(outcomes.installed(text, item, scope.name, known, before, grown.index))
    identities = {item.identity for _, item in asked}
    missing = [
        left_out(item, scope, refused[item.identity].message)
        for item in known
        if item.identity in refused and item.identity not in identities
    ]
    texts = {item.text for _, item in asked if item.identity not in refused}
    notes = build_findings(grown.index, texts) if grown.index is not None else []
    return Report(tuple(done), (*grown.diagnostics, *missing, *notes))
