"""Packages leave a scope: the settings first, then the files. Nothing is resolved, so no index is needed.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pi_pkg.changes import outcomes
from pi_pkg.changes.elsewhere import where_else
from pi_pkg.changes.growth import Growth, Slot
from pi_pkg.changes.scope import ChangingScope, shown_version
from pi_pkg.declared import likely_meant, matcher
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import InstallError, NoSuchPackage
from pi_pkg.install.index import GenerationIndex
from pi_pkg.outcome import Outcome, Report
from pi_pkg.settings.edit import remove_package
from pi_pkg.settings.model import Layer
from pi_pkg.sources.identity import identity_of


def remove(scope: ChangingScope, asked: Sequence[str], *, cwd: Path, dry_run: bool = False) -> Report:
    """Take packages out by any spelling of their source, or by the literal text of an entry.

    Raises:
        SettingsError: the settings cannot be read or written; nothing was changed.
    """
    with scope.turn():
        layer = scope.readable()
        before = scope.in_force()
        done = [_removal(scope, text, layer, before, cwd) for text in asked]
        gone = [outcome for outcome in done if outcome.ok]
        if dry_run:
            return Report(tuple(map(outcomes.planned, done)))
        if not gone:
            return Report(tuple(done))
        _forget(scope, gone, layer)
        found = _rebuild_smaller(scope, gone, layer, before)
        scope.tidy()
        return Report(tuple(done), tuple(found))


def _removal(
    scope: ChangingScope, text: str, layer: Layer, before: GenerationIndex | None, cwd: Path
) -> Outcome:
    home = scope.locations.home
    identity = identity_of(text, base=cwd, home=home)
    matches = matcher({identity} if identity else (), {text.strip()}, layer, home)
    entry = next((entry.source for entry in layer.packages if matches(entry.source)), None)
    if entry is None and any(text.strip() == one.source for one in layer.packages):
        # As it is listed: a path that is relative to the settings file.
        entry = text.strip()
        identity = identity_of(entry, base=Path(layer.path).parent, home=home)
    if entry is not None:
        version = shown_version(outcomes.package_in(before, identity))
        note = _still_there(scope, identity)
        return Outcome(text, "removed", scope.name, entry, identity, before=version, note=note)
    near = likely_meant(text, [layer], cwd=cwd, home=home)
    known = [one.source for one in layer.packages]
    elsewhere = where_else(scope, identity)
    error = NoSuchPackage(text, layer.path, known=known, near=near, elsewhere=elsewhere)
    return Outcome(text, "refused", scope.name, None, identity, error=error)


def _still_there(scope: ChangingScope, identity: str | None) -> str | None:
    """Who else keeps the package in force."""
    beside = scope.beside
    if beside is None or identity is None:
        return None
    matches = matcher({identity}, (), beside, scope.locations.home)
    if not any(matches(entry.source) for entry in beside.packages):
        return None
    return f"still declared in {beside.path}"


def _forget(scope: ChangingScope, gone: Sequence[Outcome], layer: Layer) -> None:
    identities = {outcome.identity for outcome in gone if outcome.identity is not None}
    texts = {outcome.source for outcome in gone if outcome.source is not None}
    matches = matcher(identities, texts, layer, scope.locations.home)
    scope.store.edit(lambda document: remove_package(document, matches))


def _rebuild_smaller(
    scope: ChangingScope, gone: Sequence[Outcome], layer: Layer, before: GenerationIndex | None
) -> list[Diagnostic]:
    """The files without what is gone. If that fails they stay, declared and loaded by nobody."""
    if before is None or not any(before.package(outcome.identity or "") for outcome in gone):
        return []
    smaller = scope.readable()
    wanted = [*scope.declared(smaller), *scope.trees(smaller, before)]
    rest = [item for item in wanted if before.package(item.identity)]
    try:
        if rest:
            index = Growth(scope, before).keep([Slot(item.identity, item) for item in rest])
            scope.put_in_force(index.generation, layer)
        else:
            scope.put_in_force(None, layer)
    except InstallError as error:
        message = f"the files of what was removed are still there: {error.message}"
        return [Diagnostic("warning", "files-left", "install", message, detail=error.detail)]
    return []
