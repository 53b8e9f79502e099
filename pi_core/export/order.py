"""Entries in the order in which a reader walks through the tree, whatever a file claims about parents.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from hookspecs.values import dataclass
from pi_core.history.entries import Entry


@dataclass(frozen=True, slots=True)
class Place:
    """An entry in the walk. `parent` is the place of its parent, -1 for a root.

    `depth` counts the forks on the way to it.
    """

    entry: Entry
    parent: int
    depth: int


def walk(entries: Sequence[Entry]) -> list[Place]:
    """Every entry once, a parent before its children, children oldest first.

    Of entries with one id the last has the children. Entries that are each other's parents begin where
    the file has the first of them.
    """
    by_id = {entry.id: number for number, entry in enumerate(entries)}
    children: dict[int, list[int]] = {}
    roots: list[int] = []
    for number, entry in enumerate(entries):
        parent = by_id.get(entry.parent_id) if entry.parent_id is not None else None
        (roots if parent is None or parent == number else children.setdefault(parent, [])).append(number)
    places: list[Place] = []
    seen: set[int] = set()
    for start in (*roots, *range(len(entries))):
        pending = [(start, -1, 0)]
        while pending:
            number, parent, depth = pending.pop()
            if number in seen:
                continue
            seen.add(number)
            place = len(places)
            places.append(Place(entries[number], parent, depth))
            following = children.get(number, [])
            below = depth + (len(following) > 1)
            pending += [(child, place, below) for child in reversed(following)]
    return places
