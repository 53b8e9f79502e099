"""Which files a change of which calls for a reload: extensions, resources, settings, instructions.

Pure.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final

from hookspecs.values import dataclass
from pi_core.extensions.registrations import Extension
from pi_core.prompts.context_files import CONTEXT_FILE_NAMES
from pi_core.resources.loader import KINDS, Resources
from pi_pkg import Locations, Provenance, Resource

_PROMPT_FILES: Final = frozenset({"SYSTEM.md", "APPEND_SYSTEM.md", *CONTEXT_FILE_NAMES})
_POINTER: Final = frozenset({"current.json"})
"""What a package command replaces last."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What is looked at. All folders are absolute and exist when watching begins."""

    deep: frozenset[str] = frozenset()
    """Folders of which every file counts, however deep."""
    shallow: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Folders of which files of some names count, or endings such as `*.py`; nothing below them."""

    def covers(self, path: str) -> bool:
        """Whether a change of this file calls for a reload."""
        folder, name = os.path.split(path)
        names = self.shallow.get(folder, frozenset())
        if name in names or f"*{os.path.splitext(name)[1]}" in names:
            return True
        return any(path.startswith(deep + os.sep) for deep in self.deep)


def watched_files(locations: Locations, resources: Resources) -> Watched:
    """What the present load came from, and where more of the kind may appear. Folders need not exist."""
    deep: set[str] = set()
    shallow: dict[str, frozenset[str]] = {}

    def look(folder: object, names: Iterable[str]) -> None:
        place = os.fspath(str(folder))
        shallow[place] = shallow.get(place, frozenset()) | frozenset(names)

    config = locations.project_config_dir
    for folder in (locations.agent_dir, *([config] if resources.trusted else [])):
        look(folder, {"settings.toml", *_PROMPT_FILES})
        deep |= {str(folder / kind) for kind in KINDS}
    look(locations.project_dir, CONTEXT_FILE_NAMES)
    look(locations.user_envs, _POINTER)
    look(locations.project_envs, _POINTER)
    for place, is_folder in _places(resources):
        if is_folder:
            deep.add(place)
        else:
            look(os.path.dirname(place), {os.path.basename(place), "*.py"})
    return Watched(frozenset(deep), shallow)


def _places(resources: Resources) -> Iterable[tuple[str, bool]]:
    """Files and folders of everything that was loaded, and whether each is a folder."""
    items: list[Extension | Resource] = [
        *resources.extensions, *resources.skills, *resources.prompts, *resources.themes,
    ]  # fmt: skip
    for item in items:
        if item.path.startswith("<"):
            continue
        root = _tree_of(item.provenance)
        if root is not None:
            yield root, True
        elif os.path.basename(item.path) in ("__init__.py", "SKILL.md"):
            yield os.path.dirname(item.path), True
        else:
            yield item.path, os.path.splitext(item.path)[1] == ""


def _tree_of(provenance: Provenance) -> str | None:
    """The folder of a package that is used where it stands; others only change with a command."""
    is_local = provenance.source.startswith((".", "/", "~", "file:")) or os.path.isabs(provenance.source)
    return provenance.base_dir if provenance.origin == "package" and is_local else None
