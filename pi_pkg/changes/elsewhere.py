"""Where a package is that the asked scope does not declare: in the other scope, or in another project.

Touches: files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pi_pkg.changes.scope import ChangingScope
from pi_pkg.declared import matcher
from pi_pkg.install.index import read_index
from pi_pkg.locations import Locations


def where_else(scope: ChangingScope, identity: str | None) -> str | None:
    """A sentence that says how to reach the package; None if nobody has it."""
    if identity is None:
        return None
    beside = scope.beside
    if beside is not None:
        matches = matcher({identity}, (), beside, scope.locations.home)
        if any(matches(entry.source) for entry in beside.packages):
            of_project = beside.scope == "project"
            return f"The {beside.scope} declares it: {'add' if of_project else 'leave out'} -l."
    places = ", ".join(projects_with(scope.locations, identity))
    return f"It is installed for {places}: go there and add -l." if places else None


def projects_with(locations: Locations, identity: str) -> Iterator[str]:
    """The folders of other projects that have a package installed, in order of their names."""
    mine = locations.project_data_dir
    for folder in sorted(mine.parent.glob("*")):
        index = read_index(folder / "envs") if folder != mine else None
        path = _path_of(folder)
        if index is not None and path is not None and index.package(identity):
            yield path


def _path_of(folder: Path) -> str | None:
    try:
        path = json.loads((folder / "project.json").read_bytes())["path"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return path if isinstance(path, str) else None
