"""The environment that pi runs in, as the resolver must see it: what it provides, and stubs that say so.

This file is the one adapter to importlib-metadata, which takes the place of the standard finder in the
whole process once it is imported.

Touches: files.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pi_pkg.install.disk import Disk
from pi_pkg.install.index import INDEX_NAME, EntryPointRow
from pi_pkg.install.tags import python_tag
from pi_pkg.sources.model import canonical_name

OURS: Final = frozenset({"hookspecs", "pi_core", "pi_pkg"})
"""Modules of this project; a development checkout may hold them outside every distribution."""
HOOKED: Final = frozenset({"sitecustomize", "usercustomize"})
"""Modules that an interpreter imports by itself."""
INSTALLER: Final = "pi"
_HEADERS: Final = ("Name", "Version", "Requires-Dist", "Provides-Extra")


@dataclass(frozen=True, slots=True)
class Distribution:
    """One installed distribution, read from its metadata folder without importing it."""

    name: str
    """Canonical name."""
    version: str
    """Version as recorded; may be no PEP 440 version in old distributions."""
    requires: tuple[str, ...]
    """Requirements as written, in order."""
    extras: tuple[str, ...]
    """Extras it offers, as written."""
    info: Path
    """Its `.dist-info` or `.egg-info`; the folder of importable modules is the parent."""

    @property
    def location(self) -> Path:
        """The folder that holds its modules."""
        return self.info.parent


@dataclass(frozen=True, slots=True)
class Host:
    """What the environment provides."""

    paths: tuple[str, ...]
    """Folders of importable modules that hold distributions, in import order."""
    distributions: Mapping[str, Distribution]
    """By canonical name; of two with one name the one that would be imported. Not to be changed."""
    python_tag: str
    fingerprint: str
    """Digest of the interpreter's tag and of every name and version."""


# Reading.
def running_host(paths: Sequence[str] | None = None) -> Host:
    """The host behind `paths`, or behind the running interpreter.

    Generations that pi appended to the import path, the working folder and trees in use are no part of
    the host.
    """
    folders = tuple(host_paths(sys.path if paths is None else paths))
    found: dict[str, Distribution] = {}
    for distribution in read_distributions(folders):
        found.setdefault(distribution.name, distribution)
    return Host(folders, found, python_tag(), host_fingerprint(folders))


def host_paths(paths: Iterable[str]) -> Iterator[str]:
    """Those folders, each once, that hold installed distributions and belong to no generation."""
    seen = set()
    for path in paths:
        if not os.path.isabs(path) or path in seen or _in_generation(path):
            continue
        seen.add(path)
        if any(True for _ in _info_folders(path)):
            yield path


def host_fingerprint(paths: Iterable[str]) -> str:
    """A digest that changes when the interpreter or any distribution of the host does. Reads names only."""
    names = {os.path.basename(info) for path in paths for info in _info_folders(path)}
    text = "\n".join([python_tag(), sysconfig.get_platform(), *sorted(names)])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def read_distributions(paths: Iterable[str]) -> Iterator[Distribution]:
    """Every distribution in the folders, in order of folder and name; unreadable ones are left out."""
    for path in paths:
        for info in _info_folders(path):
            distribution = read_distribution(Path(info))
            if distribution is not None:
                yield distribution


def read_distribution(info: Path) -> Distribution | None:
    """The distribution of a metadata folder; None if its metadata has no name or version."""
    at = _metadata(info)
    text = at.read_text("METADATA") or at.read_text("PKG-INFO") or at.read_text("") or ""
    fields = _header_fields(text)
    if not fields["Name"] or not fields["Version"]:
        return None
    return Distribution(
        canonical_name(fields["Name"][0]),
        fields["Version"][0],
        tuple(fields["Requires-Dist"]),
        tuple(fields["Provides-Extra"]),
        info,
    )


def entry_points_of(distribution: Distribution) -> tuple[EntryPointRow, ...]:
    """Its entry points, sorted."""
    found = _metadata(distribution.info).entry_points
    return tuple(sorted((point.group, point.name, point.value) for point in found))


def recorded_rows(distribution: Distribution) -> tuple[tuple[str, str], ...]:
    """Path and digest of each row of its RECORD as written; the digest may be empty.

    Paths are in `/` form, relative to its location. Empty without a RECORD.
    """
    import csv  # start-up time: only builds and checks read records

    text = _metadata(distribution.info).read_text("RECORD") or ""
    rows = csv.reader(text.splitlines())
    return tuple((row[0], row[1] if len(row) > 1 else "") for row in rows if row and row[0])


def recorded_files(distribution: Distribution) -> tuple[str, ...]:
    """The paths of its RECORD as written; empty without a RECORD."""
    return tuple(path for path, _ in recorded_rows(distribution))


def origin_of(distribution: Distribution) -> Mapping[str, Any] | None:
    """Its origin record (PEP 610), or None if it came from an index."""
    text = _metadata(distribution.info).read_text("direct_url.json")
    document = json.loads(text) if text else None
    return document if isinstance(document, dict) else None


def module_owner(host: Host, top: str) -> str | None:
    """Who serves the top-level module of this name whatever a generation holds; None if nobody does.

    A namespace folder has no owner: others may add to it. Imports nothing.
    """
    from importlib.machinery import PathFinder  # start-up time: only checks ask

    if top in sys.stdlib_module_names or top in sys.builtin_module_names or top in HOOKED:
        return "Python itself"
    if top in OURS:
        return "pi itself"
    spec = PathFinder.find_spec(top, list(host.paths))
    return None if spec is None or spec.origin is None else "the environment that pi runs in"


# Telling the resolver.
def write_stubs(host: Host, site_packages: Path, disk: Disk) -> tuple[Path, ...]:
    """Write a metadata folder for each distribution of the host, and return the folders.

    A stub names no requirement that always holds: one broken distribution of the host must not fail
    every generation. What an extra needs stays, so that the resolver can add it.
    """
    return tuple(write_stub(item, site_packages, disk) for item in host.distributions.values())


def write_stub(distribution: Distribution, site_packages: Path, disk: Disk) -> Path:
    """Write one stub and return its folder. It has no RECORD, without which no tool can uninstall it."""
    lines = ["Metadata-Version: 2.1", f"Name: {distribution.name}", f"Version: {distribution.version}"]
    lines += [f"Provides-Extra: {extra}" for extra in distribution.extras]
    lines += [f"Requires-Dist: {item}" for item in distribution.requires if _needs_extra(item)]
    # Installed metadata may say anything; a folder name may not.
    stem = re.sub(r"[^A-Za-z0-9._+!-]", "_", f"{distribution.name.replace('-', '_')}-{distribution.version}")
    info = site_packages / f"{stem}.dist-info"
    disk.write(info / "METADATA", ("\n".join(lines) + "\n").encode("utf-8"))
    return info


def constraints(distributions: Iterable[Distribution]) -> str:
    """A constraints file that keeps each distribution at its version; odd versions are left out."""
    from packaging.version import InvalidVersion, Version  # start-up time: only builds constrain

    lines = []
    for item in distributions:
        try:
            lines.append(f"{item.name}=={Version(item.version)}\n")
        except InvalidVersion:
            continue  # the stub alone keeps it: no tool can ask for such a version
    return "".join(lines)


def _needs_extra(requirement: str) -> bool:
    return re.search(r"\bextra\s*==", requirement.partition(";")[2]) is not None


def _in_generation(path: str) -> bool:
    return any((parent / INDEX_NAME).is_file() for parent in list(Path(path).parents)[:4])


def _info_folders(path: str) -> list[str]:
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return []
    installed_here = os.path.basename(path) in {"site-packages", "dist-packages"}
    endings = (".dist-info", ".egg-info") if installed_here else (".dist-info",)
    # pip leaves `~name` behind when it was interrupted.
    return [os.path.join(path, name) for name in names if name.endswith(endings) and name[0] != "~"]


def _metadata(info: Path) -> Any:
    # importlib_metadata changes the process's finder when imported; nothing on the start path may.
    import importlib_metadata

    return importlib_metadata.Distribution.at(info)


def _header_fields(text: str) -> Mapping[str, list[str]]:
    """The headers that matter here. The standard parser takes 1 ms a distribution, this one 0.05 ms.

    Licences stand in headers, over many lines: only an empty line ends the headers, a blank one goes on,
    and only a line feed ends a line, not the form feeds in between.
    """
    fields: dict[str, list[str]] = {name: [] for name in _HEADERS}
    last: list[str] | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line:
            break
        if line[0] in " \t" and last:
            last[-1] += " " + line.strip()
            continue
        name, _, value = line.partition(":")
        last = fields.get(name)
        if last is not None:
            last.append(value.strip())
    return fields
