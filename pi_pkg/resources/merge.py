"""Which package entries count when the project and the user name the same package.

The reference's rules (§4.4): the project's entry replaces the user's, unless it is a delta
(`autoload = false`), which stands before the user's and speaks about the user's installation.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from pi_pkg.settings.model import LayerScope, PackageEntry
from pi_pkg.values import dataclass

Identified: TypeAlias = tuple[str, PackageEntry]
"""Identity of the source, and the entry."""


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """One entry that counts."""

    identity: str
    entry: PackageEntry
    scope: LayerScope
    """Whose settings say it; decides rank and provenance."""
    owner: LayerScope
    """Whose installation is read: the user's for a delta."""
    located_by: PackageEntry
    """The entry whose source says where the package is: the user's for a delta."""


def plan_entries(project: Iterable[Identified], user: Iterable[Identified]) -> tuple[PlannedEntry, ...]:
    """The entries that count, the project's first, each list in order of first mention.

    Of several entries for one package the project's last and the user's first counts.
    """
    theirs: dict[str, PackageEntry] = {}
    for identity, entry in project:
        theirs[identity] = entry
    mine: dict[str, PackageEntry] = {}
    for identity, entry in user:
        mine.setdefault(identity, entry)
    planned = [_of_project(identity, entry, mine.get(identity)) for identity, entry in theirs.items()]
    for identity, entry in mine.items():
        if identity not in theirs or not theirs[identity].autoload:
            planned.append(PlannedEntry(identity, entry, "user", "user", entry))
    return tuple(planned)


def _of_project(identity: str, entry: PackageEntry, of_user: PackageEntry | None) -> PlannedEntry:
    if entry.autoload or of_user is None:
        return PlannedEntry(identity, entry, "project", "project", entry)
    return PlannedEntry(identity, entry, "project", "user", of_user)
