"""Events of a run: its start and end, its turns, its messages, and their answers.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, ClassVar, Final, Literal, TypeAlias

from hookspecs.messages import CustomMessage, ImageContent, Message, ToolResultMessage
from hookspecs.unset import UNSET, Unset
from hookspecs.values import dataclass

HOST_ONLY: Final[Mapping[str, Any]] = {"wire": False}
"""Marks a field of an event that is a function of the host: shown nowhere, sent nowhere."""

Outcome: TypeAlias = Literal["completed", "error", "aborted"]


@dataclass(kw_only=True)
class BeforeAgentStart:
    """A run is about to start. `system_prompt` reads what earlier handlers made of it.

    The options belong to this run: an edit of them holds for it and ends with it.
    `message_type` is "custom" when an extension's message starts the run. `render` is the
    host's way from options to prompt; without it the prompt is the text it was given. The
    dispatcher sets `current_prompt`, which the contexts of the host read through.
    """

    event_name: ClassVar[str] = "before_agent_start"
    prompt: str
    system_prompt: str
    system_prompt_options: Any
    images: list[ImageContent] | None = None
    message_type: Literal["user", "custom"] = "user"
    render: Callable[[Any], str] | None = field(default=None, repr=False, compare=False, metadata=HOST_ONLY)
    current_prompt: Callable[[], str] | None = field(
        default=None, repr=False, compare=False, metadata=HOST_ONLY
    )


@dataclass(kw_only=True)
class AgentStartEvent:
    """The loop begins; again for every retry and continuation."""

    event_name: ClassVar[str] = "agent_start"


@dataclass(kw_only=True)
class AgentEnd:
    """The loop ended with these messages; a retry, a compaction or a continuation may follow."""

    event_name: ClassVar[str] = "agent_end"
    messages: list[Message]


@dataclass(kw_only=True)
class AgentSettled:
    """Nothing automatic is left to do; the session is idle."""

    event_name: ClassVar[str] = "agent_settled"
    aborted: bool = False


@dataclass(kw_only=True)
class AgentBeforeSettle:
    """The run would settle now. `entries`, `continue_` and `context` are what handlers decided so far.

    `preview` is the host's: it builds the next context from entries, and raises if they are invalid.
    """

    event_name: ClassVar[str] = "agent_before_settle"
    outcome: Outcome
    entries: list[Any] = field(default_factory=list)
    continue_: bool = False
    context: Any = None
    preview: Callable[[list[Any]], Any] | None = field(
        default=None, repr=False, compare=False, metadata=HOST_ONLY
    )


@dataclass(kw_only=True)
class TurnStart:
    """A turn begins: `turn_index` counts from 0 within a run, `timestamp` is in milliseconds."""

    event_name: ClassVar[str] = "turn_start"
    turn_index: int
    timestamp: int


@dataclass(kw_only=True)
class TurnEnd:
    """A turn ended and its messages are saved.

    `entries`, `continue_` and `context` are what handlers decided so far. `preview` is the
    host's: it builds the next context from entries, and raises if they are invalid.
    """

    event_name: ClassVar[str] = "turn_end"
    turn_index: int
    message: Message
    tool_results: list[ToolResultMessage] = field(default_factory=list)
    message_entry_id: str | None = None
    tool_result_entry_ids: list[str] = field(default_factory=list)
    outcome: Outcome = "completed"
    entries: list[Any] = field(default_factory=list)
    continue_: bool = False
    context: Any = None
    preview: Callable[[list[Any]], Any] | None = field(
        default=None, repr=False, compare=False, metadata=HOST_ONLY
    )


@dataclass(kw_only=True)
class MessageStart:
    """A message begins; an assistant's is still empty."""

    event_name: ClassVar[str] = "message_start"
    message: Message


@dataclass(kw_only=True)
class MessageUpdate:
    """The assistant's message grew; `assistant_message_event` says by what."""

    event_name: ClassVar[str] = "message_update"
    message: Message
    assistant_message_event: Any


@dataclass(kw_only=True)
class MessageEnd:
    """A message is complete and not yet saved or shown as final."""

    event_name: ClassVar[str] = "message_end"
    message: Message


@dataclass(frozen=True, slots=True)
class ReplaceMessage:
    """Put another message of the same role in place of this one."""

    message: Message | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStart:
    """Answer to before_agent_start: a message to send along, another system prompt, or both."""

    message: CustomMessage | Mapping[str, Any] | Unset = UNSET
    system_prompt: str | Unset = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Replace the draft entries, the wish to continue, or both.

    Drafts are custom, custom_message, context_edit and compaction entries. Return the
    event's own entries with yours added, to keep those of earlier handlers.
    """

    entries: list[Any] | Unset = UNSET
    continue_: bool | Unset = UNSET
