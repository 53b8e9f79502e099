"""What stands in the conventional folders of the user and of the project, without being named anywhere.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TypeAlias

from pi_pkg.locations import Locations, ResourceType
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.collect import Collector
from pi_pkg.resources.conventions import AGENTS_DIR
from pi_pkg.resources.scan import Depth
from pi_pkg.settings.model import LayerScope

Found: TypeAlias = tuple[str, list[Candidate]]
"""The folder that patterns are relative to, and what was found for it, in order."""


def discover(
    collector: Collector, locations: Locations, scope: LayerScope, kind: ResourceType
) -> Iterator[Found]:
    """What stands in the scope's own folder, then, for skills, in `.agents` folders, nearest first."""
    own = locations.agent_dir if scope == "user" else locations.project_config_dir
    yield _in(collector, os.fspath(own), kind, "direct")
    if kind == "skills":
        for folder in _agents(locations, scope):
            yield _in(collector, folder, kind, "agents")


def _in(collector: Collector, base: str, kind: ResourceType, depth: Depth) -> Found:
    folder = os.path.join(base, kind)
    return base, collector.files(kind, folder, depth, within=collector.real.of(folder))


def _agents(locations: Locations, scope: LayerScope) -> list[str]:
    of_user = os.path.join(locations.home, AGENTS_DIR)
    if scope == "user":
        return [of_user]
    return [folder for folder in agents_folders(os.fspath(locations.project_dir)) if folder != of_user]


def agents_folders(start: str) -> Iterator[str]:
    """The `.agents` folder of a folder and of each one above it, up to the root of its repository.

    Whether they exist is not looked at. Without a repository the walk ends at the root of the file system.
    """
    folder = start
    while True:
        yield os.path.join(folder, AGENTS_DIR)
        parent = os.path.dirname(folder)
        if parent == folder or os.path.lexists(os.path.join(folder, ".git")):
            return
        folder = parent
