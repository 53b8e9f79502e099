"""Whether a project may bring anything: extensions of the person vote, and a person who sits there is asked.

Touches: the project's files, the trust store, and whatever extensions and the person do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from hookspecs.context import Mode
from hookspecs.events.trust import ProjectTrust
from hookspecs.ui import Dialogs
from hookspecs.values import dataclass
from pi_core.extensions.actions import Runtime
from pi_core.extensions.headless import HeadlessUI
from pi_core.extensions.registrations import Extension
from pi_core.extensions.runner import Runner
from pi_core.resources.shared import Shared
from pi_pkg import (
    Answer,
    Decision,
    Layer,
    Locations,
    Vote,
    changes_since,
    project_trust,
    remember_decision,
    surface,
    trust_facts,
)


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """What a person is asked about a project. `changes` are lines, and empty if it was never trusted."""

    folder: str
    paths: tuple[str, ...]
    changes: tuple[str, ...] = ()
    changed: bool = False
    """It was trusted with another content."""


class Person(Protocol):
    """Whoever sits at the program while a project is opened."""

    @property
    def dialogs(self) -> Dialogs:
        """How extensions that vote may ask."""
        ...

    async def trusts(self, question: TrustQuestion) -> Answer | None:
        """The answer; None leaves the project out for this run."""
        ...


@dataclass(frozen=True, slots=True)
class TrustContext:
    """Implements `ProjectTrustContext`: there is no session yet, and perhaps nobody to ask."""

    cwd: str
    mode: Mode
    ui: Dialogs
    has_ui: bool = False


class TrustDesk:
    """Decides about one project for one load."""

    def __init__(self, locations: Locations, mode: Mode, shared: Shared, person: Person | None) -> None:
        self._locations = locations
        self._mode = mode
        self._shared = shared
        self._person = person

    async def decide(
        self, user: Layer, override: bool | None, extensions: Iterable[Extension], runtime: Runtime
    ) -> Decision:
        """The decision, which is stored if it is to be. Raises: TrustError."""
        votes: tuple[Vote, ...] = ()
        if override is None:
            facts = trust_facts(self._locations, user)
            if facts.surface.paths:
                votes = await self._votes(facts.folder, tuple(extensions), runtime)
        decision = project_trust(self._locations, user, override=override, votes=votes)
        if decision.step == "headless" and self._person is not None:
            answer = await self._answer(self._person, decision)
            decision = project_trust(self._locations, user, votes=votes, has_ui=True, answer=answer)
        remember_decision(self._locations, decision)
        return decision

    async def _answer(self, person: Person, decision: Decision) -> Answer:
        """What the person says: asked once a run, as long as the content stays what it is."""
        folder, content = str(self._locations.project_dir), surface(self._locations)
        known = self._shared.answer(folder, content)
        if known is None:
            changes = changes_since(self._locations, content) if decision.changed else ()
            question = TrustQuestion(folder, content.paths, changes, decision.changed)
            known = await person.trusts(question) or "deny-session"
            self._shared.remember_answer(folder, content, known)
        return known

    async def _votes(
        self, folder: str, extensions: tuple[Extension, ...], runtime: Runtime
    ) -> tuple[Vote, ...]:
        """What the user's extensions say about the project: the first verdict, or none.

        They are asked once a run, as long as the project's content stays what it is.
        """
        cwd = str(self._locations.project_dir)
        runner = Runner(extensions, runtime, cwd=cwd, mode=self._mode)
        if not runner.has_handlers("project_trust"):
            return ()
        content = surface(self._locations)
        known = self._shared.votes(folder, content)
        if known is None:
            known = await self._asked(runner, cwd)
            self._shared.remember_votes(folder, content, known)
        return known

    async def _asked(self, runner: Runner, cwd: str) -> tuple[Vote, ...]:
        person = self._person
        ui: Dialogs = HeadlessUI(self._mode) if person is None else person.dialogs
        context = TrustContext(cwd, self._mode, ui, has_ui=person is not None)
        verdict = await runner.emit(ProjectTrust(cwd=cwd), context)
        if verdict is None:
            return ()
        owners = {handler.owner for handler in runner.plan("project_trust").handlers}
        return (Vote(", ".join(sorted(owners)), verdict.trusted, bool(verdict.remember)),)
