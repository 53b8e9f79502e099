"""The session's side of a run: extensions first, then the listeners, then the history.

Whatever the loop tells goes to the extensions by the law of its event; what they decide comes back
to the loop in the loop's own words.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Protocol, assert_never

from hookspecs.definitions import Model, ToolResult
from hookspecs.events import agent as on_agent
from hookspecs.events import provider as on_provider
from hookspecs.events import tool as on_tool
from hookspecs.messages import AssistantMessage, Message
from pi_core.agent import events as loop
from pi_core.agent.ports import Refusal, ToolRequest, TurnDecision
from pi_core.agent.state import AgentState
from pi_core.dispatch.plan import Failure, HandlerFailed
from pi_core.extensions.runner import Runner
from pi_core.providers.base import RequestHooks
from pi_core.providers.transcript import without_images
from pi_core.session.errands import Errands
from pi_core.session.foreign import as_message, as_messages
from pi_core.session.generation import SessionParts


class Record(Protocol):
    """Where complete messages go."""

    def message(self, message: Message) -> str:
        """Store a message; returns the id of its entry."""
        ...


class TurnBoundary(Protocol):
    """What happens between two turns."""

    async def turn_ended(self, event: loop.TurnEnd, entry_ids: Mapping[int, str]) -> TurnDecision:
        """Ask the extensions, store what they add; `entry_ids` is by the identity of the message."""
        ...

    async def before_turn(self) -> None:
        """Bring prompt and tools up to date."""
        ...


class RunWatch(Protocol):
    """Who decides what follows a run by itself."""

    def will_retry(self, messages: Sequence[Message]) -> bool:
        """Whether the run with these messages is followed by another attempt."""
        ...

    def answered(self, answer: AssistantMessage) -> None:
        """An answer is complete and stored."""
        ...

    async def between_turns(self) -> None:
        """Make the conversation fit before the next request."""
        ...


class RunHooks:
    """Implements `LoopHooks` for one session."""

    def __init__(
        self,
        parts: SessionParts,
        record: Record,
        boundary: TurnBoundary,
        errands: Errands,
        state: AgentState,
        watch: RunWatch,
    ) -> None:
        self._watch = watch
        self._parts = parts
        self._record = record
        self._channel = parts.channel
        self._boundary = boundary
        self._errands = errands
        self._state = state
        self._entry_ids: dict[int, str] = {}

    @property
    def _runner(self) -> Runner:
        return self._parts.runner

    async def emit(self, event: loop.LoopEvent) -> None:
        """Tell extensions, then listeners; a complete message is stored last.

        What an extension asks for while it is told gets its turn before the loop goes on, and before
        anybody hears that a run ended.
        """
        match event:
            case loop.MessageEnd(message=message):
                await self._rewrite(message)
                self._channel.tell(event)
                self._entry_ids[id(message)] = self._record.message(message)
                if isinstance(message, AssistantMessage):
                    self._watch.answered(message)
            case loop.QueueUpdate() | loop.TurnEnd():
                self._channel.tell(event)
            case loop.AgentEnd():
                await self._tell_extensions(event)
                await self._errands.let_in()
                event.will_retry = self._watch.will_retry(event.messages)
                self._channel.tell(event)
            case _:
                await self._tell_extensions(event)
                self._channel.tell(event)
        await self._errands.let_in()
        if self._channel.pace is not None:
            await self._channel.pace()

    async def _tell_extensions(
        self,
        event: loop.AgentStart
        | loop.AgentEnd
        | loop.TurnStart
        | loop.MessageStart
        | loop.MessageUpdate
        | loop.ToolExecutionStart
        | loop.ToolExecutionUpdate
        | loop.ToolExecutionEnd,
    ) -> None:
        if self._parts.hears(event.type):
            await self._runner.emit(extension_event(event))

    async def _rewrite(self, message: Message) -> None:
        """Let extensions replace the message; the object stays, so that everybody sees the same."""
        if not self._parts.hears("message_end"):
            return
        replacement = await self._runner.emit(on_agent.MessageEnd(message=message))
        try:
            accepted = None if replacement is None else as_message(replacement)
        except ValueError as error:
            self._runner.report(Failure("<runtime>", "message_end", str(error)))
            return
        if accepted is not None and accepted is not message:
            for field in fields(message):
                setattr(message, field.name, getattr(accepted, field.name))
        if getattr(message, "content", ()) is None:
            message.content = []  # type: ignore[union-attr]  # only messages with content come here

    async def context(self, messages: list[Message]) -> Sequence[Message]:
        """What goes to the model: each of the two events may replace it; settings may keep images back."""
        found = await self._context(messages)
        if self._parts.settings.get("images", "block-images") is True:
            return without_images(found)
        return found

    async def _context(self, messages: list[Message]) -> Sequence[Message]:
        found: list[Any] = messages
        if self._parts.hears("context"):
            found = await self._runner.emit(on_provider.Context(messages=messages))
        if self._parts.hears("context_with_system"):
            found = await self._runner.emit(on_provider.ContextWithSystem(messages=found))
        if found is messages:
            return messages
        try:
            return as_messages(found)
        except ValueError as error:
            self._runner.report(Failure("<runtime>", "context", f"{error}; the messages stay as they were"))
            return messages

    def request_hooks(self) -> RequestHooks:
        """The provider events of the next request."""
        return ProviderHooks(self._runner, self._state.model)

    def tool_context(self, request: ToolRequest) -> Any:
        """What the tool's function gets as `ctx`."""
        return self._runner.tool_context(request.tool_call_id)

    async def tool_call(self, request: ToolRequest) -> Refusal | None:
        """A handler that blocks and a handler that fails both refuse."""
        if not self._runner.has_handlers("tool_call"):
            return None
        event = on_tool.ToolCall(
            tool_name=request.tool_name,
            tool_call_id=request.tool_call_id,
            input=request.input,
            parent_tool_call_id=request.parent_tool_call_id,
        )
        try:
            answer = await self._runner.emit(event)
        except HandlerFailed as failed:
            return Refusal(str(failed))
        if answer is None or not answer.block:
            return None
        terminate = bool(answer.terminate)
        return Refusal(str(answer.reason), terminate) if answer.reason else Refusal(terminate=terminate)

    async def tool_result(self, request: ToolRequest, result: ToolResult) -> ToolResult | None:
        """The result as the handlers patched it."""
        if not self._runner.has_handlers("tool_result"):
            return None
        content = result.content
        event = on_tool.ToolResultEvent(
            tool_name=request.tool_name,
            tool_call_id=request.tool_call_id,
            input=request.input,
            content=content if isinstance(content, list) else [],
            details=result.details,
            is_error=result.is_error,
            structured_content=result.structured_content,
            usage=result.usage,
            parent_tool_call_id=request.parent_tool_call_id,
        )
        patch = await self._runner.emit(event)
        if patch is None:
            return None
        return replace(
            result,
            content=patch.content,
            details=patch.details,
            is_error=patch.is_error,
            structured_content=patch.structured_content,
            usage=patch.usage,
        )

    async def finish_turn(self, event: loop.TurnEnd) -> TurnDecision:
        """The turn is stored; extensions may add to it and ask for another one."""
        entry_ids, self._entry_ids = self._entry_ids, {}
        return await self._boundary.turn_ended(event, entry_ids)

    async def before_next_turn(self, turn_index: int) -> None:
        """What changed during the last turn counts from this one on."""
        await self._watch.between_turns()
        await self._boundary.before_turn()


def extension_event(
    event: loop.AgentStart
    | loop.AgentEnd
    | loop.TurnStart
    | loop.MessageStart
    | loop.MessageUpdate
    | loop.ToolExecutionStart
    | loop.ToolExecutionUpdate
    | loop.ToolExecutionEnd,
) -> Any:
    """The event of the loop as extensions know it."""
    match event:
        case loop.AgentStart():
            return on_agent.AgentStartEvent()
        case loop.AgentEnd(messages=messages):
            return on_agent.AgentEnd(messages=list(messages))
        case loop.TurnStart(turn_index=index, timestamp=timestamp):
            return on_agent.TurnStart(turn_index=index, timestamp=timestamp)
        case loop.MessageStart(message=message):
            return on_agent.MessageStart(message=message)
        case loop.MessageUpdate(message=message, assistant_message_event=added):
            return on_agent.MessageUpdate(message=message, assistant_message_event=added)
        case loop.ToolExecutionStart():
            return on_tool.ToolExecutionStart(**_same(event))
        case loop.ToolExecutionUpdate():
            return on_tool.ToolExecutionUpdate(**_same(event))
        case loop.ToolExecutionEnd():
            return on_tool.ToolExecutionEnd(**_same(event))
        case _:
            assert_never(event)


def _same(event: Any) -> dict[str, Any]:
    return {field.name: getattr(event, field.name) for field in fields(event) if field.name != "type"}


class ProviderHooks:
    """Implements `RequestHooks`: the events around one request."""

    def __init__(self, runner: Runner, model: Model) -> None:
        self._runner = runner
        self._model = model

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        """Extensions edit the headers in place."""
        if self._runner.has_handlers("before_provider_headers"):
            await self._runner.emit(on_provider.BeforeProviderHeaders(headers=headers))

    async def before_payload(self, payload: Any) -> Any:
        """The payload as the extensions want it."""
        if not self._runner.has_handlers("before_provider_request"):
            return payload
        return await self._runner.emit(on_provider.BeforeProviderRequest(payload=payload))

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        """Extensions learn that the answer begins."""
        if self._runner.has_handlers("after_provider_response"):
            await self._runner.emit(on_provider.AfterProviderResponse(status=status, headers=dict(headers)))

    async def stream_event(self, data: Any) -> None:
        """Extensions may look at a raw chunk."""
        if not self._runner.has_handlers("provider_stream_event"):
            return
        event = on_provider.ProviderStreamEvent(
            provider=self._model.provider, api=self._model.api, model=self._model.id, data=data
        )
        await self._runner.emit(event)
