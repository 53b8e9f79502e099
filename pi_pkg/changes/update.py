"""A scope is brought to what its sources mean today: ranges and branches move, pins stay.

First it is asked what there is, which installs nothing. Only where something moved, or the disk is not
what the settings say, is a generation built.

Touches: files, git, network (through the builder).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pi_pkg.changes import outcomes
from pi_pkg.changes.growth import Grown, Growth, Slot, build_findings
from pi_pkg.changes.scope import ChangingScope, short
from pi_pkg.declared import Declared
from pi_pkg.errors import PackageError, SourceError
from pi_pkg.install.generation import discard_generation
from pi_pkg.install.index import GenerationIndex, InstalledPackage
from pi_pkg.install.lookup import Answer, Newest, newer
from pi_pkg.installed import is_pinned
from pi_pkg.outcome import Outcome, Report
from pi_pkg.settings.model import Layer
from pi_pkg.sources.model import LocalSource
from pi_pkg.sources.parse import environment_name, parse_source


@dataclass(frozen=True, slots=True)
class _Examined:
    """One declared package, what is recorded of it, and what was found."""

    item: Declared
    package: InstalledPackage | None
    """The record; None where it is missing or is not what the settings ask for."""
    answer: Answer | None
    """What an index or a remote said; None where nobody was asked."""

    @property
    def moves(self) -> bool:
        """Whether something newer is to be had, or only trying can tell."""
        package, answer = self.package, self.answer
        if package is None:
            return True
        if not isinstance(answer, Newest):
            return False
        if package.kind == "git":
            return answer.ref_kind == "branch" and answer.latest != package.commit
        if answer.latest is None or package.version is None:
            return True
        return newer(answer.latest, package.version)


def update(scope: ChangingScope, only: Collection[str] | None = None, *, check: bool = False) -> Report:
    """Look at the packages with these identities, at all of them by default, and move what may move.

    Args:
        scope: whose packages; nothing outside of it is changed.
        only: identities.
        check: say what there is and change nothing.

    Raises:
        SettingsError: the settings cannot be read; nothing was tried.
    """
    if check or scope.is_empty(scope.readable()):
        return _look(scope, only)  # a lock would be a file, and others would wait
    with scope.turn():
        layer = scope.readable()
        before = scope.in_force()
        known = scope.declared(layer)
        wrong = _wrong_entries(scope, layer) if only is None else []
        seen = _examine(scope, known, only, before)
        outcome = _move(scope, layer, [*known, *scope.trees(layer, before)], seen, before)
        scope.tidy()
        return replace(outcome, outcomes=(*wrong, *outcome.outcomes))


def _look(scope: ChangingScope, only: Collection[str] | None) -> Report:
    """What an update would find and do."""
    layer, before = scope.readable(), scope.in_force()
    wrong = _wrong_entries(scope, layer) if only is None else []
    seen = _examine(scope, scope.declared(layer), only, before)
    return Report((*wrong, *(_found(scope, one, before) for one in seen)))


def _wrong_entries(scope: ChangingScope, layer: Layer) -> list[Outcome]:
    """A refusal for each entry that names no source."""
    base, home = scope.store.file.path.parent, scope.locations.home
    found = []
    for entry in layer.packages:
        if environment_name(entry.source):
            continue
        try:
            parse_source(entry.source, base=base, home=home)
        except SourceError as error:
            found.append(Outcome(entry.source, "refused", scope.name, entry.source, error=error))
    return found


def _examine(
    scope: ChangingScope,
    known: Sequence[Declared],
    only: Collection[str] | None,
    before: GenerationIndex | None,
) -> list[_Examined]:
    rows = [(item, scope.standing(item, before)) for item in known if only is None or item.identity in only]
    asked = [
        item.source
        for item, package in rows
        if package is not None
        and package.provider != "environment"
        and not isinstance(item.source, LocalSource)
    ]
    found = scope.builder.newest(asked, current=before) if asked else {}
    return [_Examined(item, package, found.get(item.identity)) for item, package in rows]


def _found(scope: ChangingScope, one: _Examined, before: GenerationIndex | None) -> Outcome:
    """What an update would do with one package."""
    if isinstance(one.answer, PackageError):
        return outcomes.left(one.item, scope.name, one.answer, before)
    outcome = _stays(scope, one, before)
    if not one.moves:
        return outcome
    if one.package is None:
        return outcomes.planned(replace(outcome, did="installed"))
    latest = one.answer.latest if isinstance(one.answer, Newest) else None
    after = short(latest) if latest and one.package.kind == "git" else latest
    return outcomes.planned(replace(outcome, did="updated", after=after or "the newest"))


def _move(
    scope: ChangingScope,
    layer: Layer,
    known: Sequence[Declared],
    seen: Sequence[_Examined],
    before: GenerationIndex | None,
) -> Report:
    by_identity = {one.item.identity: one for one in seen}
    slots = [_slot(scope, item, by_identity.get(item.identity), before) for item in known]
    grown = Growth(scope, before).grow(slots)
    refused: dict[str, PackageError] = dict(grown.refused)
    try:
        if grown.index is not None:
            scope.put_in_force(grown.index.generation, layer)
    except PackageError as error:
        discard_generation(scope.folder, grown.index.generation if grown.index else "")
        refused |= {one.item.identity: error for one in seen if one.moves}
        grown = replace(grown, index=None)
    done = tuple(_done(scope, one, before, grown, refused) for one in seen)
    texts = {one.item.text for one in seen if one.moves}
    notes = build_findings(grown.index, texts) if grown.index and _is_new(grown.index, before) else []
    return Report(done, (*grown.diagnostics, *notes))


def _slot(
    scope: ChangingScope, item: Declared, one: _Examined | None, before: GenerationIndex | None
) -> Slot:
    there = scope.standing(item, before) is not None
    if one is not None and one.moves and not isinstance(one.answer, PackageError):
        return Slot(item.identity, item if there else None, item, fresh=True)
    if isinstance(item.source, LocalSource) or not there:
        return Slot(item.identity, None, item)  # what its files say now; or it was never brought here
    return Slot(item.identity, item)


def _done(
    scope: ChangingScope,
    one: _Examined,
    before: GenerationIndex | None,
    grown: Grown,
    refused: Mapping[str, PackageError],
) -> Outcome:
    error = refused.get(one.item.identity)
    if error is None and isinstance(one.answer, PackageError):
        error = one.answer
    if error is not None:
        return outcomes.left(one.item, scope.name, error, grown.index or before)
    after = grown.index or before
    if not one.moves:
        stays = _stays(scope, one, before)
        fresh = outcomes.moved(one.item, scope.name, before, after)
        return stays if fresh.did == "unchanged" else fresh
    outcome = outcomes.moved(one.item, scope.name, before, after)
    if outcome.did == "unchanged" and isinstance(one.answer, Newest) and one.answer.latest is not None:
        held = "which does not go together with the rest"
        return replace(outcome, available=one.answer.latest, note=outcome.note or held)
    return outcome


def _stays(scope: ChangingScope, one: _Examined, before: GenerationIndex | None) -> Outcome:
    """A package that has nothing to move to: as it was, and what a pin keeps out."""
    outcome = replace(outcomes.moved(one.item, scope.name, before, before), did="unchanged")
    if isinstance(one.item.source, LocalSource):
        return replace(outcome, note=outcome.note or "used in place")
    if one.package is None or not is_pinned(one.package, scope.locations.home):
        return outcome
    beyond = one.answer.beyond if isinstance(one.answer, Newest) else None
    return replace(outcome, pinned=True, available=beyond, note=outcome.note or _moved_tag(one))


def _moved_tag(one: _Examined) -> str | None:
    answer, package = one.answer, one.package
    if not isinstance(answer, Newest) or package is None or package.commit is None or answer.latest is None:
        return None
    if answer.ref_kind != "tag" or answer.latest == package.commit:
        return None
    return f"the tag is {short(answer.latest)} now; install it again to follow"


def _is_new(index: GenerationIndex, before: GenerationIndex | None) -> bool:
    return before is None or index.generation != before.generation
