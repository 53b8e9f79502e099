"""What stands in the conventional folders of the user and of the project, without being named anywhere.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TypeAlias

from pi_pkg.locations import Locations, ResourceType
from pi_pkg.resources.collect import Candidate, Collector, Depth
from pi_pkg.resources.conventions import AGENTS_DIR
from pi_pkg.settings.model import LayerScope
from pi_pkg.values import dataclass

Found: TypeAlias = tuple[str, list[Candidate]]
"""The folder that patterns are relative to, and what was found for it, in order."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """Searches the conventional places of one scope."""

    locations: Locations
    collector: Collector

    def of(self, scope: LayerScope, kind: ResourceType) -> Iterator[Found]:
        """What stands in the scope's own folder, then, for skills, in `.agents` folders, nearest first."""
        own = self.locations.agent_dir if scope == "user" else self.locations.project_config_dir
        yield self._in(os.fspath(own), kind, "direct")
        if kind == "skills":
            for folder in self._agents(scope):
                yield self._in(folder, kind, "agents")

    def _in(self, base: str, kind: ResourceType, depth: Depth) -> Found:
        folder = os.path.join(base, kind)
        return base, self.collector.files(kind, folder, depth, within=self.collector.real.of(folder))

    def _agents(self, scope: LayerScope) -> list[str]:
        of_user = os.path.join(self.locations.home, AGENTS_DIR)
        if scope == "user":
            return [of_user]
        start = os.fspath(self.locations.project_dir)
        return [folder for folder in agents_folders(start) if folder != of_user]


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
