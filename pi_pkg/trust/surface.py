"""What of a project needs trust, and a digest of all of it.

Touches: files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pi_pkg.errors import SettingsError, SourceError
from pi_pkg.locations import RESOURCE_TYPES, Locations
from pi_pkg.settings.file import TomlFile
from pi_pkg.settings.layer import layer_of
from pi_pkg.sources.model import LocalSource
from pi_pkg.sources.parse import parse_source
from pi_pkg.trust.gated import gated_paths
from pi_pkg.trust.model import Surface

MAX_FILES: Final = 20_000
"""A surface with more files has no digest: it can be trusted as a folder only."""

_SKIPPED: Final = frozenset({".git", "__pycache__"})


def surface_of(locations: Locations) -> Surface:
    """What needs trust, with the digest of its content and of every local path its settings name."""
    paths = gated_paths(locations)
    if not paths:
        return Surface((), None)
    try:
        return Surface(paths, _digest(locations, paths))
    except _TooMany:
        return Surface(paths, None)


class _TooMany(Exception):
    """More files than a digest may cover."""


def _digest(locations: Locations, paths: tuple[str, ...]) -> str:
    import hashlib  # start-up time: most starts compare no content

    total = hashlib.sha256()
    roots = [*paths, *_declared_paths(locations)]
    for count, (name, kind, content) in enumerate(_entries(roots, str(locations.project_dir))):
        if count == MAX_FILES:
            raise _TooMany
        total.update(f"{kind} {len(name.encode('utf-8', 'surrogateescape'))} ".encode())
        total.update(name.encode("utf-8", "surrogateescape") + b"\0" + content)
    return f"sha256:{total.hexdigest()}"


def _declared_paths(locations: Locations) -> list[str]:
    """Local paths in the project's settings: package sources and plain entries of its lists."""
    try:
        values = TomlFile(locations.project_settings).values()
    except SettingsError:
        return []  # its bytes are in the digest, and nothing is read from it
    base = locations.project_config_dir
    return sorted(set(_local_paths(values, base, locations.home)))


def _local_paths(values: dict[str, Any], base: Path, home: Path) -> Iterator[str]:
    layer = layer_of(values, path="", scope="project")
    listed = [entry for kind in RESOURCE_TYPES for entry in layer.listed(kind)]
    plain = [entry for entry in listed if not entry.startswith(("!", "+", "-"))]
    for text in (*(entry.source for entry in layer.packages), *plain):
        try:
            source = parse_source(text, base=base, home=home)
        except SourceError:
            continue
        if isinstance(source, LocalSource):
            yield source.path


def _entries(roots: list[str], base: str) -> Iterator[tuple[str, str, bytes]]:
    """Name, kind and digest of everything below the roots, sorted per folder; each real folder once."""
    seen: set[tuple[int, int]] = set()
    pending = sorted(roots, reverse=True)
    while pending:
        path = pending.pop()
        name = os.path.relpath(path, base).replace(os.sep, "/")
        try:
            status = os.stat(path)
        except OSError:
            yield name, "absent", b""
            continue
        if stat.S_ISDIR(status.st_mode):
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                yield name, "folder", b""
                pending += _children(path)
        elif stat.S_ISREG(status.st_mode):
            yield name, "file", _content(path)
        else:
            yield name, "special", b""


def _children(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names, reverse=True) if name not in _SKIPPED]


def _content(path: str) -> bytes:
    import hashlib

    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").digest()
    except OSError:
        return b"unreadable"
