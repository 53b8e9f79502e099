"""What a conversation is made of: content blocks, messages and token usage.

Values are mutable, because handlers may edit the copies that they are handed.
Field names are the wire names of the session file (version 3) in snake_case;
`extra` keeps fields of the file that this version does not know, so that they
survive a round trip. Times are milliseconds since the epoch.

Pure.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, TypeAlias

from hookspecs.values import dataclass

JsonObject: TypeAlias = dict[str, Any]
StopReason: TypeAlias = Literal["pending", "stop", "length", "toolUse", "error", "aborted"]


@dataclass(kw_only=True)
class TextContent:
    """A run of text."""

    text: str
    text_signature: str | None = None
    type: Literal["text"] = "text"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class ImageContent:
    """An image: base64 `data` of the given `mime_type`."""

    data: str
    mime_type: str
    type: Literal["image"] = "image"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class ThinkingContent:
    """A model's reasoning; the signature is opaque and belongs to the provider."""

    thinking: str
    thinking_signature: str | None = None
    redacted: bool | None = None
    type: Literal["thinking"] = "thinking"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class ToolCallContent:
    """A model's request to run a tool. `arguments` are as the model sent them, not validated."""

    id: str
    name: str
    arguments: JsonObject
    thought_signature: str | None = None
    type: Literal["toolCall"] = "toolCall"
    extra: JsonObject = field(default_factory=dict)


UserContent: TypeAlias = TextContent | ImageContent
AssistantContent: TypeAlias = TextContent | ThinkingContent | ToolCallContent


@dataclass(kw_only=True)
class Cost:
    """Price of a request in US dollars, by kind of token."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0
    total: float = 0.0


@dataclass(kw_only=True)
class Usage:
    """Tokens of one request. `input` counts neither cache reads nor cache writes."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total_tokens: int = 0
    cost: Cost = field(default_factory=Cost)
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class UserMessage:
    """What the person, or an extension in the person's name, said."""

    content: str | list[UserContent]
    timestamp: int = 0
    role: Literal["user"] = "user"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class AssistantMessage:
    """One response of a model. An error is data here: `stop_reason` "error" with `error_message`."""

    content: list[AssistantContent] = field(default_factory=list)
    api: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    stop_reason: StopReason = "stop"
    error_message: str | None = None
    response_id: str | None = None
    timestamp: int = 0
    role: Literal["assistant"] = "assistant"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class ToolResultMessage:
    """What a tool call came to. `details` is for renderers and extensions; the model sees `content`."""

    tool_call_id: str
    tool_name: str
    content: list[UserContent] = field(default_factory=list)
    details: Any = None
    structured_content: Any = None
    usage: Usage | None = None
    is_error: bool = False
    added_tool_names: list[str] | None = None
    duration_ms: int | None = None
    timestamp: int = 0
    role: Literal["toolResult"] = "toolResult"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class CustomMessage:
    """A message of an extension. The model reads it as a user message; `display` shows it to the person."""

    custom_type: str
    content: str | list[UserContent] = field(default_factory=list)
    display: bool = True
    details: Any = None
    timestamp: int = 0
    role: Literal["custom"] = "custom"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class BashExecutionMessage:
    """A shell command that the person ran with `!`. `exclude_from_context` keeps it from the model."""

    command: str
    output: str
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    exclude_from_context: bool | None = None
    timestamp: int = 0
    role: Literal["bashExecution"] = "bashExecution"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class CompactionSummaryMessage:
    """The summary that stands for everything before a compaction."""

    summary: str
    tokens_before: int
    timestamp: int = 0
    role: Literal["compactionSummary"] = "compactionSummary"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class BranchSummaryMessage:
    """The summary of a branch that the person left."""

    summary: str
    from_id: str
    timestamp: int = 0
    role: Literal["branchSummary"] = "branchSummary"
    extra: JsonObject = field(default_factory=dict)


Message: TypeAlias = (
    UserMessage
    | AssistantMessage
    | ToolResultMessage
    | CustomMessage
    | BashExecutionMessage
    | CompactionSummaryMessage
    | BranchSummaryMessage
)


def text_of(content: str | list[Any]) -> str:
    """The text blocks of a content, joined without separators; other blocks are left out."""
    if isinstance(content, str):
        return content
    return "".join(block.text for block in content if isinstance(block, TextContent))
