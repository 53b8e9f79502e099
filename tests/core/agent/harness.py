"""A loop to test: the scripted model, tools made of functions, and hooks that write everything down.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from hookspecs.definitions import ExecutionMode, Model, ToolDefinition, ToolResult
from hookspecs.events import agent as agent_events
from hookspecs.events import provider as provider_events
from hookspecs.events import tool as tool_events
from hookspecs.messages import AssistantMessage, Message, TextContent, ToolResultMessage, UserMessage
from hookspecs.wire import to_wire
from pi_core.agent.agent import Agent
from pi_core.agent.events import AgentStart, LoopEvent, MessageUpdate, QueueUpdate
from pi_core.agent.ports import PassiveHooks, Refusal, ToolRequest
from pi_core.agent.state import AgentState
from pi_core.providers.base import Connection, RequestHooks, Stream
from pi_core.providers.script import Script
from pi_core.providers.scripted import Scripted
from tests.support.golden import extension_trace, stream_trace

MODEL = Model(id="scripted", provider="scripted", api="scripted")
TOLD = {
    "turn_start": agent_events.TurnStart,
    "turn_end": agent_events.TurnEnd,
    "message_start": agent_events.MessageStart,
    "message_end": agent_events.MessageEnd,
    "agent_end": agent_events.AgentEnd,
    "tool_execution_start": tool_events.ToolExecutionStart,
    "tool_execution_update": tool_events.ToolExecutionUpdate,
    "tool_execution_end": tool_events.ToolExecutionEnd,
}
Run = Callable[..., Any]
Watcher = Callable[[LoopEvent], Awaitable[None]]


def as_extension_event(event: LoopEvent) -> Any:
    """The hook event that a host makes of a loop event."""
    if isinstance(event, AgentStart):
        return agent_events.AgentStartEvent()
    kind = TOLD[event.type]
    known = {field.name for field in fields(kind)}
    return kind(**{name: value for name, value in vars(event).items() if name in known})


class RecordingHooks(PassiveHooks):
    """Writes down the stream and what an extension would have seen, and does what a test asks for.

    `gate` judges calls, `patch` results, `watch` hears every event before it is written down.
    """

    def __init__(self) -> None:
        self.stream: list[Any] = []
        self.seen: list[Any] = []
        self.gate: Callable[[ToolRequest], Refusal | None] = lambda request: None
        self.patch: Callable[[ToolRequest, ToolResult], ToolResult | None] = lambda request, result: None
        self.watch: Watcher | None = None

    async def emit(self, event: LoopEvent) -> None:
        if not isinstance(event, MessageUpdate | QueueUpdate):
            self.seen.append(to_wire(as_extension_event(event)))
        if self.watch is not None:
            await self.watch(event)
        self.stream.append(to_wire(event))

    async def context(self, messages: list[Message]) -> Sequence[Message]:
        self.seen.append(to_wire(provider_events.Context(messages=messages)))
        return messages

    async def tool_call(self, request: ToolRequest) -> Refusal | None:
        call = tool_events.ToolCall(
            tool_name=request.tool_name, tool_call_id=request.tool_call_id, input=request.input
        )
        self.seen.append(to_wire(call))
        return self.gate(request)

    async def tool_result(self, request: ToolRequest, result: ToolResult) -> ToolResult | None:
        told = tool_events.ToolResultEvent(
            tool_name=request.tool_name,
            tool_call_id=request.tool_call_id,
            input=request.input,
            content=list(result.content),  # type: ignore[arg-type]  # the loop hands over blocks, never text
            is_error=result.is_error,
        )
        self.seen.append(to_wire(told))
        return self.patch(request, result)

    def request_hooks(self) -> RequestHooks:
        return RecordingRequest(self.seen)

    def tool_context(self, request: ToolRequest) -> Any:
        return {"for": request.tool_call_id}


class RecordingRequest:
    """Request hooks that note that they were asked."""

    def __init__(self, seen: list[Any]) -> None:
        self._seen = seen

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        self._seen.append({"type": "before_provider_headers"})

    async def before_payload(self, payload: Any) -> Any:
        self._seen.append({"type": "before_provider_request"})
        return payload

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        self._seen.append({"type": "after_provider_response", "status": status})

    async def stream_event(self, data: Any) -> None:
        """Not part of the recorded traces."""


class Bench:
    """One agent with its recordings."""

    def __init__(
        self, turns: Sequence[Any] | Stream, tools: Sequence[ToolDefinition] = (), **state: Any
    ) -> None:
        self.hooks = RecordingHooks()
        self.unreachable: Exception | None = None
        self.model = Scripted(None if callable(turns) else Script.of(turns))
        stream: Stream = turns if callable(turns) else self.model.stream

        async def connect(model: Model) -> Connection:
            if self.unreachable is not None:
                raise self.unreachable
            return Connection(stream)

        self.agent = Agent(AgentState(model=MODEL, tools=tools, **state), self.hooks, connect)

    async def run(self, text: str = "go") -> list[Message]:
        return await self.agent.run([UserMessage(content=text)])

    @property
    def stream(self) -> list[str]:
        return stream_trace(self.hooks.stream)

    @property
    def seen(self) -> list[str]:
        return extension_trace(self.hooks.seen)

    @property
    def results(self) -> list[ToolResultMessage]:
        return [message for message in self.agent.state.messages if isinstance(message, ToolResultMessage)]

    @property
    def answers(self) -> list[AssistantMessage]:
        return [message for message in self.agent.state.messages if isinstance(message, AssistantMessage)]


def tool(
    run: Run, *, name: str = "t1", properties: Mapping[str, Any] | None = None, **more: Any
) -> ToolDefinition:
    """A tool that calls `run(params, signal, on_update)`; its parameters are all optional."""

    async def execute(tool_call_id: str, params: Any, signal: Any, on_update: Any, ctx: Any) -> Any:
        result = run(params, signal, on_update)
        return await result if asyncio.iscoroutine(result) else result

    schema = {"type": "object", "properties": dict(properties or {})}
    return ToolDefinition(name=name, description="", parameters=schema, execute=execute, **more)


def call(name: str = "t1", **arguments: Any) -> dict[str, Any]:
    """A turn of a script with one call."""
    return {"tool": name, "arguments": arguments}


def calls(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A turn of a script with several calls."""
    return {"blocks": list(blocks)}


def text(message: Any) -> str:
    """The text of a message or a result."""
    return "".join(block.text for block in message.content if isinstance(block, TextContent))


def sequential(definition: ToolDefinition) -> ToolDefinition:
    """The same tool, to be run alone."""
    mode: ExecutionMode = "sequential"
    return replace(definition, execution_mode=mode)
