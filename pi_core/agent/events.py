"""What the loop tells while it runs. This is also the stream that hosts and modes listen to.

Order within a run: AgentStart, then turns, then AgentEnd. A turn is TurnStart,
messages (each MessageStart … MessageEnd), tool executions, TurnEnd. Whatever
goes wrong, every start gets its end. Events are mutable and belong to the run;
a message in a MessageEnd may be rewritten in place by whoever is told.

Pure.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from hookspecs.definitions import ToolResult
from hookspecs.messages import AssistantMessage, Message, ToolResultMessage
from hookspecs.values import dataclass
from pi_core.providers.base import UpdateEvent


@dataclass(kw_only=True)
class AgentStart:
    """A run begins."""

    type: Literal["agent_start"] = "agent_start"


@dataclass(kw_only=True)
class AgentEnd:
    """A run ended. `messages` are the ones that are new since its start, in order.

    `will_retry` is False when the loop makes the event; the host sets it before it passes the event on.
    """

    messages: list[Message]
    will_retry: bool = False
    type: Literal["agent_end"] = "agent_end"


@dataclass(kw_only=True)
class TurnStart:
    """A turn begins. `turn_index` counts from 0 in each run, `timestamp` is milliseconds since the epoch."""

    turn_index: int
    timestamp: int
    type: Literal["turn_start"] = "turn_start"


@dataclass(kw_only=True)
class TurnEnd:
    """A turn ended: the model's answer and the results of its calls, in the order of the calls."""

    message: AssistantMessage
    tool_results: list[ToolResultMessage]
    turn_index: int
    type: Literal["turn_end"] = "turn_end"


@dataclass(kw_only=True)
class MessageStart:
    """A message begins. An assistant's is a snapshot with stop reason "pending", unless it failed at once."""

    message: Message
    type: Literal["message_start"] = "message_start"


@dataclass(kw_only=True)
class MessageUpdate:
    """The answer grew by `assistant_message_event`; `message` is a snapshot of all that is there so far."""

    message: AssistantMessage
    assistant_message_event: UpdateEvent
    type: Literal["message_update"] = "message_update"


@dataclass(kw_only=True)
class MessageEnd:
    """A message is complete. The object is the one that the run keeps: an edit in place holds everywhere."""

    message: Message
    type: Literal["message_end"] = "message_end"


@dataclass(kw_only=True)
class ToolExecutionStart:
    """A tool call begins. `args` are as the model sent them."""

    tool_call_id: str
    tool_name: str
    args: Any
    parent_tool_call_id: str | None = None
    type: Literal["tool_execution_start"] = "tool_execution_start"


@dataclass(kw_only=True)
class ToolExecutionUpdate:
    """A running tool reported how far it is. `args` are as the model sent them."""

    tool_call_id: str
    tool_name: str
    args: Any
    partial_result: ToolResult
    parent_tool_call_id: str | None = None
    type: Literal["tool_execution_update"] = "tool_execution_update"


@dataclass(kw_only=True)
class ToolExecutionEnd:
    """A tool call is over, whichever way. `duration_ms` is None if the tool never ran."""

    tool_call_id: str
    tool_name: str
    result: ToolResult
    is_error: bool
    duration_ms: int | None = None
    parent_tool_call_id: str | None = None
    type: Literal["tool_execution_end"] = "tool_execution_end"


@dataclass(kw_only=True)
class QueueUpdate:
    """What waits changed: the texts of the queued user messages, oldest first.

    Told when a message is queued, when one is about to be delivered, and when the queues are cleared.
    """

    steering: list[str]
    follow_up: list[str]
    type: Literal["queue_update"] = "queue_update"


LoopEvent: TypeAlias = (
    AgentStart
    | AgentEnd
    | TurnStart
    | TurnEnd
    | MessageStart
    | MessageUpdate
    | MessageEnd
    | ToolExecutionStart
    | ToolExecutionUpdate
    | ToolExecutionEnd
    | QueueUpdate
)
