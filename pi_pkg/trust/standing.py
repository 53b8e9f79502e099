"""How earlier decisions stand today: whom they are from, and whether the content is still the same.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pi_pkg.locations import Locations
from pi_pkg.trust.gate import surface
from pi_pkg.trust.model import StoredDecision
from pi_pkg.trust.snapshot import changes_since
from pi_pkg.trust.store import TrustStore, canonical_folder
from pi_pkg.values import dataclass

Match: TypeAlias = Literal["same", "changed", "any", "missing"]
"""Whether the content is the one that was decided about, `any` where the decision holds for whatever the
folder will hold, `missing` where the folder is gone."""

BY_HAND = "by hand"
"""How a decision came about that no command of ours recorded."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One decision and what became of it."""

    folder: str
    decision: StoredDecision
    match: Match
    changes: tuple[str, ...] = ()
    """What changed, a line each; empty if nothing, or if it is not known."""

    @property
    def how(self) -> str:
        return self.decision.how or BY_HAND

    def to_json(self) -> Mapping[str, Any]:
        """The item of `observed` in the JSON form."""
        return {
            "folder": self.folder,
            "trusted": self.decision.trusted,
            "about": "folder" if self.decision.digest is None else "content",
            "match": self.match,
            "by": self.decision.by,
            "when": self.decision.when,
            "how": self.how,
            "guard": self.decision.guard,
            "digest": self.decision.digest,
            "changes": list(self.changes),
        }


def standings(locations: Locations) -> tuple[Standing, ...]:
    """All decisions, by folder.

    Raises:
        TrustError: the store is malformed.
    """
    known = TrustStore(locations.trust_store).read()
    return tuple(_standing(locations, folder, known[folder]) for folder in sorted(known))


def standing_of(locations: Locations) -> Standing | None:
    """The nearest decision about the project: its own, or that of a folder above it.

    Raises:
        TrustError: the store is malformed.
    """
    for folder, decision in TrustStore(locations.trust_store).nearest(
        canonical_folder(locations.project_dir)
    ):
        if decision.digest is None or folder == canonical_folder(locations.project_dir):
            return _standing(locations, folder, decision)
    return None


def project_at(locations: Locations, folder: str) -> Locations:
    """The same places with another project; a relative folder counts from this one."""
    path = os.path.normpath(os.path.join(locations.project_dir, folder))
    return Locations(locations.agent_dir, Path(path), locations.home)


def _standing(locations: Locations, folder: str, decision: StoredDecision) -> Standing:
    there = project_at(locations, folder)
    if not os.path.isdir(folder):
        return Standing(folder, decision, "missing")
    if decision.digest is None:
        return Standing(folder, decision, "any")
    now = surface(there)
    if now.digest == decision.digest:
        return Standing(folder, decision, "same")
    return Standing(folder, decision, "changed", changes_since(there, now))
