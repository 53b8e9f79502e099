"""The last event of a session: told to everybody, and waited for no longer than there is time.

Handlers run one after another as ever, but each in a task of its own. One that takes more
than its share of the time goes on in the background while the next one is told, and
what has not ended when the time is up is cancelled, reported and left behind: nobody ever
awaits it, so nothing that it does holds the end.

Touches: the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pi_core.dispatch.algebra import Law
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.flow import dispatch, is_awaitable
from pi_core.dispatch.plan import Failure, Handler, Plan, Report, Wrapper, text_of_error
from pi_core.dispatch.timing import Running


class Farewell:
    """One telling of the last event. `adopt` takes tasks that are left behind."""

    def __init__(
        self,
        plan: Plan,
        law: Law,
        report: Report,
        adopt: Callable[[asyncio.Future[Any]], None],
        limit_s: float,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._plan = plan
        self._law = law
        self._report = report
        self._adopt = adopt
        self._limit_s = limit_s
        self._end = self._loop.time() + limit_s
        self._to_tell = len(plan.handlers)
        self._telling: dict[asyncio.Task[Any], Handler] = {}

    async def tell(self, event: Any, ctx: Any) -> tuple[str, ...]:
        """Tell everybody; returns who was left behind, each extension once, in order of their handlers."""
        running = Running()
        handlers = tuple(self._in_a_task(handler) for handler in self._plan.handlers)
        plan = Plan(handlers, self._plan.wrappers)
        whole = self._loop.create_task(dispatch(event, plan, ctx, self._law, self._report, running))
        try:
            await self._wait({whole})
            await self._wait(set(self._telling))
        finally:
            behind = self._leave_behind(whole, running.handler)
        for one in dict.fromkeys(behind):
            text = f"the handler did not end within {self._limit_s:g} s and was left behind"
            self._report(Failure(one.owner, one.event, text, "overdue"))
        if whole.done() and not whole.cancelled():
            whole.result()
        return tuple(dict.fromkeys(one.owner for one in behind))

    async def _wait(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Wait for tasks until they end or the time is up; never for what they raise."""
        if tasks:
            await asyncio.wait(tasks, timeout=max(0.0, self._end - self._loop.time()))

    def _in_a_task(self, handler: Handler) -> Handler:
        async def call(event: Any, ctx: Any) -> None:
            share_s = max(0.0, self._end - self._loop.time()) / max(1, self._to_tell)
            self._to_tell -= 1
            task = self._loop.create_task(_call(handler, event, ctx), name=f"shutdown:{handler.owner}")
            self._telling[task] = handler
            await asyncio.wait({task}, timeout=share_s)
            if not task.done():
                task.add_done_callback(self._ended_late)
                return
            del self._telling[task]
            error = _failure_of(task)
            if error is not None:
                raise error

        return Handler(call, handler.owner, handler.event, handler.target)

    def _ended_late(self, task: asyncio.Task[Any]) -> None:
        """A handler ended while others were told; its failure is reported like any other."""
        handler, error = self._telling.pop(task, None), _failure_of(task)
        if handler is not None and error is not None:
            self._report(Failure(handler.owner, handler.event, text_of_error(error), error=error))

    def _leave_behind(
        self, whole: asyncio.Task[Any], running: Handler | Wrapper | None
    ) -> list[Handler | Wrapper]:
        """Cancel and hand over what has not ended; returns whose it is."""
        left, self._telling = self._telling, {}
        tasks: dict[asyncio.Task[Any], Handler | Wrapper] = dict(left.items())
        if not whole.done() and isinstance(running, Wrapper):
            tasks[whole] = running
        for task in (whole, *tasks):
            if not task.done():
                task.cancel()
                self._adopt(task)
        return list(tasks.values())


async def _call(handler: Handler, event: Any, ctx: Any) -> BaseException | None:
    """Call a handler to its end; returns why it failed, as a task that raises SystemExit ends the loop."""
    try:
        answer: Any = handler.call(event, ctx)
        if is_awaitable(answer):
            await answer
    except FAILURES as error:  # reported by whoever looks at the task
        pass_interrupt(error)
        return error
    return None


def _failure_of(task: asyncio.Task[BaseException | None]) -> BaseException | None:
    """Why a handler failed; None if it did not, or was cancelled by somebody."""
    return None if task.cancelled() else task.result()
