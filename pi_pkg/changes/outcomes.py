"""What a change did to one package, worded from what was recorded before and after.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pi_pkg.changes.scope import shown_version
from pi_pkg.declared import Declared
from pi_pkg.errors import PackageError
from pi_pkg.install.index import GenerationIndex, InstalledPackage
from pi_pkg.outcome import Outcome
from pi_pkg.settings.model import LayerScope
from pi_pkg.sources.model import GitSource, PypiSource


def package_in(index: GenerationIndex | None, identity: str | None) -> InstalledPackage | None:
    """The record of a package in a generation, if both are there."""
    return None if index is None or identity is None else index.package(identity)


def refused(text: str, item: Declared, scope: LayerScope, error: PackageError) -> Outcome:
    """A package that was asked for and did not come."""
    return Outcome(text, "refused", scope, None, item.identity, error=error)


def left(item: Declared, scope: LayerScope, error: PackageError, now: GenerationIndex | None) -> Outcome:
    """A declared package that could not be moved or brought here: it is what it was, if it was anything."""
    version = shown_version(package_in(now, item.identity))
    return Outcome(item.shown, "refused", scope, item.text, item.identity, version, version, error=error)


def installed(
    text: str,
    item: Declared,
    scope: LayerScope,
    known: Sequence[Declared],
    before: GenerationIndex | None,
    after: GenerationIndex,
) -> Outcome:
    """A package that was asked for and is there."""
    old, new = package_in(before, item.identity), after.package(item.identity)
    declared = next((one for one in known if one.identity == item.identity), None)
    outcome = Outcome(
        text, "installed", scope, item.text, item.identity,
        shown_version(old), shown_version(new), note_on(item, new),
    )  # fmt: skip
    if declared is None or old is None:
        return outcome
    if declared.text == item.text and outcome.before == outcome.after:
        return replace(outcome, did="unchanged")
    return replace(outcome, did="changed")


def moved(
    item: Declared, scope: LayerScope, before: GenerationIndex | None, after: GenerationIndex | None
) -> Outcome:
    """A declared package after an update or a repair."""
    old, new = package_in(before, item.identity), package_in(after, item.identity)
    outcome = Outcome(
        item.shown, "updated", scope, item.text, item.identity,
        shown_version(old), shown_version(new), note_on(item, new, range_too=False),
    )  # fmt: skip
    if old is None:
        return replace(outcome, did="installed")
    if old == new or outcome.before == outcome.after:
        return replace(outcome, did="unchanged")
    return outcome


def note_on(item: Declared, package: InstalledPackage | None, *, range_too: bool = True) -> str | None:
    """More about a package: what its range was read as, who provides it, which branch it follows."""
    notes = []
    source = item.source
    if (
        range_too
        and isinstance(source, PypiSource)
        and source.specifier.removeprefix("==") not in source.text
    ):
        notes.append(f"read as {source.specifier}")
    if package is not None and package.provider == "environment":
        notes.append(f"satisfied by environment {package.version}")
    if package is not None and package.ref_kind == "branch" and isinstance(source, GitSource) and source.ref:
        notes.append(f"branch {source.ref}")
    return ", ".join(notes) or None


def planned(outcome: Outcome) -> Outcome:
    """The same as something that would happen."""
    name = outcome.asked
    version = f" {outcome.after}" if outcome.after else ""
    move = f"{name} {outcome.before or 'none'} → {outcome.after or 'none'}"
    match outcome.did:
        case "installed":
            note = f"install {name}{version}"
        case "removed":
            note = f"remove {name}"
        case "changed":
            note = f"change {move}"
        case "updated":
            note = f"update {move}"
        case "refused":
            return outcome
        case _:
            note = f"leave {name} unchanged" + (f" at{version}" if version else "")
    return replace(outcome, did="planned", note=note)
