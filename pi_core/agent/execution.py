"""One tool runs: its updates are told, an abort reaches it, whatever it does becomes a result.

A tool learns of an abort through its signal. One that does not end within the
grace time after it is cancelled.

Pure.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from pi_core.abort import DEFAULT_ABORT_TEXT, AbortSignal
from pi_core.agent.ports import ToolRequest
from pi_core.agent.results import as_result, error_result, raised_result
from pi_core.agent.updates import Updates
from pi_core.dispatch.failing import FAILURES, pass_interrupt

ABORT_GRACE_S: Final = 5.0


async def execute(
    tool: ToolDefinition,
    request: ToolRequest,
    ctx: Any,
    signal: AbortSignal,
    tell: Callable[[ToolResult], Awaitable[None]],
    *,
    grace_s: float = ABORT_GRACE_S,
    left_behind: set[asyncio.Future[Any]] | None = None,
) -> ToolResult:
    """Run the tool to its end. An exception becomes an error result; `tell` gets each update in order.

    After an abort it has `grace_s` to end by itself, is cancelled, and has as long again before it is left
    behind: what it does then is nobody's business any more. `left_behind` holds it until it ends.

    Raises: only what `tell` raises, and CancelledError when the caller is cancelled.
    """
    updates = Updates(lambda partial: tell(as_result(partial, tool.name)))
    task = asyncio.ensure_future(_call(tool, request, ctx, signal, updates))
    limit = _Limit(task, grace_s, set() if left_behind is None else left_behind)
    take_off = signal.on_abort(limit.start_from_any_thread)
    try:
        ends: tuple[asyncio.Future[Any], ...] = (task, limit.given_up)
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=grace_s)
        raise
    finally:
        take_off()
        limit.stop()
    await updates.close()
    ended = task.done() and not task.cancelled()
    return task.result() if ended else error_result(DEFAULT_ABORT_TEXT, details={})


async def _call(
    tool: ToolDefinition, request: ToolRequest, ctx: Any, signal: AbortSignal, updates: Updates
) -> ToolResult:
    try:
        answer: Any = tool.execute(request.tool_call_id, request.input, signal, updates, ctx)
        if inspect.isawaitable(answer):
            answer = await answer
    except FAILURES as error:  # whatever a tool raises is told to the model
        pass_interrupt(error)
        return raised_result(error)
    return as_result(answer, tool.name)


class _Limit:
    """Cancels a task some time after it is started, and gives it up if that does not end it either."""

    def __init__(
        self, task: asyncio.Future[Any], grace_s: float, left_behind: set[asyncio.Future[Any]]
    ) -> None:
        self._task = task
        self._grace_s = grace_s
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._left_behind = left_behind
        self.given_up: asyncio.Future[None] = self._loop.create_future()

    def start_from_any_thread(self) -> None:
        self._loop.call_soon_threadsafe(self._start)

    def _start(self) -> None:
        if not self._task.done():
            self._timer = self._loop.call_later(self._grace_s, self._cancel)

    def _cancel(self) -> None:
        self._task.cancel()
        self._timer = self._loop.call_later(self._grace_s, self._give_up)

    def _give_up(self) -> None:
        if not self._task.done():
            self._left_behind.add(self._task)
            self._task.add_done_callback(self._left_behind.discard)
            self.given_up.set_result(None)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
