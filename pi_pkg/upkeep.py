"""Update and repair over several scopes: each source where it is declared, and nowhere else.

Touches: files, git, network (through the changes of a scope).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pi_pkg.access import Access, Scopes
from pi_pkg.changes.sync import sync
from pi_pkg.changes.update import update
from pi_pkg.declared import declared_in, likely_meant
from pi_pkg.diagnostics import Diagnostic, distinct
from pi_pkg.errors import NoSuchPackage
from pi_pkg.outcome import Outcome, Report
from pi_pkg.settings.model import Layer, LayerScope, Settings
from pi_pkg.sources.identity import identity_of

OFFLINE: Final = Diagnostic(
    "info", "offline", "install", "nothing was looked up or updated, since pi is offline.",
    hint="Leave out --offline, or unset PI_OFFLINE.",
)  # fmt: skip


def update_scopes(
    access: Access,
    sources: Sequence[str],
    asked: Scopes,
    *,
    check: bool,
    build: Sequence[str],
    offline: bool,
) -> Report:
    """See `PackageManager.update`."""
    scopes, findings = access.scopes(asked)
    settings = access.settings(trusted="project" in scopes)
    named, refused = _named(access, settings, scopes, sources)
    if offline:
        return Report(tuple(refused), (*findings, OFFLINE))
    outcomes: list[Outcome] = []
    found: list[Diagnostic] = [*findings]
    for scope in scopes:
        only = named[scope] if sources else None
        if only is not None and not only:
            continue
        with access.changing(scope, check, "update its packages", "pi update"):
            report = update(access.scope(scope, build), only, check=check)
        outcomes += report.outcomes
        found += report.diagnostics
    return Report((*outcomes, *refused), distinct(found))


def sync_scopes(access: Access, asked: Scopes, *, build: Sequence[str], dry_run: bool) -> Report:
    """See `PackageManager.sync`."""
    scopes, findings = access.scopes(asked)
    outcomes: list[Outcome] = []
    found: list[Diagnostic] = [*findings]
    for scope in scopes:
        with access.changing(scope, dry_run, "repair its packages", "pi sync"):
            report = sync(access.scope(scope, build), dry_run=dry_run)
        outcomes += report.outcomes
        found += report.diagnostics
    return Report(tuple(outcomes), distinct(found))


def _named(
    access: Access, settings: Settings, scopes: Sequence[LayerScope], sources: Sequence[str]
) -> tuple[Mapping[LayerScope, set[str]], list[Outcome]]:
    """For each scope the identities that it declares of what was typed, and a refusal for the rest."""
    home, cwd = access.locations.home, access.locations.project_dir
    layers = [layer for layer in settings.layers() if layer.scope in scopes]
    named: dict[LayerScope, set[str]] = {scope: set() for scope in scopes}
    refused = []
    for text in dict.fromkeys(sources):
        identity = identity_of(text, base=cwd, home=home)
        where = [layer for layer in layers if identity in _identities(layer, settings, home)]
        for layer in where:
            named[layer.scope].add(identity or "")
        if not where:
            refused.append(_unknown(text, identity, layers, cwd=cwd, home=home))
    return named, refused


def _identities(layer: Layer, settings: Settings, home: Path) -> set[str | None]:
    user = settings.user if layer.scope == "project" else None
    return {item.identity for item in declared_in(layer, home=home, user=user)}


def _unknown(text: str, identity: str | None, layers: Sequence[Layer], *, cwd: Path, home: Path) -> Outcome:
    known = [entry.source for layer in layers for entry in layer.packages]
    near = likely_meant(text, layers, cwd=cwd, home=home)
    where = " and ".join(layer.path for layer in layers)
    error = NoSuchPackage(text, where, known=known, near=near)
    return Outcome(text, "refused", layers[0].scope if layers else "user", None, identity, error=error)
