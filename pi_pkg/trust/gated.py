"""Which files of a project need trust before anything is read from them.

Touches: files (that they exist, nothing more).
"""

from __future__ import annotations

import os
from typing import Final

from pi_pkg.locations import RESOURCE_TYPES, Locations

GATED_NAMES: Final = (
    "settings.toml",
    *RESOURCE_TYPES,
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
    "pylock.toml",
)
"""Names in the project's folder of ours whose mere existence needs trust."""


def gated_paths(locations: Locations) -> tuple[str, ...]:
    """The existing files and folders that need trust, sorted; nothing is opened.

    `.agents/skills` counts in the project's folder and in every folder above it, except the user's own.
    The home folder holds nothing of a project.
    """
    if not locations.has_project:
        return ()
    found = [locations.project_config_dir / name for name in GATED_NAMES]
    own = os.path.realpath(locations.home / ".agents" / "skills")
    for folder in (locations.project_dir, *locations.project_dir.parents):
        skills = folder / ".agents" / "skills"
        if os.path.realpath(skills) != own:
            found.append(skills)
    return tuple(sorted(str(path) for path in found if os.path.lexists(path)))


def needs_no_decision(locations: Locations) -> bool:
    """Whether nothing needs trust and nobody ever decided anything: then the project counts as trusted."""
    return not gated_paths(locations) and not locations.trust_store.exists()
