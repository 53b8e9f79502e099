"""What the loop asks of its host: be told, have a say, keep the record.

The loop knows neither extensions nor sessions. Whoever runs it implements
`LoopHooks`; each method is awaited before the loop goes on. An exception from
`tool_call` refuses the call; one from any other method ends the run with an
error message, so a host reports its own failures and does not raise them here.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

from hookspecs.definitions import ToolResult
from hookspecs.messages import Message
from hookspecs.values import dataclass
from pi_core.agent.events import LoopEvent, TurnEnd
from pi_core.providers.base import NoHooks, RequestHooks

NextStep: TypeAlias = Literal["default", "continue", "end"]


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call as it is about to run. `input` is validated and the very object that the tool receives."""

    tool_call_id: str
    tool_name: str
    input: dict[str, Any]
    parent_tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The call does not run; the model reads `reason`. `terminate` counts as a result that wants to stop."""

    reason: str = "Tool execution was blocked"
    terminate: bool = False


@dataclass(frozen=True, slots=True)
class TurnDecision:
    """What follows a turn.

    `messages` join the conversation without being announced: who decided has told and stored them.
    "continue" asks for another turn even if nothing is left to do; "end" forbids one.
    """

    next: NextStep = "default"
    messages: Sequence[Message] = ()


class Listener(Protocol):
    """Who is told."""

    async def emit(self, event: LoopEvent) -> None:
        """Tell everybody. A `MessageEnd` is the moment to rewrite its message in place, then to store it."""


class RequestSide(Protocol):
    """The say in what a model is sent."""

    async def context(self, messages: list[Message]) -> Sequence[Message]:
        """The messages of the next request. The list is the caller's own, its messages are the history's."""

    def request_hooks(self) -> RequestHooks:
        """The hooks of the next request; asked once a request."""


class ToolSide(Protocol):
    """The say in the calls of a model."""

    async def tool_call(self, request: ToolRequest) -> Refusal | None:
        """None lets the call run; `request.input` may be edited in place. Raising refuses the call."""

    async def tool_result(self, request: ToolRequest, result: ToolResult) -> ToolResult | None:
        """Another result in place of this one, None to keep it. Not asked for calls that never ran."""

    def tool_context(self, request: ToolRequest) -> Any:
        """The `ctx` that the tool's function receives; asked once a call."""


class TurnSide(Protocol):
    """The say in what follows a turn."""

    async def finish_turn(self, event: TurnEnd) -> TurnDecision:
        """The turn's messages are stored; decide what follows. `emit(event)` comes right after."""

    async def before_next_turn(self, turn_index: int) -> None:
        """The last chance to change the state (model, prompt, tools, messages) before this turn."""


class LoopHooks(Listener, RequestSide, ToolSide, TurnSide, Protocol):
    """The host's side of a run."""


class PassiveHooks:
    """Hooks without an opinion: a base to override, and enough to run a loop alone."""

    async def emit(self, event: LoopEvent) -> None:
        """Nobody is told."""

    async def context(self, messages: list[Message]) -> Sequence[Message]:
        """The conversation as it is."""
        return messages

    async def tool_call(self, request: ToolRequest) -> Refusal | None:
        """Every call runs."""

    async def tool_result(self, request: ToolRequest, result: ToolResult) -> ToolResult | None:
        """Every result stays."""

    async def finish_turn(self, event: TurnEnd) -> TurnDecision:
        """The loop's own rule."""
        return TurnDecision()

    async def before_next_turn(self, turn_index: int) -> None:
        """The state stays."""

    def request_hooks(self) -> RequestHooks:
        """Requests go out as they are."""
        return NoHooks()

    def tool_context(self, request: ToolRequest) -> Any:
        """Tools run without a context."""
        return None
