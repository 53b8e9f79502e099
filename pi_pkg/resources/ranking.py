"""The order in which resources count, and which of several records of one file is kept.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from operator import attrgetter
from typing import Final

from pi_pkg.locations import ResourceType
from pi_pkg.provenance import Provenance
from pi_pkg.resources.candidates import Choice
from pi_pkg.resources.model import Resource

DEFAULT_ATTRIBUTE: Final = "extension"


class Rank(IntEnum):
    """Who comes first. Inline extensions have no file and are appended by whoever holds them."""

    CLI = 0
    PROJECT_SETTINGS = 1
    PROJECT_AUTO = 2
    USER_SETTINGS = 3
    USER_AUTO = 4
    PROJECT_PACKAGE = 5
    USER_PACKAGE = 6
    ENVIRONMENT = 7
    EXPLICIT = 9


class Record:
    """One way in which a candidate came in. Its state may still change while layers are read."""

    __slots__ = ("barrier", "candidate", "enabled", "guard", "kind", "provenance", "rank", "rule")

    def __init__(
        self, rank: Rank, kind: ResourceType, choice: Choice, provenance: Provenance, *, guard: bool = False
    ) -> None:
        self.rank = rank
        self.kind = kind
        self.candidate, self.enabled, self.rule = choice
        self.provenance = provenance
        self.guard = guard or self.candidate.guard
        self.barrier = self.candidate.blocked
        """Why it cannot load here. What the settings switch off is off by them, not by this."""

    def switch_off(self, rule: str) -> None:
        self.enabled, self.rule = False, rule

    def switch_on(self) -> None:
        self.enabled, self.rule = True, None

    @property
    def resource(self) -> Resource:
        candidate, blocked = self.candidate, self.enabled and self.barrier is not None
        return Resource(
            self.kind,
            candidate.path,
            self.enabled and not blocked,
            self.provenance,
            candidate.module,
            candidate.attribute,
            candidate.import_root,
            self.barrier if blocked else None if self.enabled else self.rule,
            self.guard,
            candidate.name,
            blocked,
        )


class Ranking:
    """The records of one type. Of two records with one path the first added is kept, whatever its rank."""

    __slots__ = ("_by_path", "dropped")

    def __init__(self) -> None:
        self._by_path: dict[tuple[str, str], Record] = {}
        """By path and object inside the file: two entry points may name two factories of one module."""
        self.dropped: list[tuple[Record, Record]] = []
        """Records of a file that another record stands for, and that other one."""

    def add(self, record: Record) -> None:
        candidate = record.candidate
        kept = self._by_path.setdefault((candidate.path, candidate.attribute or DEFAULT_ATTRIBUTE), record)
        if kept is not record:
            self.dropped.append((record, kept))

    def __iter__(self) -> Iterator[Record]:
        return iter(self._by_path.values())

    def ordered(self) -> tuple[Resource, ...]:
        """By rank, then as added; of several records of one real file the first.

        A disabled record counts like any other: that is how a higher rank hides a lower one.
        """
        kept: dict[tuple[str, str], Record] = {}
        for record in sorted(self._by_path.values(), key=_rank):
            candidate = record.candidate
            first = kept.setdefault((candidate.real, candidate.attribute or DEFAULT_ATTRIBUTE), record)
            if first is not record:
                self.dropped.append((record, first))
        return tuple(record.resource for record in kept.values())


_rank = attrgetter("rank")
