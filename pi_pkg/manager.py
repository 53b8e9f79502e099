"""The package manager: what is installed, what it contributes, and how that changes.

Reading needs no installer and loads none. Every change is one scope's: the user's, or the project's if
its files are trusted.

Touches: files, git, network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pi_pkg.atomic import Writer, replace_file
from pi_pkg.diagnostics import Diagnostic, distinct
from pi_pkg.errors import SourceError, TrustError
from pi_pkg.inventory import Wanted, resolved, scope_dir
from pi_pkg.listed import Listing
from pi_pkg.listing import listing
from pi_pkg.locations import RESOURCE_TYPES, Locations, ResourceType
from pi_pkg.resources.model import PackageRoot, ResolvedResources
from pi_pkg.settings.model import Layer, LayerScope, Settings
from pi_pkg.settings.store import read_settings, settings_store
from pi_pkg.trust.gated import needs_no_decision
from pi_pkg.values import dataclass, field

if TYPE_CHECKING:
    from pi_pkg.changes import Builder, ScopeChange
    from pi_pkg.declared import Declared
    from pi_pkg.install.generation import Held
    from pi_pkg.outcome import Outcome, Report
    from pi_pkg.trust.model import Decision


KEEP_GENERATIONS: Final = 3


def _quiet(message: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class PackageManager:
    """The packages of one user in one project. It holds no state: every call reads what is there now."""

    locations: Locations
    environ: Mapping[str, str] = field(default_factory=dict)
    """Environment for installers and git: index addresses, certificates, proxies, PATH."""
    approve: bool | None = None
    """`--approve` is True, `--no-approve` False, None neither."""
    progress: Callable[[str], None] = _quiet
    """Told what long work is doing, a line at a time."""
    builder: Builder | None = None
    """Who brings code to the disk; None is the machine's own tools."""
    write: Writer = replace_file
    """How settings get to the disk."""

    # Reading.

    def trust(self) -> Decision:
        """Whether the project's files exist, without asking anybody.

        Raises:
            TrustError: the store is malformed, unless `approve` decides.
        """
        from pi_pkg.trust.gate import project_trust  # start-up time: most folders need no decision

        return project_trust(self.locations, self.settings(trusted=False).user, override=self.approve)

    def settings(self, *, trusted: bool) -> Settings:
        """The layers in force. An unreadable file is a layer with an error."""
        return read_settings(self.locations, trusted=trusted)

    def resolve(
        self,
        *,
        trusted: bool,
        extra_sources: Sequence[str] = (),
        temporary: Sequence[PackageRoot] = (),
        explicit: Mapping[ResourceType, tuple[str, ...]] | None = None,
        discover: frozenset[ResourceType] = frozenset(RESOURCE_TYPES),
    ) -> ResolvedResources:
        """Everything that may load, in rank order; what cannot is among the diagnostics.

        Args:
            trusted: whether the project's files exist.
            extra_sources: `-e` sources in order, relative to the project's folder.
            temporary: what `fetch` brought for them.
            explicit: `--skill`, `--prompt-template` and `--theme` paths.
            discover: kinds that may come from anywhere but the command line.
        """
        wanted = Wanted(tuple(extra_sources), explicit, discover)
        return resolved(self.locations, self.settings(trusted=trusted), wanted, temporary=temporary)

    def hold(self, *, trusted: bool) -> tuple[Held, ...]:
        """Keep the generations in force from being collected until the values are closed, project first."""
        from pi_pkg.install.generation import hold_generation  # start-up time: `pi list` holds nothing

        scopes: tuple[LayerScope, ...] = ("project", "user") if trusted else ("user",)
        held = (hold_generation(scope_dir(self.locations, scope)) for scope in scopes)
        return tuple(one for one in held if one is not None)

    def list(self) -> Listing:
        """The declared packages with their state and resources, then those beside pi.

        Raises:
            SettingsError: a settings file in force cannot be read.
            TrustError: the trust store is malformed.
        """
        trusted, left_out = self._trusted()
        settings = self.settings(trusted=trusted)
        for layer in settings.layers():
            if layer.error is not None:
                raise layer.error
        found = listing(self.locations, settings, resolved(self.locations, settings))
        return Listing(found.packages, (*found.diagnostics, *left_out))

    def _trusted(self) -> tuple[bool, Sequence[Diagnostic]]:
        """Whether the project's files exist, and what to tell where they were left out."""
        if self.approve is None and needs_no_decision(self.locations):
            return True, ()
        from pi_pkg.trust.gate import notice  # start-up time: most folders need no decision

        decision = self.trust()
        left_out = notice(decision, self.locations)
        return decision.trusted, () if left_out is None else (left_out,)

    # Changing.

    def fetch(self, extra_sources: Sequence[str], *, build: Sequence[str] = ()) -> tuple[PackageRoot, ...]:
        """Bring here what `-e` sources need, for `resolve`; nothing is declared anywhere.

        Raises:
            SourceError: a string that is no source.
            InstallError: something could not be brought here, and never was.
        """
        from pi_pkg.temporary import fetch_temporary  # start-up time: most runs have no `-e`

        builder = self._builder(self.settings(trusted=False).user, build)
        return fetch_temporary(extra_sources, self.locations, builder)

    def install(
        self,
        sources: Sequence[str],
        *,
        project: bool = False,
        build: Sequence[str] = (),
        dry_run: bool = False,
    ) -> Report:
        """Bring packages in and declare them. One that fails does not keep the others out.

        Args:
            sources: as typed, paths relative to the project's folder.
            project: into the project's settings instead of the user's.
            build: distributions that may be built from source, which runs code of theirs.
            dry_run: find out what would happen and put nothing in force.

        Raises:
            SettingsError: the settings of the scope cannot be read.
            ProjectNotTrusted: the project's files may not be read.
            TrustError: the trust store is malformed.
        """
        from pi_pkg.outcome import Report  # start-up time: readers change nothing

        refused, asked = self._asked(sources, project)
        with self._changing(project, dry_run, "install into it", "pi install"):
            change = self._change(project, build)
            report = change.install(asked, dry_run=dry_run)
        done = {**refused, **{outcome.asked: outcome for outcome in report.outcomes}}
        outcomes = tuple(done[text] for text in dict.fromkeys(sources))
        findings = () if dry_run else self._findings_about(outcomes, project)
        return Report(outcomes, distinct([*report.diagnostics, *findings]))

    def remove(self, sources: Sequence[str], *, project: bool = False, dry_run: bool = False) -> Report:
        """Take packages out of the settings, then what was installed for them.

        Args:
            sources: as listed or in another spelling; a broken entry by its literal text.
            project: from the project's settings instead of the user's.
            dry_run: say what would go and change nothing.

        Raises:
            SettingsError: the settings cannot be read or written; nothing was changed.
            ProjectNotTrusted: the project's files may not be read.
            TrustError: the trust store is malformed.
        """
        with self._changing(project, dry_run, "remove from it", "pi remove"):
            texts = tuple(dict.fromkeys(sources))
            return self._change(project, ()).remove(texts, cwd=self.locations.project_dir, dry_run=dry_run)

    def _findings_about(self, outcomes: Sequence[Outcome], project: bool) -> Sequence[Diagnostic]:
        """What resolution has to say about the packages that are in now: empty, broken, not for this host."""
        sources = {outcome.source for outcome in outcomes if outcome.ok}
        if not sources:
            return ()
        from pi_pkg.conflicts import conflicts_between  # start-up time: readers change nothing

        settings = self.settings(trusted=project or self._project_counts())
        found = resolved(self.locations, settings).diagnostics
        about = [finding for finding in found if finding.source in sources]
        return [*about, *conflicts_between(self.locations, settings)]

    def _asked(
        self, sources: Sequence[str], project: bool
    ) -> tuple[dict[str, Outcome], tuple[tuple[str, Declared], ...]]:
        """The refused ones by what was typed, and the packages that were named, each once."""
        from pi_pkg.declared import asked_for  # start-up time: readers change nothing
        from pi_pkg.outcome import Outcome

        scope: LayerScope = "project" if project else "user"
        refused: dict[str, Outcome] = {}
        named: dict[str, tuple[str, Declared]] = {}
        for text in dict.fromkeys(sources):
            try:
                item = asked_for(text, self.locations, scope)
                if item.identity in named:
                    first = named[item.identity][0]
                    raise SourceError(text, f"it names the same package as {first!r}", "Name one of them.")
            except SourceError as error:
                refused[text] = Outcome(text, "refused", scope, error=error)
            else:
                named[item.identity] = (text, item)
        return refused, tuple(named.values())

    def _change(self, project: bool, build: Sequence[str]) -> ScopeChange:
        from pi_pkg.changes import ScopeChange  # start-up time: readers need no installer

        settings = self.settings(trusted=project or self._project_counts())
        return ScopeChange(
            self.locations,
            settings_store(self.locations, "project" if project else "user", write=self.write),
            self._builder(settings.user, build),
            settings.user if project else settings.project,
            kept_generations(settings.user),
        )

    def _project_counts(self) -> bool:
        """Whether a change of the user's scope may look at the project, which it can do without."""
        try:
            return self._trusted()[0]
        except TrustError:
            return False

    def _builder(self, user: Layer, build: Sequence[str]) -> Builder:
        if self.builder is not None:
            return self.builder
        from pi_pkg.builder import MachineBuilder  # start-up time: readers need no installer

        return MachineBuilder(self.locations, user, self.environ, tuple(build), self.progress)

    @contextmanager
    def _changing(self, project: bool, dry_run: bool, doing: str, command: str) -> Iterator[None]:
        """The gate before a change of the project, and the record of our own change behind it."""
        if not project:
            yield
            return
        from pi_pkg.trust.record import own_change, person  # start-up time: readers change nothing

        user, by = self.settings(trusted=False).user, person(self.environ)
        with own_change(
            self.locations, user, override=self.approve, doing=doing, command=command, by=by, keep=not dry_run
        ):
            yield


def kept_generations(user: Layer) -> int:
    """How many generations of a scope stay when newer ones come; at least the one in force."""
    table = user.values.get("install")
    number = table.get("keep-generations") if isinstance(table, Mapping) else None
    return number if isinstance(number, int) and number > 0 else KEEP_GENERATIONS
