"""What one run may read and change: the layers in force, the gate before a project, a scope to work on.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pi_pkg.atomic import Writer, replace_file
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import TrustError
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer, LayerScope, Settings
from pi_pkg.settings.store import read_settings, settings_store
from pi_pkg.trust.gated import needs_no_decision
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from pi_pkg.changes.builder import Builder
    from pi_pkg.changes.scope import ChangingScope
    from pi_pkg.install.progress import Step
    from pi_pkg.trust.model import Decision

KEEP_GENERATIONS: Final = 3

Scopes: TypeAlias = Literal["user", "project", "both"]
"""Whose packages a command is about; `both` leaves a project out that nobody trusted."""


def quiet(step: Step) -> None:
    """Progress that nobody watches."""


def never() -> bool:
    """Nobody stops it."""
    return False


@dataclass(frozen=True, slots=True)
class Access:
    """The settings of one user and one project. It holds no state: every call reads what is there now."""

    locations: Locations
    environ: Mapping[str, str]
    approve: bool | None = None
    progress: Callable[[Step], None] = quiet
    stopped: Callable[[], bool] = never
    builder: Builder | None = None
    write: Writer = replace_file

    def settings(self, *, trusted: bool) -> Settings:
        """The layers in force. An unreadable file is a layer with an error."""
        return read_settings(self.locations, trusted=trusted)

    def trust(self) -> Decision:
        """Whether the project's files exist, without asking anybody. Raises TrustError."""
        from pi_pkg.trust.gate import project_trust  # start-up time: most folders need no decision

        return project_trust(self.locations, self.settings(trusted=False).user, override=self.approve)

    def trusted(self) -> tuple[bool, Sequence[Diagnostic]]:
        """Whether the project's files exist, and what to tell where they were left out. Raises TrustError."""
        if self.approve is None and needs_no_decision(self.locations):
            return True, ()
        from pi_pkg.trust.gate import notice  # start-up time: most folders need no decision

        decision = self.trust()
        left_out = notice(decision, self.locations)
        return decision.trusted, () if left_out is None else (left_out,)

    def scopes(self, asked: Scopes) -> tuple[tuple[LayerScope, ...], Sequence[Diagnostic]]:
        """The scopes that upkeep is about, the user's first, and what to tell about a project left out.

        Upkeep brings code here without having been told which, so a project takes part only where somebody
        said that it may: on the command line, or in a stored decision. Raises TrustError.
        """
        if asked != "both":
            return (asked,), ()
        if not self.locations.has_project or not self.locations.project_settings.exists():
            return ("user",), ()
        from pi_pkg.trust.gate import APPROVE, notice, said_trust  # start-up time: as above

        user = self.settings(trusted=False).user
        decision = said_trust(self.locations, user, override=self.approve)
        if decision.trusted:
            return ("user", "project"), ()
        left_out = notice(decision, self.locations)
        if decision.step == "default":
            folder = str(self.locations.project_dir)
            message = f"{folder} was left out: nobody decided about its content."
            left_out = Diagnostic(
                "warning", "project-not-trusted", "trust", message, scope="project", path=folder, hint=APPROVE
            )
        return ("user",), () if left_out is None else (left_out,)

    def scope(self, name: LayerScope, build: Sequence[str] = ()) -> ChangingScope:
        """A scope to be changed; `build` names distributions that may be built from source."""
        from pi_pkg.changes.scope import ChangingScope  # start-up time: readers need no installer

        settings = self.settings(trusted=name == "project" or self.project_counts())
        return ChangingScope(
            self.locations,
            settings_store(self.locations, name, write=self.write),
            self.builder_for(settings.user, build),
            settings.user if name == "project" else settings.project,
            kept_generations(settings.user),
            self.progress,
        )

    def project_counts(self) -> bool:
        """Whether a change of the user's scope may look at the project, which it can do without."""
        try:
            return self.trusted()[0]
        except TrustError:
            return False

    def builder_for(self, user: Layer, build: Sequence[str]) -> Builder:
        """Who brings code to the disk."""
        if self.builder is not None:
            return self.builder
        from pi_pkg.builder import MachineBuilder  # start-up time: readers need no installer

        return MachineBuilder(self.locations, user, self.environ, tuple(build), self.progress, self.stopped)

    @contextmanager
    def changing(self, name: LayerScope, dry_run: bool, doing: str, command: str) -> Iterator[None]:
        """The gate before a change of the project, and the record of our own change behind it.

        Raises NoProject, ProjectNotTrusted or TrustError.
        """
        if name == "user":
            yield
            return
        from pi_pkg.trust.record import own_change, person  # start-up time: readers change nothing

        def turn() -> AbstractContextManager[None]:
            scope = self.scope(name)
            if dry_run or (command != "pi install" and scope.is_empty(scope.readable())):
                return nullcontext()  # nothing will change, and a lock would be a file
            return scope.turn()

        user, by = self.settings(trusted=False).user, person(self.environ)
        with own_change(
            self.locations, user, override=self.approve, doing=doing, command=command, by=by,
            keep=not dry_run, turn=turn,
        ):  # fmt: skip
            yield


def kept_generations(user: Layer) -> int:
    """How many generations of a scope stay when newer ones come; at least the one in force."""
    table = user.values.get("install")
    number = table.get("keep-generations") if isinstance(table, Mapping) else None
    return number if isinstance(number, int) and number > 0 else KEEP_GENERATIONS
