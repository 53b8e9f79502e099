"""What of a project needs trust, and a digest of all of it.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from pi_pkg.errors import SettingsError, SourceError
from pi_pkg.locations import RESOURCE_TYPES, Locations
from pi_pkg.resources.marks import is_pattern
from pi_pkg.resources.paths import absolute
from pi_pkg.settings.file import TomlFile
from pi_pkg.settings.layer import layer_of
from pi_pkg.sources.model import LocalSource
from pi_pkg.sources.parse import parse_source
from pi_pkg.trust.gated import gated_paths
from pi_pkg.trust.model import Surface
from pi_pkg.trust.siblings import siblings_of
from pi_pkg.trust.walk import TooMuch, marks_of


def surface_of(locations: Locations) -> Surface:
    """What needs trust, with its content and that of every local path its settings name."""
    paths = gated_paths(locations)
    if not paths:
        return Surface((), None)
    roots = dict.fromkeys((*paths, *declared_paths(locations)))
    try:
        files = marks_of(roots, str(locations.project_dir))
    except TooMuch:
        return Surface(paths, None)
    return Surface(paths, digest_of(files), files)


def digest_of(files: Mapping[str, str]) -> str:
    """One digest over names and marks, whatever their order."""
    import hashlib  # start-up time: most starts compare no content

    total = hashlib.sha256()
    for name, mark in sorted(files.items()):  # neither holds a NUL
        total.update(f"{name}\0{mark}\0".encode("utf-8", "surrogateescape"))
    return f"sha256:{total.hexdigest()}"


def declared_paths(locations: Locations) -> tuple[str, ...]:
    """Local paths that the project's settings name, and what single files among them import; sorted.

    These are sources of packages and the plain entries of the lists, existing or not.
    """
    try:
        values = TomlFile(locations.project_settings).values()
    except SettingsError:
        return ()  # its bytes are covered, and nothing is read from it
    named = set(_local_paths(values, locations))
    beside = (path for file in named if file.endswith(".py") for path in siblings_of(file))
    return tuple(sorted(named.union(beside)))


def _local_paths(values: dict[str, Any], locations: Locations) -> Iterator[str]:
    layer = layer_of(values, path="", scope="project")
    base, home = locations.project_config_dir, locations.home
    for kind in RESOURCE_TYPES:
        for entry in layer.listed(kind):
            if not is_pattern(entry):
                yield absolute(entry, base=os.fspath(base), home=os.fspath(home))
    for package in layer.packages:
        try:
            source = parse_source(package.source, base=base, home=home)
        except SourceError:
            continue
        if isinstance(source, LocalSource):
            yield source.path
