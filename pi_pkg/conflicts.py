"""Two scopes in one process: what one of them needs in another version than the other provides.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Mapping

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.install.host import Distribution, read_distributions, running_host
from pi_pkg.install.scopes import scope_conflicts
from pi_pkg.inventory import index_of
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Settings


def conflicts_between(locations: Locations, settings: Settings) -> tuple[Diagnostic, ...]:
    """A warning for each need that the nearer scope's copy does not meet; the project's is nearer.

    Empty where only one scope has packages.
    """
    layers: list[tuple[str, Mapping[str, Distribution]]] = []
    for layer in settings.layers():
        index = index_of(locations, layer)
        if index is not None:
            found = {item.name: item for item in read_distributions([index.site_packages])}
            layers.append((layer.scope, found))
    if len(layers) < 2:
        return ()
    return tuple(
        Diagnostic(
            "warning",
            "scope-conflict",
            "install",
            f"{conflict.scope}: {conflict.asker} needs {conflict.wanted}, "
            f"but {conflict.provider} provides {conflict.name} {conflict.found}, which is what it will get.",
            scope=conflict.scope,
            hint=f"Install {conflict.asker.split(' ')[0]} in the same scope, or choose versions that agree.",
        )
        for conflict in scope_conflicts(running_host(), layers)
    )
