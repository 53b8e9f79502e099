"""What a handler is handed: contexts, the session behind them, and the host that serves both.

Contexts read through to the live session. Once it is replaced or reloaded, plain
facts stay readable and every action raises the stale error.

Pure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from hookspecs.definitions import Model, ThinkingLevel, ToolResult
from hookspecs.messages import CustomMessage, UserContent
from hookspecs.ui import UI, Dialogs
from hookspecs.values import dataclass

Mode: TypeAlias = Literal["tui", "rpc", "json", "print"]
DeliverAs: TypeAlias = Literal["steer", "follow_up", "next_turn"]
CommandKind: TypeAlias = Literal["extension", "prompt", "skill"]
ReloadOutcome: TypeAlias = Literal["done", "scheduled"]
"""A reload that is scheduled begins when nothing goes on any more."""
WithSession: TypeAlias = "Callable[[ReplacedSessionContext], Awaitable[None] | None]"


class SourceInfo(Protocol):
    """Where a thing comes from: its file, the source that declared it, and the scope.

    Where there is no file, `path` is a label such as `builtin:read`, and `base_dir` None.
    """

    @property
    def path(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def base_dir(self) -> str | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInfo:
    """A registered tool as extensions see it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    prompt_guidelines: Sequence[str] = ()
    source_info: SourceInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandInfo:
    """A command that can be typed after the slash: `name` is what to type."""

    name: str
    description: str = ""
    kind: CommandKind = "extension"
    source_info: SourceInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUsage:
    """How full the model's window is. `tokens` and `percent` are None when nobody knows yet."""

    tokens: int | None
    context_window: int
    percent: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """How a replacement of the session, or a move in its tree, ended."""

    cancelled: bool = False


class SessionView(Protocol):
    """The history, to be read only. Entries are ordered from root to leaf, oldest first."""

    @property
    def session_file(self) -> str | None: ...
    @property
    def session_id(self) -> str: ...
    @property
    def session_name(self) -> str | None: ...
    def get_branch(self) -> Sequence[Any]: ...
    def get_entries(self) -> Sequence[Any]: ...
    def get_entry(self, entry_id: str) -> Any: ...
    def get_leaf_id(self) -> str | None: ...
    def get_label(self, entry_id: str) -> str | None: ...
    def get_tree(self) -> Any: ...


class SessionFacts(Protocol):
    """What can be read of a running session. `signal` is None while nothing runs."""

    @property
    def mode(self) -> Mode: ...
    @property
    def cwd(self) -> str: ...
    @property
    def session(self) -> SessionView: ...
    @property
    def models(self) -> Any: ...
    @property
    def model(self) -> Model | None: ...
    @property
    def thinking_level(self) -> ThinkingLevel: ...
    @property
    def signal(self) -> Any: ...

    def is_idle(self) -> bool: ...
    def is_project_trusted(self) -> bool: ...
    def has_pending_messages(self) -> bool: ...
    def get_context_usage(self) -> ContextUsage | None: ...
    def get_system_prompt(self) -> str: ...


class ExtensionContext(SessionFacts, Protocol):
    """Handed to every event handler, tool and shortcut."""

    @property
    def ui(self) -> UI: ...
    @property
    def has_ui(self) -> bool: ...

    def abort(self) -> None: ...
    def shutdown(self) -> None: ...

    def compact(
        self,
        custom_instructions: str | None = None,
        *,
        on_complete: Callable[[Any], Any] | None = None,
        on_error: Callable[[BaseException], Any] | None = None,
    ) -> None:
        """Start a compaction and return at once; the outcome goes to the callbacks."""
        ...


class ToolContext(ExtensionContext, Protocol):
    """Handed to a running tool."""

    async def execute_tool(self, name: str, args: Mapping[str, Any]) -> ToolResult:
        """Run another tool, guards included. Never raises for the tool's sake: see `is_error`."""
        ...


class SessionChanges(Protocol):
    """What a command may do to the session as a whole."""

    def get_system_prompt_options(self) -> Any: ...
    async def wait_for_idle(self) -> None: ...
    async def new_session(
        self,
        *,
        setup: Callable[[Any], Any] | None = None,
        with_session: WithSession | None = None,
    ) -> Replaced: ...
    async def fork(
        self,
        entry_id: str,
        *,
        position: Literal["before", "at"] = "before",
        with_session: WithSession | None = None,
    ) -> Replaced: ...
    async def navigate_tree(
        self,
        target_id: str,
        *,
        summarize: bool = False,
        custom_instructions: str | None = None,
        replace_instructions: bool = False,
        label: str | None = None,
    ) -> Replaced: ...
    async def switch_session(self, path: str, *, with_session: WithSession | None = None) -> Replaced: ...
    async def reload(self) -> ReloadOutcome: ...


class CommandContext(ExtensionContext, SessionChanges, Protocol):
    """Handed to the handler of a slash command."""


class ReplacedSessionContext(CommandContext, Protocol):
    """The new session, inside `with_session`: its messages can be waited for."""

    async def send_message(
        self, message: CustomMessage, *, trigger_turn: bool = False, deliver_as: DeliverAs | None = None
    ) -> None: ...
    async def send_user_message(
        self, content: str | list[UserContent], *, deliver_as: DeliverAs | None = None, expand: bool = False
    ) -> None: ...


class ProjectTrustContext(Protocol):
    """Handed to project_trust handlers: there is no session yet."""

    @property
    def cwd(self) -> str: ...
    @property
    def mode(self) -> Mode: ...
    @property
    def has_ui(self) -> bool: ...
    @property
    def ui(self) -> Dialogs: ...


class SessionActions(Protocol):
    """What an extension may do to the session. Messages start on their way at once; what is
    returned can be awaited for the delivery, and carries its failure."""

    def send_message(
        self, message: CustomMessage, *, trigger_turn: bool = False, deliver_as: DeliverAs | None = None
    ) -> Awaitable[None]: ...
    def send_user_message(
        self, content: str | list[UserContent], *, deliver_as: DeliverAs | None = None, expand: bool = False
    ) -> Awaitable[None]: ...
    def append_entry(self, custom_type: str, data: Any = None) -> str: ...
    def set_session_name(self, name: str | None) -> None: ...
    def get_session_name(self) -> str | None: ...
    def set_label(self, entry_id: str, label: str | None) -> None: ...
    def get_active_tools(self) -> list[str]: ...
    def get_all_tools(self) -> list[ToolInfo]: ...
    def set_active_tools(self, names: Sequence[str]) -> None: ...
    def refresh_tools(self) -> None: ...
    def get_commands(self) -> list[CommandInfo]: ...
    async def set_model(self, model: Model) -> bool: ...
    def get_thinking_level(self) -> ThinkingLevel: ...
    def set_thinking_level(self, level: ThinkingLevel) -> None: ...
    def get_settings(self) -> Mapping[str, Any]: ...
    def abort(self) -> None: ...
    def shutdown(self) -> None: ...
    def compact(
        self,
        custom_instructions: str | None = None,
        *,
        on_complete: Callable[[Any], Any] | None = None,
        on_error: Callable[[BaseException], Any] | None = None,
    ) -> None: ...
    async def execute_tool(self, name: str, args: Mapping[str, Any], *, parent_id: str) -> ToolResult: ...
    def register_provider(self, name: str, config: Any) -> None: ...
    def unregister_provider(self, name: str) -> None: ...


class Host(SessionFacts, SessionActions, SessionChanges, Protocol):
    """Everything that contexts and the extension API ask of a session; the session implements it."""

    @property
    def ui(self) -> UI: ...
    @property
    def has_ui(self) -> bool: ...
