"""One run: turn after turn, until the model asks for nothing and nothing waits.

Whatever breaks, everybody is told a closed sequence of events: an exception
becomes an answer with stop reason "error", a cancellation one with "aborted".

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from copy import copy
from typing import Final

from hookspecs.messages import AssistantMessage, Message, StopReason, ToolCallContent, ToolResultMessage
from hookspecs.values import dataclass
from pi_core.abort import AbortSignal
from pi_core.agent.abortable import Broken
from pi_core.agent.events import (
    AgentEnd,
    AgentStart,
    MessageEnd,
    MessageStart,
    QueueUpdate,
    TurnEnd,
    TurnStart,
)
from pi_core.agent.open_events import OpenEvents
from pi_core.agent.ports import LoopHooks, TurnDecision
from pi_core.agent.queues import MessageQueue
from pi_core.agent.state import AgentState
from pi_core.agent.steps import read_answer, tell_failure
from pi_core.agent.tool_args import ArgumentChecks
from pi_core.agent.tool_calls import CUT_OFF, Finished, ToolCalls
from pi_core.providers.base import BlockEvent, Connect, Context, StreamOptions
from pi_core.providers.prices import priced
from pi_core.providers.transcript import for_model

ABORTED_BEFORE_REQUEST: Final = "This operation was aborted"
CANCELLED: Final = "The run was cancelled"


@dataclass(frozen=True, slots=True)
class Queues:
    """What waits: steering messages come after the current turn, follow-ups when a run would end."""

    steering: MessageQueue
    follow_up: MessageQueue

    def update(self) -> QueueUpdate:
        """What the person still waits for."""
        return QueueUpdate(steering=self.steering.texts(), follow_up=self.follow_up.texts())


@dataclass(frozen=True, slots=True)
class RunParts:
    """What a run works with; all of it belongs to the agent."""

    state: AgentState
    hooks: LoopHooks
    queues: Queues
    connect: Connect
    checks: ArgumentChecks
    clock: Callable[[], int]


class Run:
    """One run, used once. `new` are the messages that it added, in order."""

    def __init__(self, parts: RunParts, signal: AbortSignal) -> None:
        self._parts = parts
        self._state = parts.state
        self._signal = signal
        self._events = OpenEvents(parts.hooks)
        self.tools: ToolCalls | None = None
        self.new: list[Message] = []

    async def drive(self, prompts: Sequence[Message]) -> list[Message]:
        """Run to the end, starting with `prompts`. Returns the new messages, in order.

        Raises: what a listener raises at the very end; CancelledError, once everything is closed.
        """
        cancelled: asyncio.CancelledError | None = None
        try:
            await self._events.emit(AgentStart())
            await self._turns(list(prompts))
        except asyncio.CancelledError as error:
            cancelled = error
            await self._fail(CANCELLED, "aborted")
        except Exception as error:  # noqa: BLE001 - the sequence is closed, the error is its last answer
            reason: StopReason = "aborted" if self._signal.aborted else "error"
            await self._fail(str(error) or type(error).__name__, reason)
        finally:
            self._parts.queues.steering.restore()
            self._parts.queues.follow_up.restore()
        await self._events.emit(AgentEnd(messages=list(self.new)))
        if cancelled is not None:
            raise cancelled
        return self.new

    async def _turns(self, prompts: list[Message]) -> None:
        index = 0
        pending: list[Message] | None = prompts + self._first_waiting(prompts)
        while pending is not None:
            if index:
                await self._parts.hooks.before_next_turn(index)
                pending = pending or self._steering()
            await self._events.emit(TurnStart(turn_index=index, timestamp=self._parts.clock()))
            for message in pending:
                await self._deliver(message)
            pending = await self._turn(index)
            index += 1

    async def _turn(self, index: int) -> list[Message] | None:
        """One answer with its tool calls. Returns what the next turn begins with, None if there is none."""
        parts = self._parts
        state = copy(self._state)  # what changes from here on counts from the next turn
        self.tools = ToolCalls(
            self._state, self._events.emit, parts.hooks, self._signal, parts.checks, parts.clock
        )
        answer = await self._answer(state)
        finished = await self._run_tools(answer)
        results = [item.message for item in finished]
        decision = await self._end_turn(answer, results, index)
        if answer.stop_reason in ("error", "aborted"):
            return None
        wants_more = bool(finished) and not all(item.result.terminate for item in finished)
        return self._next(decision, wants_more=wants_more)

    def _next(self, decision: TurnDecision, *, wants_more: bool) -> list[Message] | None:
        if decision.next == "end":
            return None
        if self._signal.aborted:
            return [] if wants_more else None
        steering = self._parts.queues.steering.take()
        if steering or wants_more or decision.next == "continue":
            return steering
        return self._parts.queues.follow_up.take() or None

    def _first_waiting(self, prompts: list[Message]) -> list[Message]:
        """What joins the first turn; a run without prompts also takes what waited for the end of the last."""
        return self._steering() or ([] if prompts else self._parts.queues.follow_up.take())

    def _steering(self) -> list[Message]:
        return [] if self._signal.aborted else self._parts.queues.steering.take()

    async def _deliver(self, message: Message) -> None:
        queues = self._parts.queues
        if queues.steering.deliver(message) or queues.follow_up.deliver(message):
            await self._events.emit(queues.update())
        await self._record(message)

    async def _record(self, message: Message) -> None:
        await self._events.emit(MessageStart(message=message))
        await self._events.emit(MessageEnd(message=message))
        self._keep(message)

    def _keep(self, message: Message) -> None:
        self._state.messages.append(message)
        self.new.append(message)

    async def _answer(self, state: AgentState) -> AssistantMessage:
        messages = list(await self._parts.hooks.context(list(self._state.messages)))
        blank = self._blank(state)
        if self._signal.aborted:
            answer = await tell_failure(blank, Broken("aborted", ABORTED_BEFORE_REQUEST), self._events.emit)
        else:
            answer = await read_answer(self._request(state, messages), blank, self._signal, self._events.emit)
        self._keep(answer)
        return answer

    async def _request(self, state: AgentState, messages: Sequence[Message]) -> AsyncIterator[BlockEvent]:
        """The stream of one request; finding the way to the model is part of it."""
        model = state.model
        connection = await self._parts.connect(model)
        context = Context(
            system_prompt=state.system_prompt, messages=for_model(messages, model), tools=tuple(state.tools)
        )
        options = StreamOptions(
            signal=self._signal,
            hooks=self._parts.hooks.request_hooks(),
            thinking=state.thinking,
            api_key=connection.api_key,
            headers=connection.headers,
            conversation_id=state.conversation_id,
        )
        stream = connection.stream(model, context, options)
        try:
            async for event in stream:
                yield priced(event, model)
        finally:
            if (close := getattr(stream, "aclose", None)) is not None:
                await close()

    async def _run_tools(self, answer: AssistantMessage) -> list[Finished]:
        calls = [block for block in answer.content if isinstance(block, ToolCallContent)]
        if not calls or self.tools is None or answer.stop_reason in ("error", "aborted"):
            return []

        async def record(message: ToolResultMessage) -> None:
            await self._record(message)

        if answer.stop_reason == "length":
            return await self.tools.refuse_all(calls, CUT_OFF, record)
        return await self.tools.run(calls, record)

    async def _end_turn(
        self, answer: AssistantMessage, results: list[ToolResultMessage], index: int
    ) -> TurnDecision:
        event = TurnEnd(message=answer, tool_results=results, turn_index=index)
        decision = await self._parts.hooks.finish_turn(event)
        await self._events.emit(event)
        for message in decision.messages:
            self._keep(message)
        return decision

    async def _fail(self, text: str, reason: StopReason) -> None:
        """Close what is open, with an answer that says why."""
        failure = self._blank(self._state)
        failure.stop_reason, failure.error_message = reason, text
        half_told = self._events.message
        if half_told is not None and not isinstance(half_told, AssistantMessage):
            self._keep(half_told)
        self._keep(failure)
        await self._events.close(failure)

    def _blank(self, state: AgentState) -> AssistantMessage:
        model = state.model
        return AssistantMessage(
            api=model.api, provider=model.provider, model=model.id, timestamp=self._parts.clock()
        )
