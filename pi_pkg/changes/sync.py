"""A scope is repaired: what its settings declare is there afterwards, and nothing else.

Nothing moves that is there already.

Touches: files, git, network (through the builder).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pi_pkg.changes import outcomes
from pi_pkg.changes.growth import Grown, Growth, Slot, build_findings
from pi_pkg.changes.scope import ChangingScope, shown_version
from pi_pkg.declared import Declared
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.install.generation import discard_generation
from pi_pkg.install.index import GenerationIndex
from pi_pkg.installed import fits_interpreter
from pi_pkg.outcome import Outcome, Report


def sync(scope: ChangingScope, *, dry_run: bool = False) -> Report:
    """Build what is missing or not as declared, and let go of what no settings name.

    Returns:
        One outcome for each package that is not as it was, refused ones included; empty: nothing to do.

    Raises:
        SettingsError: the settings cannot be read; nothing was tried.
    """
    layer = scope.readable()
    if scope.is_empty(layer) and not scope.trees(layer, None, new=True):
        return Report(())  # a lock would be a file
    with scope.turn():
        layer = scope.readable()
        before = scope.in_force()
        known = [*scope.declared(layer), *scope.trees(layer, before, new=True)]
        if not known and before is None:
            return Report(())
        grown = _grown(scope, known, before)
        report = _report(scope, known, before, grown)
        if dry_run:
            if grown.index is not None:
                discard_generation(scope.folder, grown.index.generation)
            return Report(tuple(map(outcomes.planned, report.outcomes)), report.diagnostics)
        if not known:
            scope.put_in_force(None, layer)
        elif grown.index is not None:
            scope.put_in_force(grown.index.generation, layer)
        scope.tidy()
        return report


def _grown(scope: ChangingScope, known: Sequence[Declared], before: GenerationIndex | None) -> Grown:
    if not known:
        return Grown(None, {})
    slots = [Slot(item.identity, item if scope.standing(item, before) else None, item) for item in known]
    return Growth(scope, before).grow(slots)


def _report(
    scope: ChangingScope, known: Sequence[Declared], before: GenerationIndex | None, grown: Grown
) -> Report:
    done: list[Outcome] = []
    usable = before if before is not None and fits_interpreter(before) else None
    for item in known:
        if item.identity in grown.refused:
            error = grown.refused[item.identity]
            done.append(outcomes.left(item, scope.name, error, grown.index or usable))
        else:
            outcome = outcomes.moved(item, scope.name, usable, grown.index or usable)
            done += [] if outcome.did == "unchanged" else [outcome]
    done += _orphans(scope, known, before)
    if grown.index is None:
        return Report(tuple(done))
    texts = {outcome.source for outcome in done if outcome.ok and outcome.source is not None}
    found = build_findings(grown.index, texts)
    if not done and before is not None and before.generation != grown.index.generation:
        message = "what is installed was built again for this environment, as it was."
        found.append(Diagnostic("info", "scope-rebuilt", "install", message, scope=scope.name))
    return Report(tuple(done), tuple(found))


def _orphans(
    scope: ChangingScope, known: Sequence[Declared], before: GenerationIndex | None
) -> Iterator[Outcome]:
    """What is recorded and declared nowhere."""
    identities = {item.identity for item in known}
    for package in before.packages if before else ():
        if package.identity not in identities:
            shown = package.root if package.kind == "local" else package.source
            yield Outcome(
                shown, "removed", scope.name, package.source, package.identity,
                before=shown_version(package), note="no settings name it",
            )  # fmt: skip
