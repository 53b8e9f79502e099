"""Sessions inside another program: the same composition as the command's, by value.

Touches: files, and whatever extensions do when they load.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, TypeAlias, TypedDict, Unpack, get_args

from hookspecs.definitions import ThinkingLevel, ToolDefinition
from pi_core.bootstrap import RunRequest, locations_for, prepare, process_environ
from pi_core.history.store import SessionStore
from pi_core.resources.loader import LoaderFactory, ResourceLoader, ResourceRequest
from pi_core.session.model_selection import ModelRequest
from pi_core.session.runtime import SessionRuntime
from pi_core.session.session import Session
from pi_core.session.toolset import ToolFilter

ExtensionSource: TypeAlias = str | Path | Callable[..., Any]
"""A file or folder, or a factory at hand."""
Trust: TypeAlias = Literal["stored", "always", "never"]

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "thinking": get_args(ThinkingLevel),
    "trust": get_args(Trust),
}


class Opening:
    """A session on its way: await it for an unbound one; or enter it, bound, and it is disposed of after."""

    def __init__(self, request: RunRequest) -> None:
        self.request = request
        self._session: Session | None = None

    def __await__(self) -> Generator[Any, None, Session]:
        return self._open().__await__()

    async def _open(self) -> Session:
        return await (await prepare(self.request)).open()

    async def __aenter__(self) -> Session:
        self._session = await self._open()
        return await self._session.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.dispose()


class RuntimeOpening:
    """The same for a runtime: await it, or enter it."""

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        self._runtime: SessionRuntime | None = None

    def __await__(self) -> Generator[Any, None, SessionRuntime]:
        return self._open().__await__()

    async def _open(self) -> SessionRuntime:
        return await (await prepare(self._request)).begin()

    async def __aenter__(self) -> SessionRuntime:
        self._runtime = await self._open()
        return await self._runtime.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runtime is not None:
            await self._runtime.dispose()


class SessionOptions(TypedDict, total=False):
    """The parameters of `create_session`, which says what they mean."""

    cwd: str | Path
    agent_dir: str | Path | None
    environ: Mapping[str, str] | None
    model: str | None
    provider: str | None
    api_key: str | None
    thinking: ThinkingLevel | None
    tools: Sequence[str] | None
    custom_tools: Sequence[ToolDefinition]
    extensions: Sequence[ExtensionSource]
    discover: bool
    session_store: SessionStore | None
    settings: Mapping[str, Any] | None
    resource_loader: LoaderFactory | None
    trust: Trust


def create_runtime(**options: Unpack[SessionOptions]) -> RuntimeOpening:
    """A session that its commands and its host can replace: `async with create_runtime(…) as runtime`.

    Raises: as `create_session`.
    """
    return RuntimeOpening(create_session(**options).request)


def create_session(
    *,
    cwd: str | Path = ".",
    agent_dir: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    model: str | None = None,
    provider: str | None = None,
    api_key: str | None = None,
    thinking: ThinkingLevel | None = None,
    tools: Sequence[str] | None = None,
    custom_tools: Sequence[ToolDefinition] = (),
    extensions: Sequence[ExtensionSource] = (),
    discover: bool = True,
    session_store: SessionStore | None = None,
    settings: Mapping[str, Any] | None = None,
    resource_loader: LoaderFactory | None = None,
    trust: Trust = "never",
) -> Opening:
    """A session as the command makes it: `async with create_session(…) as session`.

    Args:
        cwd: the working folder.
        agent_dir: the user's folder; None is that of the person who runs the program.
        environ: variables for tools, keys and providers; None is the process's own.
        model, provider, api_key, thinking: the model; None leaves it to the settings.
        tools: names of the only tools that exist; None is all.
        custom_tools: tools of the embedder; they stand before those of extensions.
        extensions: paths, which must load, and factories, which rank last.
        discover: whether settings, packages and folders bring extensions, skills and templates.
        session_store: the conversation; None is a new one that is kept in a file.
        settings: what stands in for the settings files, keys as in those; nothing is written then.
        resource_loader: a class or function that is called like `ResourceLoader`, for every load.
        trust: whether the project's own files are read; "stored" asks the trust store.

    Raises: ValueError, TypeError for a value that is none of those. When awaited: ExtensionLoadError,
    ModelChoiceError; PackageError for the trust store.
    """
    _require_choices(thinking=thinking, trust=trust)
    _require_lists(tools=tools, extensions=extensions)
    _require_own(custom_tools, session_store)
    return Opening(
        RunRequest(
            locations=locations_for(cwd, agent_dir),
            environ=process_environ() if environ is None else environ,
            conversation=session_store,
            resources=replace(_resources(extensions, discover=discover, trust=trust), settings=settings),
            loader=resource_loader or ResourceLoader,
            model=ModelRequest(model=model, provider=provider, api_key=api_key, thinking=thinking),
            tools=ToolFilter(allowed=None if tools is None else tuple(tools)),
            custom_tools=tuple(custom_tools),
        )
    )


def _require_choices(**given: str | None) -> None:
    """Programs are not always type-checked, and a misspelt `trust` should not pass for "never"."""
    for name, value in given.items():
        if value is not None and value not in _CHOICES[name]:
            raise ValueError(f"create_session: {name} {value!r} is not one of {', '.join(_CHOICES[name])}")


def _require_lists(**given: Sequence[object] | None) -> None:
    """A text is a sequence of letters, which is never meant."""
    for name, value in given.items():
        if isinstance(value, str):
            raise TypeError(f"create_session: {name} {value!r} is one text, and a list is needed")


def _require_own(tools: Sequence[object], store: object) -> None:
    """A function is no tool yet, and the name of a file no conversation; either would fail much later."""
    for tool in tools:
        if not isinstance(tool, ToolDefinition):
            hint = "an extension makes a tool of a function: @pi.tool"
            raise TypeError(f"create_session: {tool!r} in custom_tools is not a ToolDefinition; {hint}")
    if isinstance(store, str | Path):
        hint = "open it with pi_core.open_session(path)"
        raise TypeError(f"create_session: session_store {str(store)!r} is the name of a file; {hint}")


def _resources(extensions: Sequence[ExtensionSource], *, discover: bool, trust: Trust) -> ResourceRequest:
    paths = tuple(str(source) for source in extensions if isinstance(source, str | Path))
    inline = tuple(source for source in extensions if not isinstance(source, str | Path))
    approve = None if trust == "stored" else trust == "always"
    if discover:
        return ResourceRequest(sources=paths, inline=inline, approve=approve)
    return ResourceRequest(sources=paths, inline=inline, approve=approve, discover=frozenset())
