"""Whether a project brings a guard: a package that wants tools refused if it cannot load.

Touches: files.
"""

from __future__ import annotations

from pi_pkg.inventory import resolved
from pi_pkg.locations import Locations
from pi_pkg.settings.store import read_settings


def holds_guard(locations: Locations) -> bool:
    """Whether something of the project that counts now is a guard. No code is run."""
    found = resolved(locations, read_settings(locations, trusted=True))
    return any(
        item.guard and item.enabled and item.provenance.scope == "project" for item in found.extensions
    )
