"""The package manager: what is installed, what it contributes, and how that changes.

Reading needs no installer and loads none. Every change is one scope's: the user's, or the project's if
its files are trusted.

Touches: files, git, network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pi_pkg.access import Access, Scopes, never, quiet
from pi_pkg.atomic import Writer, replace_file
from pi_pkg.diagnostics import Diagnostic, distinct
from pi_pkg.fetched import Fetched
from pi_pkg.installed import has_generation, scope_dir
from pi_pkg.inventory import Wanted, resolved
from pi_pkg.listed import Listing
from pi_pkg.listing import listing
from pi_pkg.locations import RESOURCE_TYPES, Locations, ResourceType
from pi_pkg.resources.model import ResolvedResources
from pi_pkg.settings.model import LayerScope, Settings
from pi_pkg.shown import one_line
from pi_pkg.values import dataclass, field

if TYPE_CHECKING:
    from pi_pkg.changes.builder import Builder
    from pi_pkg.changes.rollback import Kept
    from pi_pkg.install.generation import Held
    from pi_pkg.install.progress import Step
    from pi_pkg.outcome import Outcome, Report
    from pi_pkg.trust.model import Decision


@dataclass(frozen=True, slots=True)
class PackageManager:
    """The packages of one user in one project. It holds no state: every call reads what is there now."""

    locations: Locations
    environ: Mapping[str, str] = field(default_factory=dict)
    """Environment for installers and git: index addresses, certificates, proxies, PATH."""
    approve: bool | None = None
    """`--approve` is True, `--no-approve` False, None neither."""
    progress: Callable[[Step], None] = quiet
    """Told what long work is doing, a step at a time, perhaps from another thread."""
    stopped: Callable[[], bool] = never
    """Asked now and then by long work; once true, it is as if Ctrl-C had been pressed."""
    offline: bool = False
    """Look nothing up that nobody asked for by name."""
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
        return self._access.trust()

    def settings(self, *, trusted: bool) -> Settings:
        """The layers in force. An unreadable file is a layer with an error."""
        return self._access.settings(trusted=trusted)

    def resolve(
        self,
        *,
        trusted: bool,
        extra_sources: Sequence[str] = (),
        fetched: Fetched | None = None,
        explicit: Mapping[ResourceType, tuple[str, ...]] | None = None,
        discover: frozenset[ResourceType] = frozenset(RESOURCE_TYPES),
    ) -> ResolvedResources:
        """Everything that may load, in rank order; what cannot is among the diagnostics.

        Args:
            trusted: whether the project's files exist.
            extra_sources: `-e` sources in order, relative to the project's folder.
            fetched: what `fetch` brought for them.
            explicit: `--skill`, `--prompt-template` and `--theme` paths.
            discover: kinds that may come from anywhere but the command line.
        """
        wanted = Wanted(tuple(extra_sources), explicit, discover, fetched=fetched or Fetched())
        return resolved(self.locations, self.settings(trusted=trusted), wanted)

    def hold(self, *, trusted: bool) -> Mapping[LayerScope, Held]:
        """Keep the generations in force from being collected until the values are closed, project first.

        Whoever imports from them resolves with the names that are held (`Wanted.held`): others may be in
        force by then.
        """
        scopes: tuple[LayerScope, ...] = ("project", "user") if trusted else ("user",)
        folders = {scope: scope_dir(self.locations, scope) for scope in scopes}
        folders = {scope: folder for scope, folder in folders.items() if has_generation(folder)}
        if not folders:
            return {}
        from pi_pkg.install.generation import hold_generation  # start-up time: many have no packages

        held = {scope: hold_generation(folder) for scope, folder in folders.items()}
        return {scope: one for scope, one in held.items() if one is not None}

    def list(self) -> Listing:
        """The declared packages with their state and resources, then those beside pi.

        Raises:
            SettingsError: a settings file in force cannot be read.
            TrustError: the trust store is malformed.
        """
        trusted, left_out = self._access.trusted()
        settings = self.settings(trusted=trusted)
        for layer in settings.layers():
            if layer.error is not None:
                raise layer.error
        found = listing(self.locations, settings, resolved(self.locations, settings))
        return Listing(found.packages, (*found.diagnostics, *left_out))

    @property
    def _access(self) -> Access:
        return Access(
            self.locations, self.environ, self.approve, self.progress, self.stopped, self.builder, self.write
        )

    # Changing.

    def fetch(self, extra_sources: Sequence[str], *, build: Sequence[str] = ()) -> Fetched:
        """Bring here what `-e` sources need, for `resolve`; nothing is declared anywhere.

        Raises:
            SourceError: a string that is no source.
            InstallError: something could not be brought here, and never was.
        """
        from pi_pkg.needs import needing_installation  # start-up time: most runs have no `-e`

        needed = needing_installation(extra_sources, self.locations)
        if not needed:
            return Fetched()
        from pi_pkg.temporary import fetch_temporary  # start-up time: most sources are files

        builder = self._access.builder_for(self.settings(trusted=False).user, build)
        return fetch_temporary(needed, self.locations, builder, offline=self.offline)

    def listed_in(self, files: Sequence[str]) -> Sequence[str]:
        """The sources that requirements files list, in order, for `install`; paths are absolute.

        Raises:
            InstallError: a file cannot be read, or asks for what no source can say.
        """
        if not files:
            return ()
        from pi_pkg.install.requirements_file import listed_sources  # start-up time: rare

        folder = self.locations.project_dir
        return [source for name in files for source in listed_sources(folder / name)]

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
        from pi_pkg.changes.install import install, named  # start-up time: readers change nothing
        from pi_pkg.outcome import Report

        scope: LayerScope = "project" if project else "user"
        refused, asked = named(sources, self.locations, scope)
        with self._access.changing(scope, dry_run, "install into it", "pi install"):
            report = install(self._access.scope(scope, build), asked, dry_run=dry_run)
        done = {**refused, **{outcome.asked: outcome for outcome in report.outcomes}}
        outcomes = tuple(done[text] for text in dict.fromkeys(sources))
        findings = () if dry_run else self._findings_about(outcomes, project)
        return Report(outcomes, distinct([*report.diagnostics, *findings]))

    def remove(self, sources: Sequence[str], *, project: bool = False, dry_run: bool = False) -> Report:
        """Take packages out of the settings, then what was installed for them.

        Args:
            sources: as listed or in another spelling; a broken entry by its literal text; a package also by
                the token of anything it contributes.
            project: from the project's settings instead of the user's.
            dry_run: say what would go and change nothing.

        Raises:
            SettingsError: the settings cannot be read or written; nothing was changed.
            ProjectNotTrusted: the project's files may not be read.
            TrustError: the trust store is malformed.
        """
        from pi_pkg.changes.remove import remove  # start-up time: readers change nothing

        scope: LayerScope = "project" if project else "user"
        named = {text: self._package_of(text) for text in dict.fromkeys(sources)}
        texts = tuple(dict.fromkeys(named.values()))
        with self._access.changing(scope, dry_run, "remove from it", "pi remove"):
            return remove(self._access.scope(scope), texts, cwd=self.locations.project_dir, dry_run=dry_run)

    def _package_of(self, text: str) -> str:
        """The source of the package that a token of `pi list` belongs to; any other text as it is."""
        if text.partition(":")[0] not in RESOURCE_TYPES:
            return text
        for package in self.list().packages:
            if any(text == item.token for items in package.resources.values() for item in items):
                return package.source
        return text

    def update(
        self,
        sources: Sequence[str] = (),
        *,
        scopes: Scopes = "both",
        check: bool = False,
        build: Sequence[str] = (),
    ) -> Report:
        """Move packages to what their sources mean now: ranges and branches move, pins stay.

        Args:
            sources: those that are meant, in any spelling, with any version or ref; all by default.
            scopes: where they are declared. Nothing is installed into a scope that does not declare it.
            check: say what there is and change nothing.
            build: distributions that may be built from source.

        Returns:
            An outcome for each package that was examined. Offline, nothing is, and a diagnostic says so.

        Raises:
            SettingsError: the settings of a scope cannot be read.
            ProjectNotTrusted: `scopes` is the project alone, and its files may not be read.
            TrustError: the trust store is malformed.
        """
        from pi_pkg.upkeep import update_scopes  # start-up time: readers change nothing

        return update_scopes(self._access, sources, scopes, check=check, build=build, offline=self.offline)

    def sync(self, *, scopes: Scopes = "both", build: Sequence[str] = (), dry_run: bool = False) -> Report:
        """Repair: build what is missing, let go of what no settings name, move nothing else.

        Returns:
            An outcome for each package that is not as it was; none if there was nothing to do.

        Raises:
            As `update`.
        """
        from pi_pkg.upkeep import sync_scopes  # start-up time: readers change nothing

        return sync_scopes(self._access, scopes, build=build, dry_run=dry_run)

    def rollback(
        self, generation: str | None = None, *, project: bool = False, dry_run: bool = False
    ) -> Report:
        """Put a kept generation of a scope in force again, and make its settings agree with it.

        Args:
            generation: its name or number; the one before by default.
            project: of the project instead of the user.
            dry_run: say what would happen and change nothing.

        Raises:
            InstallError: there is no such generation, or it cannot be used any more.
            SettingsError, ProjectNotTrusted, TrustError: as `install`.
        """
        from pi_pkg.changes.rollback import rollback  # start-up time: readers change nothing

        scope: LayerScope = "project" if project else "user"
        with self._access.changing(scope, dry_run, "roll it back", "pi rollback"):
            return rollback(self._access.scope(scope), generation, dry_run=dry_run)

    def generations(self, *, project: bool = False) -> tuple[Kept, ...]:
        """What a scope can be rolled back to, oldest first."""
        from pi_pkg.changes.rollback import kept  # start-up time: readers change nothing

        return kept(self._access.scope("project" if project else "user"))

    def _findings_about(self, outcomes: Sequence[Outcome], project: bool) -> Sequence[Diagnostic]:
        """What resolution has to say about the packages that are in now: empty, broken, not for this host."""
        sources = {one_line(outcome.source or "") for outcome in outcomes if outcome.ok}
        if not sources:
            return ()
        settings = self.settings(trusted=project or self._access.project_counts())
        found = resolved(self.locations, settings).diagnostics
        return [item for item in found if item.source in sources or item.code == "scope-conflict"]
