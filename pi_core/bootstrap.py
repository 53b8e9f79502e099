"""The composition root: from what a run asks for to a session. The only file that builds everything.

Touches: environment, files, and whatever extensions do when they load.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from hookspecs.context import Mode
from hookspecs.definitions import FlagType, ToolDefinition
from hookspecs.values import dataclass
from pi_core.extensions.diagnostics_log import DiagnosticsLog
from pi_core.extensions.module_cache import restart_needed
from pi_core.extensions.registrations import FlagValue
from pi_core.extensions.runner import Runner
from pi_core.history.store import SessionStore
from pi_core.providers.auth import Credentials, command_runner
from pi_core.providers.auth_file import AuthStore
from pi_core.providers.models import read_models_file
from pi_core.providers.registry import ModelRegistry, default_apis
from pi_core.providers.values import Values
from pi_core.resources.loader import LoaderFactory, Purpose, ResourceLoader, ResourceRequest, Resources
from pi_core.resources.prompt_sources import PromptRequest, prompt_parts
from pi_core.resources.shared import Following, Shared
from pi_core.resources.watched import watched_files
from pi_core.session.bindings import SessionHost
from pi_core.session.channel import Channel
from pi_core.session.generation import Generation, SessionParts, Staged
from pi_core.session.model_selection import ModelRequest, ModelSelection
from pi_core.session.opening import StoreRequest, open_store, passed_over
from pi_core.session.preferences import limit_findings
from pi_core.session.runtime import SessionRuntime
from pi_core.session.session import Session
from pi_core.session.system_text import SystemText
from pi_core.session.toolset import ToolFilter, Toolset
from pi_core.tools.bash import BashSettings
from pi_core.tools.builtin import builtin_tools
from pi_core.tools.images import image_settings
from pi_pkg import (
    AGENT_DIR_VARIABLE,
    Diagnostic,
    Locations,
    Settings,
    default_agent_dir,
    save_setting,
)

SCRIPT_VARIABLE: Final = "PI_SCRIPT"
"""Names a script file that the scripted model plays."""
SESSION_DIR_VARIABLE: Final = "PI_CODING_AGENT_SESSION_DIR"
_NO_FAULT: Final = frozenset({"model-choice"})
"""Codes of findings that tell of no fault: never logged, and told once a run, not with every session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """Everything that a run asks for. The environment is a value: nothing below reads the process's.

    `conversation` is one that is open already; otherwise `store` says which.
    """

    locations: Locations
    environ: Mapping[str, str] = field(default_factory=dict)
    mode: Mode = "print"
    conversation: SessionStore | None = None
    store: StoreRequest = field(default_factory=StoreRequest)
    resources: ResourceRequest = field(default_factory=ResourceRequest)
    prompt: PromptRequest = field(default_factory=PromptRequest)
    model: ModelRequest = field(default_factory=ModelRequest)
    tools: ToolFilter = field(default_factory=ToolFilter)
    custom_tools: tuple[ToolDefinition, ...] = ()
    loader: LoaderFactory = ResourceLoader
    """Makes what brings the resources, for every load of every session."""
    observe: Callable[[Runner], object] | None = None
    """Is shown every runner before its session is made, such as a journal's `attach`."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A conversation whose extensions are loaded and whose session is not made yet: flags can still be read.

    Afterwards comes one of `open`, `begin` and `close`.
    """

    workshop: Workshop
    request: RunRequest
    store: SessionStore
    resources: Resources
    runner: Runner

    def flag_types(self) -> dict[str, FlagType]:
        """The command-line flags of the extensions, by name."""
        return self.runner.registry.flag_types()

    async def open(self, flags: Mapping[str, FlagValue] | None = None) -> Session:
        """The session alone, not bound yet. `flags` are what was given on the command line.

        Raises: ModelChoiceError; everything that was loaded has ended then.
        """
        self.workshop.flags = dict(flags or {})
        self.resources.runtime.flag_values.update(self.workshop.flags)
        return await self.workshop.session(self)

    async def begin(self, flags: Mapping[str, FlagValue] | None = None) -> SessionRuntime:
        """The session in the hands of a runtime, which can replace it. Not bound yet; raises as `open`."""
        return SessionRuntime(await self.open(flags), self.workshop.follow)

    def models(self) -> tuple[ModelRegistry, list[Diagnostic]]:
        """All models without a session, those of extensions included, and what is wrong with them."""
        registry = _registry(self.request, None)
        told = _model_problems(registry)
        self.runner.on_error(lambda finding: told.append(self.runner.diagnostic(finding)))
        self.runner.runtime.hand_over_providers(_Providers(registry))
        return registry, told

    async def close(self) -> None:
        """No session is wanted: end what was loaded."""
        self.runner.invalidate()
        await self.runner.close()
        self.workshop.close()


def locations_for(cwd: str | Path, agent_dir: str | Path | None = None) -> Locations:
    """The folders of the person who runs this program, in a working folder; `agent_dir` stands in."""
    home = Path.home()
    named = agent_dir or os.environ.get(AGENT_DIR_VARIABLE)
    place = Path(named).expanduser().absolute() if named else default_agent_dir(home)
    return Locations(place, Path(cwd).absolute(), home)


def process_environ() -> dict[str, str]:
    """The environment of this process, as a value."""
    return dict(os.environ)


async def prepare(request: RunRequest) -> Prepared:
    """Find the conversation, which decides the working folder, and load the extensions.

    Raises: SessionFileError, ExtensionLoadError, GuardLostError; PackageError for the trust store.
    """
    locations = request.locations
    store = request.conversation or open_store(
        _stored(request, request.resources.settings_in(locations, trusted=False)),
        cwd=locations.project_dir,
        sessions_dir=locations.sessions_dir,
    )
    workshop = Workshop(request)
    try:
        return await workshop.prepare(store, "start")
    except BaseException:
        workshop.close()
        raise


def sessions_directory(request: RunRequest) -> Path | None:
    """The one folder that the person keeps all conversations in; None for a folder a project."""
    settings = request.resources.settings_in(request.locations, trusted=False)
    return _stored(request, settings).directory


class Workshop:
    """Builds the sessions of one run and their generations. Implements `Source`.

    `flags` are the values of the command line, which every session begins with.
    """

    def __init__(self, request: RunRequest) -> None:
        self.flags: Mapping[str, FlagValue] = {}
        self._request = request
        self._shared = Shared()
        self._told: set[Diagnostic] = set()
        self.unheard: tuple[Diagnostic, ...] = ()
        """What was found for a session that could not be made."""

    def close(self) -> None:
        """No session follows: modules, folders and generations are let go of."""
        self._shared.close()

    async def prepare(
        self,
        store: SessionStore,
        purpose: Purpose,
        *,
        shared: Shared | None = None,
        flags: Mapping[str, FlagValue] | None = None,
    ) -> Prepared:
        """Load everything for a conversation, in its working folder. Raises: as `ResourceLoader.load`."""
        locations = replace(self._request.locations, project_dir=Path(store.cwd))
        request = replace(self._request, locations=locations)
        loader = request.loader(
            locations,
            request.resources,
            mode=request.mode,
            environ=request.environ,
            shared=shared or self._shared,
            purpose=purpose,
            flag_values=flags,
        )
        resources = await loader.load()
        runner = Runner(resources.extensions, resources.runtime, cwd=store.cwd, mode=request.mode)
        if request.observe is not None:
            request.observe(runner)
        return Prepared(self, request, store, resources, runner)

    async def session(self, run: Prepared) -> Session:
        """A session on what was loaded. Raises: ModelChoiceError; it has ended then."""
        log = DiagnosticsLog(run.request.locations.logs_dir, about={"session": run.store.session_id})
        channel = Channel(lambda finding: None if finding.code in _NO_FAULT else log.write(finding))
        try:
            generation = _generation(run, channel)
            cwd = run.request.locations.project_dir
            parts = SessionParts(
                store=run.store,
                channel=channel,
                cwd=cwd,
                generation=generation,
                save_setting=_saving(run.request),
            )
            session = Session(parts, self)
            run.runner.bind(SessionHost(session))
            told = parts.models.begin(run.request.model, parts.settings, may_wait=run.request.mode == "tui")
        except BaseException:
            self.unheard = channel.diagnostics
            await run.close()
            raise
        session.refresh()
        news = [finding for finding in told if finding not in self._told]
        self._told.update(finding for finding in told if finding.code in _NO_FAULT)
        channel.stand([*generation.findings, *news, *passed_over(run.store)])
        return session

    async def follow(self, store: SessionStore) -> Session:
        """The session that takes the place of one that has ended.

        Raises: AgentError, PackageError; nothing is left then.
        """
        try:
            run = await self.prepare(store, "follow", flags=self.flags)
        except BaseException:
            self.close()
            raise
        return await self.session(run)

    async def stage(self, parts: SessionParts) -> Staged:
        """Implements `Source`."""
        following = self._shared.following()
        try:
            flags = dict(parts.runner.runtime.flag_values)
            run = await self.prepare(parts.store, "reload", shared=following, flags=flags)
            try:
                generation = _generation(run, parts.channel)
            except BaseException:
                run.runner.invalidate()
                await run.runner.close()
                raise
        except BaseException:
            following.discard()
            raise
        restart = restart_needed(following.modules.need_restart)
        findings = generation.findings if restart is None else (*generation.findings, restart)
        return _Staged(replace(generation, findings=findings), following)


@dataclass(frozen=True, slots=True)
class _Staged:
    """Implements `Staged`."""

    generation: Generation
    following: Following

    def adopt(self) -> None:
        self.following.adopt()


def _saving(request: RunRequest) -> Callable[[Sequence[str], Any], bool]:
    """How a choice of the person is kept: in the user's file, unless a program hands the settings over."""
    if request.resources.settings is not None:
        return lambda keys, value: False
    return partial(save_setting, request.locations)


def _stored(request: RunRequest, settings: Settings) -> StoreRequest:
    """The request with the folder of the conversations that is in force."""
    locations = request.locations
    named = request.environ.get(SESSION_DIR_VARIABLE) or settings.get("session-dir")
    if request.store.directory is not None or not isinstance(named, str):
        return request.store
    folder = locations.home / named[2:] if named.startswith("~/") else locations.project_dir / named
    return replace(request.store, directory=folder)


def _generation(run: Prepared, channel: Channel) -> Generation:
    """Everything that is built on one load."""
    request, resources, runner, store = run.request, run.resources, run.runner, run.store
    script = request.environ.get(SCRIPT_VARIABLE) or None
    models = ModelSelection(_registry(request, script), store, runner, channel, has_script=script is not None)
    found, unread = prompt_parts(request.locations, resources, request.prompt)
    commands = resources.settings.get("enable-skill-commands") is not False
    system = SystemText(found, request.locations.project_dir, skill_commands=commands)
    shell = _bash_settings(request, resources.settings, store, models)
    images = image_settings(resources.settings.effective)
    builtin = builtin_tools(
        str(request.locations.project_dir), home=str(request.locations.home), bash=shell, images=images
    )
    toolset = Toolset(
        builtin,
        lambda: [owned.value for owned in runner.registry.tools()],
        request.custom_tools,
        request.tools,
        resources.settings.get("default-tools", default=()),
    )
    clashes = runner.registry.findings(builtin_tools=builtin)
    problems = (*_model_problems(models.registry), *limit_findings(resources.settings.effective))
    return Generation(
        runner=runner,
        toolset=toolset,
        models=models,
        system=system,
        settings=resources.settings,
        trusted=resources.trusted,
        shell=shell,
        themes=resources.themes,
        watched=watched_files(request.locations, resources),
        findings=(
            *resources.diagnostics,
            *clashes,
            *unread,
            *system.findings(),
            *problems,
            *toolset.findings(),
        ),
    )


def _registry(request: RunRequest, script: str | None) -> ModelRegistry:
    locations, environ = request.locations, request.environ
    values = Values(environ, command_runner(environ, str(locations.project_dir)))
    store = AuthStore(locations.auth_file)
    credentials = Credentials(store.read(), environ, values, store)
    return ModelRegistry(credentials, read_models_file(locations.models_file), default_apis(script))


def _model_problems(registry: ModelRegistry) -> list[Diagnostic]:
    """What is wrong with the files about models and keys."""
    found = [Diagnostic("warning", "models-file", "model", problem) for problem in registry.file.problems]
    if (unusable := registry.credentials.stored.problem) is not None:
        found.append(Diagnostic("warning", "auth-file", "model", unusable, hint="Its keys do not count."))
    return found


@dataclass(frozen=True, slots=True)
class _Providers:
    """Implements `ProviderHost` over a registry alone."""

    registry: ModelRegistry

    def register_provider(self, name: str, config: object) -> None:
        self.registry.register(name, config)

    def unregister_provider(self, name: str) -> None:
        self.registry.unregister(name)


def _bash_settings(
    request: RunRequest, settings: Settings, store: SessionStore, models: ModelSelection
) -> BashSettings:
    def session_environ() -> dict[str, str]:
        return {
            "PI_SESSION_ID": store.session_id,
            "PI_SESSION_FILE": store.session_file or "",
            "PI_PROVIDER": models.model.provider,
            "PI_MODEL": models.model.id,
            "PI_REASONING_LEVEL": models.thinking,
        }

    shell, prefix = settings.get("shell-path"), settings.get("shell-command-prefix")
    return BashSettings(
        shell_path=shell if isinstance(shell, str) else None,
        command_prefix=prefix if isinstance(prefix, str) else None,
        environ=request.environ,
        session_environ=session_environ,
    )
