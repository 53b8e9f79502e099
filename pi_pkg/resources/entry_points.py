"""Entry points as text: what a distribution advertises, and where the named modules stand.

Nothing is imported. `importlib.util.find_spec` would run the parent packages.

Touches: files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any, Final

from pi_pkg.resources.conventions import PACKAGE_FILE
from pi_pkg.resources.model import EntryPoint
from pi_pkg.values import dataclass

PACKAGE_GROUP: Final = "pi"
"""Names an import package that holds `pi.toml`, conventional folders, or is itself the extension."""
EXTENSION_GROUP: Final = "pi.extensions"
"""Names one extension, `module:attr`."""
GROUPS: Final = (PACKAGE_GROUP, EXTENSION_GROUP)

_VALUE: Final = re.compile(r"(?P<module>[\w.]+)\s*(?::\s*(?P<attribute>[\w.]+)\s*)?(?:\[[^\]]*\]\s*)?")


@dataclass(frozen=True, slots=True)
class Located:
    """A module that stands on disk."""

    module: str
    """Dotted name."""
    path: str
    """Its file; a package's `__init__.py`, or its folder if it has none (PEP 420)."""
    import_root: str
    """The folder it is importable from."""

    @property
    def is_importable(self) -> bool:
        """Whether it holds code of its own; a bare folder does not."""
        return self.path.endswith((".py", *EXTENSION_SUFFIXES))

    @property
    def folder(self) -> str | None:
        """The package folder; None for a module of one file."""
        if os.path.basename(self.path).partition(".")[0] == "__init__":
            return os.path.dirname(self.path)
        return None if self.is_importable else self.path


def parse_value(value: str) -> tuple[str, str | None] | None:
    """Module and attribute (None if not given) of an entry point's value; None if it is malformed."""
    match = _VALUE.fullmatch(value.strip())
    if match is None or not all(part.isidentifier() for part in match["module"].split(".")):
        return None
    return match["module"], match["attribute"]


def parse_entry_points(text: str) -> tuple[EntryPoint, ...]:
    """The entry points of our groups in an `entry_points.txt`, in file order."""
    found, group = [], ""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group in GROUPS and line and line[0] not in "#;":
            name, mark, value = line.partition("=")
            if mark:
                found.append(EntryPoint(group, name.strip(), value.strip()))
    return tuple(found)


def from_project(project: Mapping[str, Any]) -> tuple[EntryPoint, ...]:
    """The entry points of our groups in a `[project]` table, group by group, in file order."""
    tables = project.get("entry-points")
    if not isinstance(tables, Mapping):
        return ()
    return tuple(
        EntryPoint(group, name, value)
        for group in GROUPS
        if isinstance(table := tables.get(group), Mapping)
        for name, value in table.items()
        if isinstance(value, str)
    )


def from_rows(rows: Iterable[Sequence[str]]) -> tuple[EntryPoint, ...]:
    """The entry points of our groups among recorded (group, name, value) rows, in order."""
    return tuple(EntryPoint(group, name, value) for group, name, value in rows if group in GROUPS)


def locate(module: str, roots: Iterable[str]) -> Located | None:
    """Where a module stands, searching importable folders in order; None if none holds it.

    As an import would find it: a package or module of one folder hides its name in the later ones, and
    folders without an `__init__.py` are portions of one namespace (PEP 420).
    """
    folders = [(root, root) for root in roots]
    *parents, last = module.split(".")
    for name in parents:
        folders = _below(name, folders)
    for folder, root in folders:
        path = _module_file(os.path.join(folder, last))
        if path is not None:
            return Located(module, path, root)
    portion = next((pair for pair in folders if os.path.isdir(os.path.join(pair[0], last))), None)
    return None if portion is None else Located(module, os.path.join(portion[0], last), portion[1])


def _below(name: str, folders: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The folders to search inside a package, each with the root it is below; none if it is no package."""
    portions = []
    for folder, root in folders:
        stem = os.path.join(folder, name)
        path = _module_file(stem)
        if path is not None:
            return [(stem, root)] if os.path.dirname(path) == stem else []
        if os.path.isdir(stem):
            portions.append((stem, root))
    return portions


def _module_file(stem: str) -> str | None:
    """What a module of this stem is imported from: a package, a compiled file, a file."""
    for suffix in (".py", *EXTENSION_SUFFIXES):
        if os.path.isfile(package := os.path.join(stem, f"__init__{suffix}")):
            return package
    for suffix in (*EXTENSION_SUFFIXES, ".py"):
        if os.path.isfile(stem + suffix):
            return stem + suffix
    return None


def dotted_name(path: str, import_root: str, *, package: str | None = None) -> str | None:
    """The import name of a file below an importable folder; None if it is no part of a package there.

    The top level has to be a regular package, so that a folder of scripts is not taken for one; below
    `package`, a folder that is known to be an import package, nothing else is asked.
    """
    if not path.startswith(import_root + os.sep) or not path.endswith(".py"):
        return None
    inside = path[len(import_root) + 1 :]
    if package is None or not path.startswith(package + os.sep):
        top = inside.partition(os.sep)[0]
        if not os.path.isfile(f"{import_root}{os.sep}{top}{os.sep}{PACKAGE_FILE}"):
            return None
    names = inside.removesuffix(".py").removesuffix(f"{os.sep}__init__").split(os.sep)
    if not all(name.isidentifier() for name in names):
        return None
    return ".".join(names)
