"""Scopes that are imported together in one process, where each distribution exists once.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pi_pkg.install.host import Distribution, Host
from pi_pkg.install.plan import Wish, unmet_among


@dataclass(frozen=True, slots=True)
class ScopeConflict:
    """A distribution of one scope that needs what a nearer scope, or the host, has in another version."""

    asker: str
    """Canonical name and version of the distribution that cannot live with it."""
    scope: str
    """Scope of the asker."""
    wanted: str
    """Its requirement as written."""
    name: str
    found: str
    """Version that would be imported."""
    provider: str
    """Scope that provides it."""


def scope_conflicts(
    host: Host, scopes: Iterable[tuple[str, Mapping[str, Distribution]]]
) -> tuple[ScopeConflict, ...]:
    """What does not fit between scopes that are imported together.

    `scopes` are name and distributions, nearest first: the project's, then the user's. In one process
    the nearest copy of a distribution is the one that everybody imports.
    """
    layers = [("environment", host.distributions), *scopes]
    effective: dict[str, tuple[str, Distribution]] = {}
    for scope, distributions in layers:
        for name, distribution in distributions.items():
            effective.setdefault(name, (scope, distribution))
    merged = {name: distribution for name, (_, distribution) in effective.items()}
    found = []
    for name, (scope, distribution) in effective.items():
        if scope == layers[0][0]:
            continue
        asker = f"{name} {distribution.version}"
        for unmet in unmet_among([Wish(asker, item) for item in distribution.requires], merged):
            provider = effective[unmet.name][0] if unmet.found is not None else scope
            if provider != scope and unmet.found is not None:
                wanted = unmet.wish.requirement
                found.append(ScopeConflict(asker, scope, wanted, unmet.name, unmet.found, provider))
    return tuple(found)
