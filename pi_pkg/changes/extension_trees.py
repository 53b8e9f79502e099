"""Extension folders that declare dependencies without being packages: a repair installs what they need.

They stand in a conventional folder or in a list of the settings, so nobody installs them, and they wait.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from pi_pkg.declared import Declared
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import Locations
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.collect import Collector
from pi_pkg.resources.discover import discover
from pi_pkg.resources.lists import TopLevelList
from pi_pkg.resources.paths import RealPaths
from pi_pkg.settings.model import Layer
from pi_pkg.sources.model import LocalSource


def extension_trees(locations: Locations, layer: Layer) -> tuple[Declared, ...]:
    """The folders of a scope that declare dependencies and hold an extension that is on, in order."""
    found: dict[str, Declared] = {}
    real = RealPaths()
    for candidate in _enabled(locations, layer, Collector(real, _ignore)):
        if candidate.tree is not None:
            source = LocalSource(candidate.tree, real.of(candidate.tree), candidate.tree)
            found.setdefault(source.identity, Declared(source.identity, source, source.text))
    return tuple(found.values())


def _enabled(locations: Locations, layer: Layer, collector: Collector) -> Iterator[Candidate]:
    listed = TopLevelList(layer, "extensions", os.fspath(locations.home))
    choices = list(listed.named(collector))
    for base, candidates in discover(collector, locations, layer.scope, "extensions"):
        choices += listed.found(candidates, base)
    yield from (choice.candidate for choice in choices if choice.enabled)


def _ignore(finding: Diagnostic) -> None:
    """Whoever lists or starts reports it."""
