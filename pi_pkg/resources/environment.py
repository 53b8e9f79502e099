"""Which distributions beside pi itself advertise something, found without importing any.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pi_pkg.resources.entry_points import Located, locate, parse_entry_points, parse_value
from pi_pkg.resources.model import EntryPoint, PackageRoot
from pi_pkg.resources.paths import is_within
from pi_pkg.sources.model import canonical_name

_METADATA: Final = (".dist-info", ".egg-info")
_MAX_CHARS: Final = 1_000_000
"""More of an `entry_points.txt` is not read."""


def environment_packages(site_folders: Sequence[str], *, outside: Path) -> tuple[PackageRoot, ...]:
    """The distributions that advertise an extension or a package, by name.

    `site_folders` is the import path of the running interpreter, in order; of one distribution in two
    folders the first counts, as it does for imports. Folders inside `outside`, the agent folder, are
    generations that were appended to that path: what they hold is not beside pi.
    """
    found: dict[str, PackageRoot] = {}
    own = os.fspath(outside)
    folders = [folder for folder in dict.fromkeys(site_folders) if folder and not is_within(folder, own)]
    for folder in folders:
        for info, entry_points in _advertising(folder):
            name, version = _name(info)
            identity = f"env:{canonical_name(name)}"
            if identity not in found:
                found[identity] = PackageRoot(
                    identity, identity, "environment", "environment", Path(folder), version or None,
                    entry_points=entry_points, import_root=_import_root(entry_points, folder, info, folders),
                )  # fmt: skip
    return tuple(found[identity] for identity in sorted(found))


def _advertising(folder: str) -> list[tuple[str, tuple[EntryPoint, ...]]]:
    """The metadata folders of the distributions that advertise anything, with their entry points, by name."""
    found = []
    for info in sorted(_names(folder)):
        if info.endswith(_METADATA):
            entry_points = _read_entry_points(os.path.join(folder, info, "entry_points.txt"))
            if entry_points:
                found.append((info, entry_points))
    return found


def _name(info: str) -> tuple[str, str]:
    """Name and version, empty if unknown, of a distribution by its metadata folder."""
    name, _, version = info.rpartition(".")[0].partition("-")
    return name, version.partition("-py")[0]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read_entry_points(path: str) -> tuple[EntryPoint, ...]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(_MAX_CHARS)
    except OSError:
        return ()
    return parse_entry_points(text) if "[pi" in text else ()


def _import_root(entry_points: tuple[EntryPoint, ...], folder: str, info: str, folders: list[str]) -> Path:
    """The folder that holds the advertised modules: the distribution's own, or an editable's source."""
    for entry_point in entry_points:
        value = parse_value(entry_point.value)
        if value is None:
            continue
        located = locate(value[0], [folder, *folders]) or _in_source(value[0], folder, info)
        if located is not None:
            return Path(located.import_root)
    return Path(folder)


def _in_source(module: str, folder: str, info: str) -> Located | None:
    from pi_pkg.resources.editable import editable_roots  # start-up time: only for editables off the path

    return locate(module, editable_roots(folder, info))
