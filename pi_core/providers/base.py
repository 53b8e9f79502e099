"""The contract of a model stream: what goes in, and the block events that come out.

A stream never raises for what went wrong on the way to the model: an error is
data, the last event. Whoever reads the stream builds the message from the
events (`Growing` in `folding`) and prices it (`priced` in `prices`); a provider
only says what was added, and how many tokens that took.

Pure.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, Protocol, TypeAlias

from hookspecs.definitions import Model, ThinkingLevel, ToolDefinition
from hookspecs.messages import AssistantMessage, ToolCallContent, ToolResultMessage, UserMessage
from hookspecs.values import dataclass
from pi_core.abort import AbortSignal


@dataclass(slots=True, kw_only=True)
class StreamStart:
    """The model began to answer. `partial` names api, provider and model; its content is still empty."""

    partial: AssistantMessage
    type: Literal["start"] = "start"


@dataclass(slots=True, kw_only=True)
class TextStart:
    """A text block opens at `content_index`, the next free place of the content."""

    content_index: int
    type: Literal["text_start"] = "text_start"


@dataclass(slots=True, kw_only=True)
class TextDelta:
    """Text to append to the open block."""

    content_index: int
    delta: str
    type: Literal["text_delta"] = "text_delta"


@dataclass(slots=True, kw_only=True)
class TextEnd:
    """The block closes. `content` is its whole text and wins over the deltas."""

    content_index: int
    content: str
    text_signature: str | None = None
    type: Literal["text_end"] = "text_end"


@dataclass(slots=True, kw_only=True)
class ThinkingStart:
    """A block of reasoning opens."""

    content_index: int
    type: Literal["thinking_start"] = "thinking_start"


@dataclass(slots=True, kw_only=True)
class ThinkingDelta:
    """Reasoning to append to the open block."""

    content_index: int
    delta: str
    type: Literal["thinking_delta"] = "thinking_delta"


@dataclass(slots=True, kw_only=True)
class ThinkingEnd:
    """The block closes. `content` is its whole text; the signature belongs to the provider."""

    content_index: int
    content: str
    thinking_signature: str | None = None
    redacted: bool | None = None
    type: Literal["thinking_end"] = "thinking_end"


@dataclass(slots=True, kw_only=True)
class ToolCallStart:
    """A tool call opens; its arguments follow as pieces of JSON text."""

    content_index: int
    id: str
    tool_name: str
    type: Literal["toolcall_start"] = "toolcall_start"


@dataclass(slots=True, kw_only=True)
class ToolCallDelta:
    """A piece of the JSON text of the arguments."""

    content_index: int
    delta: str
    type: Literal["toolcall_delta"] = "toolcall_delta"


@dataclass(slots=True, kw_only=True)
class ToolCallEnd:
    """The call is complete, arguments parsed."""

    content_index: int
    tool_call: ToolCallContent
    type: Literal["toolcall_end"] = "toolcall_end"


@dataclass(slots=True, kw_only=True)
class Done:
    """The last event of a good answer. `message` is the whole answer and belongs to the reader."""

    message: AssistantMessage
    type: Literal["done"] = "done"


@dataclass(slots=True, kw_only=True)
class Failed:
    """The last event of a bad one: stop reason "error" or "aborted", with an `error_message`."""

    message: AssistantMessage
    type: Literal["error"] = "error"


BlockEvent: TypeAlias = (
    StreamStart
    | TextStart
    | TextDelta
    | TextEnd
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | Done
    | Failed
)

UpdateEvent: TypeAlias = (
    TextStart
    | TextDelta
    | TextEnd
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
)
"""The events in between: what a `message_update` carries."""


ModelMessage: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage
"""The three kinds of message that a wire knows."""


class RequestHooks(Protocol):
    """What happens around one request. A provider calls each of the first three once, in this order."""

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        """Edit the request's headers in place; None deletes one."""

    async def before_payload(self, payload: Any) -> Any:
        """The payload to send instead; the same object if nobody minds."""

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        """The response began; its body was not read. Not called if there was no good response."""

    async def stream_event(self, data: Any) -> None:
        """One raw chunk of the body arrived, to be read only."""


class NoHooks:
    """Request hooks that change nothing, for requests that nobody watches."""

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        """Leave them as they are."""

    async def before_payload(self, payload: Any) -> Any:
        """The same payload."""
        return payload

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        """Nothing to do."""

    async def stream_event(self, data: Any) -> None:
        """Nothing to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the model is told: prompt, conversation (oldest first) and the tools that it may call."""

    system_prompt: str = ""
    messages: Sequence[ModelMessage] = ()
    tools: Sequence[ToolDefinition] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """How to ask. `signal` asks the stream to end early; None in a field means the provider's own default."""

    signal: AbortSignal | None = None
    hooks: RequestHooks = field(default_factory=NoHooks)
    thinking: ThinkingLevel = "off"
    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    max_tokens: int | None = None
    temperature: float | None = None
    conversation_id: str | None = None


class Stream(Protocol):
    """A stream function: yields block events, the last one `Done` or `Failed`."""

    def __call__(
        self, model: Model, context: Context, options: StreamOptions, /
    ) -> AsyncIterator[BlockEvent]:
        """Start one request; closing the iterator early ends it."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How to reach a model now: the stream function, and the key and headers it is called with."""

    stream: Stream
    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Connect: TypeAlias = Callable[[Model], Awaitable[Connection]]
"""Finds the way to a model, once a request; raises with a sentence for the person if there is none."""
