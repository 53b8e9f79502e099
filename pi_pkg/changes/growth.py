"""Which packages go together in one generation: all of them if they do, else as many as possible.

What was there before never has to go because something new does not fit.

Touches: files, git, network (through the builder).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_pkg.changes.scope import ChangingScope
from pi_pkg.declared import Declared
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import InstallError, PackageError
from pi_pkg.install.generation import discard_generation
from pi_pkg.install.index import GenerationIndex
from pi_pkg.install.plan import Root
from pi_pkg.shown import public_form
from pi_pkg.sources.model import LocalSource


@dataclass(frozen=True, slots=True)
class Slot:
    """One package of the scope: what it is, and what it may become."""

    identity: str
    before: Declared | None
    """What stays if the new one cannot be had; None: then there is nothing."""
    after: Declared | None = None
    """What is wanted instead; None: what was before."""
    fresh: bool = False
    """Whether the wanted one may move to a newer version or commit."""


@dataclass(frozen=True, slots=True)
class Grown:
    """What came of it."""

    index: GenerationIndex | None
    """The generation of everything that goes together, not in force yet; None if nothing new does."""
    refused: Mapping[str, PackageError]
    """Why not, by identity."""
    diagnostics: tuple[Diagnostic, ...] = ()


class Growth:
    """One attempt to grow a scope, on top of what is in force. Its lock is held meanwhile."""

    def __init__(self, scope: ChangingScope, current: GenerationIndex | None) -> None:
        self._scope = scope
        self._current = current
        self._slots: Sequence[Slot] = ()
        self._new: dict[str, Root] = {}
        self._old: dict[str, Root | None] = {}
        self._accepted: set[str] = set()
        self._refused: dict[str, PackageError] = {}
        self._index: GenerationIndex | None = None
        self._findings: list[Diagnostic] = []

    def grow(self, slots: Sequence[Slot]) -> Grown:
        """Build all slots, in their order. What was before and does not go together any more is refused
        like something new."""
        self._slots = slots
        wanted = [slot.identity for slot in slots if slot.after is not None and self._prepared(slot)]
        if wanted:
            self._try_first(wanted)
        elif not self._refused:
            try:
                self._index = self._build(set())
            except InstallError as error:
                self._start_over(error, [])
        return Grown(self._index, self._refused, tuple(self._findings))

    def keep(self, slots: Sequence[Slot]) -> GenerationIndex:
        """Build what was before, all of it.

        Raises:
            InstallError: it does not go together any more.
        """
        self._slots = slots
        return self._build(set())

    def _try_first(self, wanted: Sequence[str]) -> None:
        try:
            self._accept(self._build(set(wanted)), wanted)
        except PackageError as error:
            if not any(slot.before for slot in self._slots):
                self._divide(wanted, error)
                return
            try:
                self._accept(self._build(set()), [])
            except PackageError:
                self._start_over(error, wanted)
            else:
                self._divide(wanted, error)

    def _start_over(self, error: PackageError, wanted: Sequence[str]) -> None:
        """What was before does not stand by itself, so nothing of it is taken for granted."""
        self._slots = [
            Slot(slot.identity, None, slot.after or slot.before, slot.fresh) for slot in self._slots
        ]
        self._old.clear()
        rest = [slot for slot in self._slots if slot.identity not in {*wanted, *self._refused}]
        ready = [slot.identity for slot in rest if self._prepared(slot)]
        self._divide([*ready, *wanted], error)

    def _prepared(self, slot: Slot) -> bool:
        """Whether the wanted form of a package is there to be built."""
        try:
            self._new[slot.identity] = self._root(slot.after or slot.before, fresh=slot.fresh)
        except PackageError as error:
            self._refused[slot.identity] = error
            return False
        return True

    def _try(self, wanted: Sequence[str]) -> None:
        """All at once; in halves where that fails, each on top of what was accepted so far."""
        try:
            index = self._build({*self._accepted, *wanted})
        except PackageError as error:
            self._divide(wanted, error)
        else:
            self._accept(index, wanted)

    def _divide(self, wanted: Sequence[str], error: PackageError) -> None:
        if len(wanted) < 2:
            self._refused |= dict.fromkeys(wanted, error)
            return
        middle = len(wanted) // 2
        self._try(wanted[:middle])
        self._try(wanted[middle:])

    def _accept(self, index: GenerationIndex, wanted: Collection[str]) -> None:
        if self._index is not None and self._index.generation != index.generation:
            discard_generation(self._scope.folder, self._index.generation)
        self._index = index
        self._accepted.update(wanted)

    def _build(self, accepted: Collection[str]) -> GenerationIndex:
        roots = [self._chosen(slot, accepted) for slot in self._slots]
        renew = {slot.identity for slot in self._slots if slot.fresh and slot.identity in accepted}
        return self._scope.builder.build(
            self._scope.folder, [root for root in roots if root is not None], renew=renew
        )

    def _chosen(self, slot: Slot, accepted: Collection[str]) -> Root | None:
        if slot.identity in accepted:
            return self._new[slot.identity]
        if slot.identity not in self._old:
            self._old[slot.identity] = self._kept(slot.before)
        return self._old[slot.identity]

    def _kept(self, item: Declared | None) -> Root | None:
        """The form that a package has now; None, with a finding, if it is gone."""
        if item is None:
            return None
        try:
            return self._root(item, fresh=False)
        except InstallError as error:
            self._findings.append(left_out(item, self._scope, error.message))
            return None

    def _root(self, item: Declared | None, *, fresh: bool) -> Root:
        assert item is not None  # a slot has one form or the other
        if isinstance(item.source, LocalSource) and not Path(item.source.path).exists():
            raise InstallError(f"there is no {item.source.path}.")
        return self._scope.builder.root(item.source, current=self._current, fresh=fresh)


def left_out(item: Declared, scope: ChangingScope, reason: str) -> Diagnostic:
    """The finding about a declared package that cannot be had."""
    flag = " -l" if scope.name == "project" else ""
    return Diagnostic(
        "warning", "package-missing", "install", f"{item.text!r} was left out: {reason}", item.text,
        scope.name, hint=f"Take it out: pi remove{flag} {item.shown}",
    )  # fmt: skip


def build_findings(index: GenerationIndex, texts: Collection[str]) -> list[Diagnostic]:
    """What a build gave occasion to say about the generation, and about packages by source."""
    named = {public_form(text) for text in texts}
    return [
        Diagnostic(note.severity, note.code, "install", note.message, note.source, hint=note.hint)
        for note in index.notes
        # That the environment satisfies it stands in the outcome.
        if (note.source is None or note.source in named) and note.code != "satisfied-by-environment"
    ]
