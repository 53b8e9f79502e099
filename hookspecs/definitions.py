"""What an extension may register: tools, commands, flags, shortcuts, providers.

Every definition is a plain value. Whoever registers it owns it; the host never
edits one. Names are judged by the registry, not here.

Pure.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, TypeAlias

from hookspecs.login import LoginCredentials, OAuthHooks
from hookspecs.messages import Usage, UserContent
from hookspecs.values import dataclass

ExecutionMode: TypeAlias = Literal["parallel", "sequential"]
ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
FlagType: TypeAlias = Literal["boolean", "string"]
JsonSchema: TypeAlias = Mapping[str, Any]


@dataclass(kw_only=True)
class ToolResult:
    """What a tool returns. `content` goes to the model, `details` to renderers and extensions.

    `terminate` asks the loop to stop; it stops only if every result of the batch asks so.
    """

    content: str | list[UserContent] = field(default_factory=list)
    details: Any = None
    structured_content: Any = None
    usage: Usage | None = None
    terminate: bool = False
    is_error: bool = False
    added_tool_names: Sequence[str] = ()


UpdateSink: TypeAlias = Callable[[ToolResult], None]
"""Takes a partial result while a tool runs; later updates replace earlier ones on the screen."""

ExecuteTool: TypeAlias = Callable[..., Awaitable[ToolResult]]
"""`await execute(tool_call_id, params, signal, on_update, ctx)`; raising is an error result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool as the host runs it: a JSON schema for its parameters and a coroutine."""

    name: str
    description: str
    parameters: JsonSchema
    execute: ExecuteTool
    label: str = ""
    prompt_snippet: str | None = None
    prompt_guidelines: Sequence[str] = ()
    prepare_arguments: Callable[[Any], Any] | None = None
    execution_mode: ExecutionMode = "parallel"
    render_call: Callable[..., Any] | None = None
    render_result: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDefinition:
    """A slash command. `handler(args, ctx)` gets everything after the first blank as one string."""

    name: str
    handler: Callable[..., Any]
    description: str = ""
    complete: Callable[[str], Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagDefinition:
    """A command-line flag `--name`. A boolean is true when present; a string needs a value."""

    name: str
    type: FlagType
    default: bool | str | None = None
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortcutDefinition:
    """A key such as `ctrl+alt+p`. `action_id` is the name by which a person remaps it."""

    key: str
    handler: Callable[..., Any]
    action_id: str | None = None
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of a provider. Sizes are in tokens, `cost` in US dollars a million tokens.

    `cost` has `input`, `output`, `cacheRead` and `cacheWrite`, and in `tiers` the same for prompts of more
    than `inputTokensAbove` tokens. `thinkingLevelMap` stands in `extra`.
    """

    id: str
    provider: str
    api: str
    name: str = ""
    base_url: str = ""
    reasoning: bool = False
    input: Sequence[Literal["text", "image"]] = ("text",)
    cost: Mapping[str, Any] = field(default_factory=dict)
    context_window: int = 128_000
    max_tokens: int = 16_384
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


StreamFunction: TypeAlias = Callable[..., AsyncIterator[Any]]
"""`stream(model, context, options)`: yields block events, ends with a done or an error event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshModelsContext:
    """What `refresh_models` may be told: whose list is wanted, the list so far, and what opens the door."""

    provider: str
    models: Sequence[Model] = ()
    """The provider's models as they are now."""
    api_key: str | None = None
    """The key that a request would be sent with; None if there is none."""
    credentials: LoginCredentials | None = None
    """Those of the person's login; None without one."""


RefreshModels: TypeAlias = Callable[..., Sequence[Any] | Awaitable[Sequence[Any]]]
"""`refresh_models()` or `refresh_models(context)`, sync or async: the models, in the form of `models`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderConfig:
    """A provider that an extension brings: where it is, how to authenticate, which models it has.

    `refresh_models` is asked which those are whenever they are listed afresh.
    """

    name: str | None = None
    base_url: str | None = None
    api_key: str | None = None
    api: str | None = None
    headers: Mapping[str, str] | None = None
    auth_header: bool | None = None
    models: Sequence[Mapping[str, Any]] | None = None
    refresh_models: RefreshModels | None = None
    stream: StreamFunction | None = None
    oauth: OAuthHooks | Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecResult:
    """How a process started by `pi.exec` ended. `code` is 128+signal when a signal ended it."""

    stdout: str
    stderr: str
    code: int
    killed: bool = False
    truncated: bool = False
