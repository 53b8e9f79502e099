"""A scope goes back to a generation that was kept, and its settings go with it.

The settings are changed as little as that takes: a source gets the text it had then and keeps its
filters, what was not there then goes, what was there comes back with the filters it had.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pi_pkg.changes import outcomes
from pi_pkg.changes.scope import ChangingScope, shown_version
from pi_pkg.declared import matcher
from pi_pkg.errors import InstallError
from pi_pkg.install.errors import NoSuchGeneration
from pi_pkg.install.execute import is_whole
from pi_pkg.install.generation import generations
from pi_pkg.install.index import GenerationIndex, InstalledPackage, current_generation, read_index
from pi_pkg.installed import fits_interpreter
from pi_pkg.outcome import Outcome, Report
from pi_pkg.settings.edit import Change, put_packages, remove_package
from pi_pkg.settings.model import Layer, PackageEntry
from pi_pkg.shown import public_form


@dataclass(frozen=True, slots=True)
class Kept:
    """A generation that can be gone back to."""

    index: GenerationIndex
    in_force: bool
    built: float
    """Seconds since the epoch."""
    usable: bool
    """Whether it was built for the running interpreter."""


def kept(scope: ChangingScope) -> tuple[Kept, ...]:
    """The generations of a scope that are still there, oldest first."""
    current = current_generation(scope.folder)
    found = []
    for name in generations(scope.folder):
        index = read_index(scope.folder, name)
        if index is not None:
            built = (scope.folder / name).stat().st_mtime
            found.append(Kept(index, name == current, built, fits_interpreter(index)))
    return tuple(found)


def rollback(scope: ChangingScope, asked: str | None = None, *, dry_run: bool = False) -> Report:
    """Put a kept generation in force, by default the one before, and make the settings agree with it.

    `asked` is its name, or the number that its name begins with.

    Raises:
        SettingsError: the settings cannot be read or written; nothing was changed.
        InstallError: there is no such generation, or it cannot be used any more.
    """
    with scope.turn():
        layer = scope.readable()
        target = _target(scope, asked)
        before = scope.in_force()
        gone, back, other = _differences(scope, layer, target)
        done = _outcomes(scope, before, target, gone)
        if dry_run:
            return Report(tuple(map(outcomes.planned, done)))
        _put_back(scope, layer, target, gone, [*back, *other])
        return Report(tuple(done))


def _target(scope: ChangingScope, asked: str | None) -> GenerationIndex:
    names = generations(scope.folder)
    current = current_generation(scope.folder)
    if asked is None:
        older = [name for name in names if current is None or name < current]
        chosen = older[-1:]
    else:
        number = asked.zfill(6) if asked.isdecimal() else None
        chosen = [name for name in names if name == asked or name.partition("-")[0] == number]
    index = read_index(scope.folder, chosen[0]) if len(chosen) == 1 else None
    if index is None:
        raise NoSuchGeneration(asked, names)
    if not fits_interpreter(index):
        raise InstallError(f"{index.generation} was built for {index.python_tag}.", hint="Use pi sync.")
    if not is_whole(index):
        raise InstallError(f"files of {index.generation} are missing.", hint="Use pi sync.")
    return index


def _differences(
    scope: ChangingScope, layer: Layer, target: GenerationIndex
) -> tuple[list[str], list[PackageEntry], list[PackageEntry]]:
    """Identities that go, entries that come back, and entries whose source had another text."""
    declared = {item.identity: public_form(item.text) for item in scope.declared(layer)}
    folders = {item.identity for item in scope.trees(layer, target)}
    then = {
        package.identity: package.source for package in target.packages if package.identity not in folders
    }
    earlier = {entry.source: entry for entry in scope.entries_of(target.generation)}
    gone = [identity for identity in declared if identity not in then]
    back = [earlier.get(source, PackageEntry(source)) for key, source in then.items() if key not in declared]
    other = [PackageEntry(source) for key, source in then.items() if declared.get(key, source) != source]
    return gone, back, other


def _put_back(
    scope: ChangingScope,
    layer: Layer,
    target: GenerationIndex,
    gone: Sequence[str],
    entries: Iterable[PackageEntry],
) -> None:
    """The generation and the settings that go with it, at one instant."""
    home = scope.locations.home
    of_source = {package.source: package.identity for package in target.packages}
    put = [(entry, matcher({of_source[entry.source]}, (), layer, home)) for entry in entries]
    changes: list[Change] = []
    if gone:
        changes.append(lambda document: remove_package(document, matcher(gone, (), layer, home)))
    if put:
        changes.append(lambda document: put_packages(document, put))
    scope.put_in_force(target.generation, layer, *changes)


def _outcomes(
    scope: ChangingScope, before: GenerationIndex | None, target: GenerationIndex, gone: Sequence[str]
) -> list[Outcome]:
    """What becomes of each package, those that go last."""
    found = [_outcome(scope, before, package) for package in target.packages]
    for package in before.packages if before else ():
        if target.package(package.identity) is None:
            note = "taken out of the settings" if package.identity in gone else None
            found.append(
                Outcome(
                    package.source,
                    "removed",
                    scope.name,
                    package.source,
                    package.identity,
                    before=shown_version(package),
                    note=note,
                )
            )
    return found


def _outcome(scope: ChangingScope, before: GenerationIndex | None, package: InstalledPackage) -> Outcome:
    old = outcomes.package_in(before, package.identity)
    outcome = Outcome(
        package.source, "updated", scope.name, package.source, package.identity,
        shown_version(old), shown_version(package),
    )  # fmt: skip
    if old is None:
        return Outcome(
            package.source, "installed", scope.name, package.source, package.identity,
            None, shown_version(package), "put back into the settings",
        )  # fmt: skip
    if old.source == package.source and outcome.before == outcome.after:
        return Outcome(
            package.source, "unchanged", scope.name, package.source, package.identity,
            outcome.before, outcome.after,
        )  # fmt: skip
    return outcome
