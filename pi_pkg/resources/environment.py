"""Which distributions beside pi itself advertise something, found without importing any.

Touches: files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pi_pkg.resources.entry_points import locate, parse_entry_points, parse_value
from pi_pkg.resources.model import EntryPoint, PackageRoot
from pi_pkg.resources.paths import is_within
from pi_pkg.sources.model import canonical_name

_METADATA: Final = (".dist-info", ".egg-info")
_FINDER: Final = re.compile(r"__editable___.*_finder\.py")
_MAPPING: Final = re.compile(r"^MAPPING\b[^=]*=\s*(\{.*?\})\s*$", re.MULTILINE | re.DOTALL)


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
        for name, version, entry_points in scan_site(folder):
            identity = f"env:{canonical_name(name)}"
            if identity not in found:
                found[identity] = PackageRoot(
                    identity, identity, "environment", "environment", Path(folder), version or None,
                    entry_points=entry_points, import_root=_import_root(entry_points, folder, folders),
                )  # fmt: skip
    return tuple(found[identity] for identity in sorted(found))


def scan_site(folder: str) -> list[tuple[str, str, tuple[EntryPoint, ...]]]:
    """Name, version and entry points of the distributions in a folder that advertise any, by name."""
    found = []
    for info in sorted(_names(folder)):
        if not info.endswith(_METADATA):
            continue
        entry_points = _read_entry_points(os.path.join(folder, info, "entry_points.txt"))
        if entry_points:
            name, _, version = info.rpartition(".")[0].partition("-")
            found.append((name, version.partition("-py")[0], entry_points))
    return found


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read_entry_points(path: str) -> tuple[EntryPoint, ...]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return ()
    return parse_entry_points(text) if "[pi" in text else ()


def _import_root(entry_points: tuple[EntryPoint, ...], folder: str, folders: list[str]) -> Path:
    """The folder that holds the advertised modules: the distribution's own, or an editable's source."""
    for entry_point in entry_points:
        value = parse_value(entry_point.value)
        if value is None:
            continue
        located = locate(value[0], [folder, *folders]) or locate(value[0], list(_editable_roots(folder)))
        if located is not None:
            return Path(located.import_root)
    return Path(folder)


def _editable_roots(folder: str) -> Iterator[str]:
    """Source folders that setuptools' editable finders map names to."""
    import ast  # start-up time: only for editable distributions beside pi

    for name in sorted(filter(_FINDER.fullmatch, _names(folder))):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                match = _MAPPING.search(file.read())
            mapping = ast.literal_eval(match[1]) if match else {}
        except (OSError, ValueError, SyntaxError):
            continue
        yield from (os.path.dirname(path) for path in mapping.values() if isinstance(path, str))
