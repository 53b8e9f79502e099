"""What an extension is handed: the whole API as authors and type checkers see it.

Registrations may come at any time, and those of a factory count together once
it returned. Actions, from `send_message` on, need a session: in a factory they
raise `ExtensionNotReadyError`. After a reload or a replacement everything raises
`StaleContextError`.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from hookspecs.context import CommandContext, CommandInfo, DeliverAs, ExtensionContext, ToolInfo
from hookspecs.definitions import (
    ExecResult,
    ExecutionMode,
    FlagType,
    JsonSchema,
    Model,
    ProviderConfig,
    ThinkingLevel,
    ToolDefinition,
)
from hookspecs.messages import CustomMessage, UserContent
from pi_core.extensions.listening import Listening
from pi_core.extensions.subscription import Subscription

if TYPE_CHECKING:
    from asyncio import Task  # 25 ms that an author's test or tool need not spend

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
CommandF = TypeVar("CommandF", bound=Callable[[str, CommandContext], object])
ShortcutF = TypeVar("ShortcutF", bound=Callable[[ExtensionContext], object])


class Bus(Protocol):
    """Messages between extensions, by channel."""

    def emit(self, channel: str, data: Any = None) -> None:
        """Tell every listener of the channel, in order, at once; their failures are reported."""
        ...

    def on(self, channel: str, listener: Callable[[Any], Any]) -> Subscription:
        """Listen until the subscription or the extension ends."""
        ...


class Registering(Protocol):
    """What an extension may bring."""

    @overload
    def tool(self, fn: F, /) -> F: ...
    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        label: str | None = None,
        description: str | None = None,
        prompt_snippet: str | None = None,
        prompt_guidelines: Sequence[str] = (),
        mode: ExecutionMode = "parallel",
        parameters: JsonSchema | None = None,
        prepare_arguments: Callable[[Any], Any] | None = None,
        render_call: Callable[..., Any] | None = None,
        render_result: Callable[..., Any] | None = None,
    ) -> Callable[[F], F]: ...
    def tool(self, fn: Any = None, /, **options: Any) -> Any:
        """Make a typed function a tool, as a decorator with or without arguments.

        Its parameters are the tool's, their annotations the schema; `Annotated[str, "…"]` describes
        one. `ctx`, `signal`, `on_update` and `tool_call_id` are filled in by name. It returns a
        string, content blocks or a `ToolResult`; raising is an error result.
        """
        ...

    def register_tool(self, tool: ToolDefinition) -> None:
        """Register a tool with a JSON schema of its own."""
        ...

    def command(
        self, name: str, *, description: str = "", complete: Callable[[str], Any] | None = None
    ) -> Callable[[CommandF], CommandF]:
        """Make a function `(args, ctx)` a slash command. `complete(prefix)` proposes arguments."""
        ...

    def register_command(
        self,
        name: str,
        handler: Callable[[str, CommandContext], object],
        *,
        description: str = "",
        complete: Callable[[str], Any] | None = None,
    ) -> None:
        """The same as a call."""
        ...

    def shortcut(
        self, key: str, *, action_id: str | None = None, description: str = ""
    ) -> Callable[[ShortcutF], ShortcutF]:
        """Give a function `(ctx)` a key; with an `action_id` the person can choose another."""
        ...

    def register_shortcut(
        self,
        key: str,
        handler: Callable[[ExtensionContext], object],
        *,
        action_id: str | None = None,
        description: str = "",
    ) -> None:
        """The same as a call."""
        ...

    def register_flag(
        self, name: str, *, type: FlagType, default: bool | str | None = None, description: str = ""
    ) -> None:
        """A command-line flag `--name`."""
        ...

    def get_flag(self, name: str) -> bool | str | None:
        """The value of a flag that this extension registered, its default in a factory; else None."""
        ...

    def register_message_renderer(
        self, custom_type: str, renderer: Callable[[CustomMessage, Any, Any], Any]
    ) -> None:
        """Show custom messages: `renderer(message, options, theme)`."""
        ...

    def register_entry_renderer(self, custom_type: str, renderer: Callable[[Any, Any, Any], Any]) -> None:
        """Show custom entries: `renderer(entry, options, theme)`."""
        ...

    def register_tool_renderer(self, resolver: Callable[[str, Callable[..., Any]], Any]) -> None:
        """Choose renderers for any tool: `resolver(name, next)`."""
        ...

    def register_provider(
        self, name_or_provider: Any, config: ProviderConfig | Mapping[str, Any] | None = None
    ) -> None:
        """Bring a provider, by name with its configuration or as an object with a name."""
        ...

    def unregister_provider(self, name: str) -> None:
        """Take a provider away; a built-in one of that name comes back."""
        ...


class Working(Protocol):
    """Programs and background work, possible at any time."""

    @property
    def events(self) -> Bus:
        """The bus between extensions."""
        ...

    async def exec(
        self,
        command: str,
        args: Sequence[str] = (),
        *,
        cwd: str | None = None,
        timeout_s: float | None = None,
        signal: Any = None,
    ) -> ExecResult:
        """Run a program without a shell and without input. Never raises for the program's sake."""
        ...

    def spawn(self, coro: Coroutine[Any, Any, T], *, name: str | None = None) -> Task[T]:
        """Run a coroutine in the background; it is cancelled when the extension goes."""
        ...

    def every(self, seconds: float, fn: Callable[[], Any]) -> Subscription:
        """Call a function, sync or async, again and again until the extension goes."""
        ...


class Acting(Protocol):
    """Wishes to the session."""

    def send_message(
        self, message: CustomMessage, *, trigger_turn: bool = False, deliver_as: DeliverAs | None = None
    ) -> None:
        """Put a message into the conversation; while a run is on it is queued as `deliver_as` says."""
        ...

    def send_user_message(
        self, content: str | list[UserContent], *, deliver_as: DeliverAs | None = None, expand: bool = False
    ) -> None:
        """Prompt in the person's name; `expand` also runs commands and expands templates."""
        ...

    def append_entry(self, custom_type: str, data: Any = None) -> str:
        """Store something in the session that the model never sees. Returns its id."""
        ...

    def set_session_name(self, name: str | None) -> None:
        """Name the session; None clears the name."""
        ...

    def get_session_name(self) -> str | None:
        """The name of the session."""
        ...

    def set_label(self, entry_id: str, label: str | None) -> None:
        """Label an entry of the session; None takes the label off."""
        ...

    def get_active_tools(self) -> list[str]:
        """Names of the tools that the model is offered."""
        ...

    def get_all_tools(self) -> list[ToolInfo]:
        """Every tool there is."""
        ...

    def set_active_tools(self, names: Sequence[str]) -> None:
        """Offer exactly these from the next turn on; unknown names are left out."""
        ...

    def get_commands(self) -> list[CommandInfo]:
        """Commands of extensions, then prompt templates, then skills."""
        ...

    async def set_model(self, model: Model) -> bool:
        """Choose a model for this session; False if there is no key for it."""
        ...

    def get_thinking_level(self) -> ThinkingLevel:
        """The level in effect."""
        ...

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Choose a level for this session, as far as the model has it."""
        ...

    def get_settings(self) -> Mapping[str, Any]:
        """The merged settings as they are now; a copy of the caller's own."""
        ...


class ExtensionAPI(Listening, Registering, Working, Acting, Protocol):
    """The argument of a factory: `def extension(pi: ExtensionAPI) -> None`, sync or async."""
