"""The way of a tool call: start, look-up, validation, the host's say, execution, the host's say, end.

A call that cannot run still gets its start, its end and an error result. In a
batch all calls are prepared one after another and then run side by side; one
sequential tool makes the whole batch go one by one.

Pure.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from hookspecs.messages import ToolCallContent, ToolResultMessage
from hookspecs.values import dataclass
from pi_core.abort import DEFAULT_ABORT_TEXT, AbortSignal
from pi_core.agent.events import ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate
from pi_core.agent.execution import execute
from pi_core.agent.ports import Refusal, ToolRequest, ToolSide
from pi_core.agent.results import as_result, bounded, error_result, raised_result, result_message
from pi_core.agent.state import AgentState
from pi_core.agent.steps import Emit
from pi_core.agent.tool_args import ArgumentChecks
from pi_core.dispatch.failing import FAILURES, pass_interrupt

CUT_OFF: Final = (
    "This call did not run: the answer reached the output limit, so its arguments may be incomplete. "
    "Make the call again, with less text in it."
)

DEEPEST: Final = 32
"""How many tools may wait for each other. Tasks have no stack that would overflow, so we count."""
TOO_DEEP: Final = f"This call did not run: {DEEPEST} tools call each other already, one inside the other."


@dataclass(frozen=True, slots=True)
class Finished:
    """A call that is over: its result, and the message that carries it."""

    result: ToolResult
    message: ToolResultMessage


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that may run."""

    call: ToolCallContent
    tool: ToolDefinition
    request: ToolRequest


Record = Callable[[ToolResultMessage], Awaitable[None]]
"""Announces a result message and keeps it."""


class ToolCalls:
    """Runs the calls of one turn with the tools of that turn."""

    def __init__(
        self,
        state: AgentState,
        emit: Emit,
        side: ToolSide,
        signal: AbortSignal,
        checks: ArgumentChecks,
        clock: Callable[[], int],
    ) -> None:
        self._state = state
        self._tools = {tool.name: tool for tool in state.tools}
        self._emit = emit
        self._side = side
        self._signal = signal
        self._checks = checks
        self._clock = clock
        self._nested: dict[str, int] = {}
        self._depths: dict[str, int] = {}

    async def run(self, calls: Sequence[ToolCallContent], record: Record) -> list[Finished]:
        """Run a batch. Returns one item a call, in the order of the calls, all recorded."""
        if self._one_by_one(calls):
            return [await self._single(call, record) for call in calls]
        started = [await self._prepare(call) for call in calls]
        finished = await self._side_by_side(started)
        for item in finished:
            await record(item.message)
        return finished

    async def refuse_all(
        self, calls: Sequence[ToolCallContent], reason: str, record: Record
    ) -> list[Finished]:
        """Run none of them: each gets its start, its end and the reason as an error."""
        finished = []
        for call in calls:
            await self._tell_start(call, None)
            finished.append(await self._end(call, error_result(reason, details={})))
        for item in finished:
            await record(item.message)
        return finished

    async def run_nested(self, parent_id: str, name: str, arguments: Any) -> ToolResult:
        """Run a tool on behalf of a running one, through the same checks and hooks; no message is kept.

        Its id is the parent's with a counter. Never raises for what the tool does.
        """
        number = self._nested[parent_id] = self._nested.get(parent_id, 0) + 1
        call = ToolCallContent(id=f"{parent_id}/{number}", name=name, arguments=arguments)
        depth = self._depths[call.id] = self._depths.get(parent_id, 0) + 1
        if depth > DEEPEST:
            await self._tell_start(call, parent_id)
            return (await self._end(call, error_result(TOO_DEEP), parent_id)).result
        ready = await self._prepare(call, parent_id)
        finished = ready if isinstance(ready, Finished) else await self._finish(ready, parent_id)
        return finished.result

    def _one_by_one(self, calls: Sequence[ToolCallContent]) -> bool:
        called = [self._tools[call.name] for call in calls if call.name in self._tools]
        modes = [self._state.execution_mode, *(tool.execution_mode for tool in called)]
        return "sequential" in modes

    async def _single(self, call: ToolCallContent, record: Record) -> Finished:
        ready = await self._prepare(call)
        finished = ready if isinstance(ready, Finished) else await self._finish(ready)
        await record(finished.message)
        return finished

    async def _side_by_side(self, started: Sequence[Prepared | Finished]) -> list[Finished]:
        try:
            async with asyncio.TaskGroup() as group:
                running = {
                    index: group.create_task(self._finish(item))
                    for index, item in enumerate(started)
                    if isinstance(item, Prepared)
                }
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        return [
            item if isinstance(item, Finished) else running[index].result()
            for index, item in enumerate(started)
        ]

    async def _prepare(self, call: ToolCallContent, parent: str | None = None) -> Prepared | Finished:
        """Start the call and ask everybody; a call that may not run is finished here."""
        await self._tell_start(call, parent)
        if self._is_aborted():
            return await self._end(call, _aborted(), parent)
        tool = self._tools.get(call.name)
        if tool is None:
            return await self._end(call, error_result(f"Tool {call.name} not found", details={}), parent)
        try:
            arguments = call.arguments
            if tool.prepare_arguments is not None:
                arguments = tool.prepare_arguments(arguments)
            ready = self._checks.ready(tool.name, tool.parameters, arguments)
            request = ToolRequest(call.id, call.name, ready, parent)
            refusal = await self._side.tool_call(request)
        except FAILURES as error:  # a call that nobody could judge does not run
            pass_interrupt(error)
            return await self._end(call, raised_result(error), parent)
        if self._is_aborted():
            return await self._end(call, _aborted(), parent)
        if refusal is not None:
            return await self._end(call, _refused(refusal), parent)
        return Prepared(call, tool, request)

    async def _finish(self, ready: Prepared, parent: str | None = None) -> Finished:
        if self._is_aborted():
            return await self._end(ready.call, _aborted(), parent)
        began = time.monotonic()
        result = await self._executed(ready, parent)
        took_ms = round((time.monotonic() - began) * 1000)
        try:
            patched = await self._side.tool_result(ready.request, result)
        except FAILURES as error:  # an unjudged result must not pass as a good one
            pass_interrupt(error)
            patched = raised_result(error)
        result = result if patched is None else as_result(patched, ready.tool.name)
        return await self._end(ready.call, result, parent, took_ms)

    async def _executed(self, ready: Prepared, parent: str | None) -> ToolResult:
        before = [tool.name for tool in self._state.tools]
        ctx = self._side.tool_context(ready.request)
        call = ready.call

        async def tell(partial: ToolResult) -> None:
            await self._emit(
                ToolExecutionUpdate(
                    tool_call_id=call.id,
                    tool_name=call.name,
                    args=call.arguments,
                    partial_result=partial,
                    parent_tool_call_id=parent,
                )
            )

        result = await execute(
            ready.tool, ready.request, ctx, self._signal, tell, left_behind=self._state.left_behind
        )
        added = _added(before, [tool.name for tool in self._state.tools], result.added_tool_names)
        return replace(result, added_tool_names=added)

    def _is_aborted(self) -> bool:
        return self._signal.aborted

    async def _tell_start(self, call: ToolCallContent, parent: str | None) -> None:
        await self._emit(
            ToolExecutionStart(
                tool_call_id=call.id, tool_name=call.name, args=call.arguments, parent_tool_call_id=parent
            )
        )

    async def _end(
        self,
        call: ToolCallContent,
        result: ToolResult,
        parent: str | None = None,
        duration_ms: int | None = None,
    ) -> Finished:
        result = bounded(result)
        await self._emit(
            ToolExecutionEnd(
                tool_call_id=call.id,
                tool_name=call.name,
                result=result,
                is_error=result.is_error,
                duration_ms=duration_ms,
                parent_tool_call_id=parent,
            )
        )
        message = result_message(call.id, call.name, result, self._clock())
        message.duration_ms = duration_ms
        return Finished(result, message)


def _aborted() -> ToolResult:
    return error_result(DEFAULT_ABORT_TEXT, details={}, terminate=True)


def _refused(refusal: Refusal) -> ToolResult:
    return error_result(refusal.reason, details={}, terminate=refusal.terminate)


def _added(before: Sequence[str], after: Sequence[str], named: Sequence[str]) -> tuple[str, ...]:
    """The tools that a call brought: what it named, and what is new if none went away."""
    new = [name for name in after if name not in before] if set(before) <= set(after) else []
    return tuple(dict.fromkeys([*named, *new]))
