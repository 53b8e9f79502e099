"""Which extensions load, and when: the user's first, and the project's once it is trusted.

The first pass acts as if the project brought nothing. Its extensions may say whether the project is
trusted; if it is, everything is resolved again and only what is new is loaded, into the same runtime.
In the end all of them stand in the order in which they count.

Touches: files, sys.path, and whatever extensions do when they load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

from hookspecs.context import Mode
from hookspecs.values import dataclass
from pi_core.errors import ExtensionLoadError, GuardLostError
from pi_core.extensions.actions import Runtime
from pi_core.extensions.background import STOP_GRACE_S
from pi_core.extensions.budgets import read_budgets
from pi_core.extensions.clashes import ClashRules, read_rules
from pi_core.extensions.guards import stand_in
from pi_core.extensions.loader import LoadOutcome, LoadRequest, load_extensions
from pi_core.extensions.registrations import Extension, FlagValue
from pi_core.resources.packages import Packages
from pi_core.resources.shared import Shared
from pi_core.resources.trust import Person, TrustDesk
from pi_pkg import (
    Decision,
    Diagnostic,
    Locations,
    Provenance,
    ResolvedResources,
    Resource,
    Settings,
    given_settings,
    notice,
    read_settings,
)
from pi_pkg.cli.progress import Progress, SilentProgress

ResourceKind: TypeAlias = Literal["extensions", "skills", "prompts", "themes"]
KINDS: Final[tuple[ResourceKind, ...]] = ("extensions", "skills", "prompts", "themes")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRequest:
    """What a run asks for beside the settings. Paths are relative to the working folder.

    `sources` are named by the person (`-e`); one that cannot load is fatal. `inline` are factories of
    an embedder; they rank last. `discover` says which kinds may come from settings, folders and
    packages, `exclude` names extensions that are left out wherever they come from. `approve` decides
    about the project for this run; None leaves it to what is stored. `progress` is told what bringing a
    source here is doing.
    """

    sources: tuple[str, ...] = ()
    inline: tuple[Callable[..., Any], ...] = ()
    skills: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    discover: frozenset[ResourceKind] = frozenset(KINDS)
    exclude: tuple[str, ...] = ()
    approve: bool | None = None
    person: Person | None = None
    """Who is asked whether the project is trusted; None leaves it out where nobody decided."""
    settings: Mapping[str, Any] | None = None
    """Stands in for the settings files, which are not read then."""
    progress: Progress = field(default_factory=SilentProgress)

    def settings_in(self, locations: Locations, *, trusted: bool) -> Settings:
        """The settings in force: those that were handed over, or those of the files."""
        if self.settings is not None:
            return given_settings(locations, self.settings)
        return read_settings(locations, trusted=trusted)

    @property
    def explicit(self) -> dict[ResourceKind, tuple[str, ...]]:
        """The named paths by kind; kinds without any are left out."""
        named: dict[ResourceKind, tuple[str, ...]] = {
            "skills": self.skills, "prompts": self.prompts, "themes": self.themes,
        }  # fmt: skip
        return {kind: paths for kind, paths in named.items() if paths}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What was loaded. Extensions are in rank order, the other resources too, enabled ones only."""

    settings: Settings
    trusted: bool
    runtime: Runtime
    extensions: tuple[Extension, ...]
    skills: tuple[Resource, ...]
    prompts: tuple[Resource, ...]
    themes: tuple[Resource, ...]
    diagnostics: tuple[Diagnostic, ...]


Purpose: TypeAlias = Literal["start", "follow", "reload"]
"""Why a load takes place: a run begins, another session follows, or everything is read again.

What was asked for by name must load at the start; later it is reported like everything else. Settings
that cannot be read stop a reload, as the present ones are better than none.
"""


class ResourceLoading(Protocol):
    """What brings the resources of one session; made anew for every load."""

    async def load(self) -> Resources:
        """Everything that the session has. Raises: as `ResourceLoader.load`."""
        ...


LoaderFactory: TypeAlias = Callable[..., ResourceLoading]
"""Is called like `ResourceLoader`, which is the usual one."""


class ResourceLoader:
    """Loads once for one session. `mode` is what trust handlers are told, `environ` what installers see.

    `shared` is what the load has in common with others of the run, `flag_values` what stands before the
    extensions give their defaults. `specs` are pluggy specification classes of a host with events of its own.
    """

    def __init__(
        self,
        locations: Locations,
        request: ResourceRequest,
        *,
        mode: Mode = "print",
        environ: Mapping[str, str] | None = None,
        shared: Shared | None = None,
        purpose: Purpose = "start",
        flag_values: Mapping[str, FlagValue] | None = None,
        specs: Sequence[type] = (),
    ) -> None:
        self._locations = locations
        self._request = request
        self._purpose = purpose
        self._runtime = Runtime(specs=specs, flag_values=flag_values)
        self._shared = shared or Shared()
        self._trust = TrustDesk(locations, mode, self._shared, request.person)
        self._packages = Packages(locations, environ or {}, self._shared, request.progress)
        if shared is None:
            self._runtime.on_close.append(self._shared.close)
        self._extensions: dict[str, Extension] = {}
        self._failed: dict[str, Diagnostic] = {}
        self._findings: list[Diagnostic] = []
        self._rules = ClashRules()

    async def load(self) -> Resources:
        """Both passes. What is imported from is held until the runtime closes.

        Raises: ExtensionLoadError if a source of the request cannot load; GuardLostError if the project
        was trusted with a guard that is gone; TrustError if the trust store is unreadable; SettingsError
        at a reload. What was loaded until then ends.
        """
        self._runtime.on_close.append(self._packages.close)
        try:
            return await self._both_passes()
        except BaseException:
            self._runtime.invalidate()
            await self._runtime.close(STOP_GRACE_S)
            raise

    async def _both_passes(self) -> Resources:
        await self._packages.fetch(self._request.sources)
        settings = self._settings(trusted=False)
        own = settings.user.values
        self._rules, about_rules = read_rules(own.get("clashes"), own.get("keys"))
        self._runtime.watch.budgets, about_budgets = read_budgets(own.get("budgets"))
        self._findings += [*about_rules, *about_budgets]
        found = await self._pass(settings)
        await self._load_inline()
        extensions = self._extensions.values()
        decision = await self._trust.decide(settings.user, self._request.approve, extensions, self._runtime)
        if decision.guard_lost:  # also where nothing is left that would need trust
            raise GuardLostError(str(self._locations.project_dir))
        if decision.trusted:
            settings = self._settings(trusted=True)
            found = await self._pass(settings)
        if (told := notice(decision, self._locations)) is not None:
            self._findings.append(told)
        return self._result(settings, decision, found)

    def _settings(self, *, trusted: bool) -> Settings:
        settings = self._request.settings_in(self._locations, trusted=trusted)
        for layer in settings.layers():
            if layer.error is not None and self._purpose == "reload":
                raise layer.error
        return settings

    async def _pass(self, settings: Settings) -> ResolvedResources:
        self._packages.hold(trusted=settings.project is not None)
        request = self._request
        found = self._packages.resolved(
            settings, request.sources, request.explicit, request.discover, request.exclude
        )
        refused = [
            item for item in found.diagnostics if item.scope == "temporary" and item.severity == "error"
        ]
        if refused and self._purpose == "start":
            raise ExtensionLoadError([(item.source or item.path or "-e", item.message) for item in refused])
        self._shared.path.set(found.import_roots)
        await self._load([item for item in found.extensions if item.enabled])
        self._replace_guards(found)
        return found

    def _replace_guards(self, found: ResolvedResources) -> None:
        """Let a guard that may not even be tried say no: it fits another host, or lacks what it needs."""
        for item in found.extensions:
            if _is_lost_guard(item) and item.path not in self._extensions:
                origin = item.provenance
                why = Diagnostic(
                    "error", "guard-blocked", "resolve", item.rule or "it cannot load here",
                    source=origin.source, scope=origin.scope, path=item.path,
                )  # fmt: skip
                self._extensions[item.path] = stand_in(item.path, origin, why)
                self._runtime.commit(self._extensions[item.path])

    async def _load(self, resources: Iterable[Resource]) -> None:
        """Load what is neither loaded nor failed yet, in order."""
        new = [item for item in resources if item.path not in self._extensions | self._failed]
        await self._load_requests([_request_for(item, self._locations) for item in new])

    async def _load_requests(self, requests: Sequence[LoadRequest]) -> None:
        cwd = str(self._locations.project_dir)
        loaded: LoadOutcome = await load_extensions(
            requests, self._runtime, cwd=cwd, modules=self._shared.modules, rules=self._rules
        )
        self._extensions |= {extension.path: extension for extension in loaded.extensions}
        self._failed |= {error.path or "": error for error in loaded.errors}
        explicit = {request.path for request in requests if request.explicit}
        fatal = [(error.path or "", _told(error)) for error in loaded.errors if error.path in explicit]
        if fatal and self._purpose == "start":
            raise ExtensionLoadError(fatal)

    async def _load_inline(self) -> None:
        names = [f"<inline:{number}>" for number, _ in enumerate(self._request.inline, 1)]
        await self._load_requests(
            [
                LoadRequest(
                    path=name,
                    provenance=Provenance(name, "inline", "temporary", "top-level"),
                    factory=factory,
                )
                for name, factory in zip(names, self._request.inline, strict=True)
            ]
        )

    # the outcome

    def _result(self, settings: Settings, decision: Decision, found: ResolvedResources) -> Resources:
        order = {
            item.path: rank
            for rank, item in enumerate(found.extensions)
            if item.enabled or _is_lost_guard(item)
        }
        inline = {path: len(found.extensions) for path in self._extensions if path.startswith("<inline:")}
        order |= inline
        counting = [extension for path, extension in self._extensions.items() if path in order]
        ranked = sorted(counting, key=lambda extension: order[extension.path])
        warnings = [finding for extension in ranked for finding in extension.diagnostics]
        return Resources(
            settings=settings,
            trusted=decision.trusted and decision.step != "no-resources",
            runtime=self._runtime,
            extensions=tuple(ranked),
            skills=_enabled(found.skills),
            prompts=_enabled(found.prompts),
            themes=_enabled(found.themes),
            diagnostics=(*found.diagnostics, *self._findings, *self._failed.values(), *warnings),
        )


def _told(error: Diagnostic) -> str:
    """What is wrong with an extension, and what to do about it."""
    return error.message if error.hint is None else f"{error.message}. {error.hint}"


def _is_lost_guard(resource: Resource) -> bool:
    """Whether it is a guard that cannot load here and that nobody switched off."""
    return resource.guard and resource.blocked


def _enabled(resources: Iterable[Resource]) -> tuple[Resource, ...]:
    return tuple(item for item in resources if item.enabled)


def _request_for(resource: Resource, locations: Locations) -> LoadRequest:
    scope = resource.provenance.scope
    is_ours = Path(resource.path).is_relative_to(locations.agent_dir)
    return LoadRequest(
        path=resource.path,
        provenance=resource.provenance,
        module=resource.module,
        attribute=resource.attribute,
        import_root=resource.import_root,
        explicit=scope == "temporary",
        bytecode=is_ours or scope in {"user", "environment"},
        guard=resource.guard,
    )
