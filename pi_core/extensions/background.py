"""Work that an extension started and that goes when the extension goes: tasks and timers.

A failure in the background is reported like one in a handler and ends nothing else.

Touches: the event loop.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeAlias, TypeVar, cast

from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.extensions.registrations import Extension
from pi_core.extensions.subscription import Subscription

T = TypeVar("T")
ReportTask: TypeAlias = Callable[[Extension | None, str, BaseException], None]
STOP_GRACE_S: Final = 1.0
"""How long cancelled work may take to end before it is left behind."""


class Background:
    """The running work of all extensions of a load. `report` hears (owner, label, error)."""

    def __init__(self, report: ReportTask) -> None:
        self._report = report
        self._owners: dict[asyncio.Future[Any], Extension | None] = {}
        self._watched: set[asyncio.Future[Any]] = set()

    def spawn(self, owner: Extension | None, label: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a coroutine as the owner's task; its failure is reported under `label`.

        The task yields the coroutine's result, or None after a reported failure. Needs a running loop.
        """
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            work.close()  # or Python complains of a coroutine that nobody awaited
            raise
        task = loop.create_task(self._guard(owner, label, work), name=label)
        self._owners[task] = owner

        def done(task: asyncio.Future[Any]) -> None:
            self._owners.pop(task, None)
            work.close()  # a task that was cancelled before its first step never looked at it

        task.add_done_callback(done)
        return task

    def every(
        self, owner: Extension | None, seconds: float, tick: Callable[[], Any], label: str
    ) -> Subscription:
        """Call `tick` again and again, the first time after `seconds`; one call at a time."""
        task = self.spawn(owner, label, self._ticking(owner, seconds, tick, label))
        return Subscription(lambda: _cancel(task))

    def watch(self, owner: Extension | None, label: str, work: Awaitable[Any]) -> None:
        """Report under `label` if this fails. It is the host's own work, so nothing here cancels it."""
        future = asyncio.ensure_future(work)

        def done(future: asyncio.Future[Any]) -> None:
            self._watched.discard(future)
            error = None if future.cancelled() else future.exception()
            if error is not None:
                self._report(owner, label, error)

        self._watched.add(future)
        future.add_done_callback(done)

    def adopt(self, task: asyncio.Future[Any]) -> None:
        """Keep a task that would not end, so that it is not lost before it does; nobody asks how it ends."""

        def done(task: asyncio.Future[Any]) -> None:
            self._owners.pop(task, None)
            if not task.cancelled():
                task.exception()  # or asyncio complains that it was never looked at

        self._owners[task] = None
        task.add_done_callback(done)

    def owns_current_task(self) -> bool:
        """Whether the running task is work that an extension started."""
        return asyncio.current_task() in self._owners

    def tasks(self, owner: Extension | None = None) -> list[asyncio.Future[Any]]:
        """The running tasks of one extension, or of all."""
        return [
            task
            for task, theirs in self._owners.items()
            if (owner is None or theirs is owner) and not task.done()
        ]

    def cancel(self, owner: Extension | None = None) -> None:
        """Ask the tasks of one extension, or of all, to end. Never the task that asks."""
        for task in self.tasks(owner):
            _cancel(task)

    async def close(self, grace_s: float = STOP_GRACE_S) -> int:
        """Cancel everything and wait at most `grace_s`; returns how many tasks are left behind."""
        self.cancel()
        others = set(self.tasks()) - {asyncio.current_task()}
        if not others:
            return 0
        _, pending = await asyncio.wait(others, timeout=grace_s)
        return len(pending)

    async def _guard(self, owner: Extension | None, label: str, work: Coroutine[Any, Any, T]) -> T:
        try:
            return await work
        except FAILURES as error:  # background work ends no process
            pass_interrupt(error)
            self._report(owner, label, error)
            return cast("T", None)

    async def _ticking(
        self, owner: Extension | None, seconds: float, tick: Callable[[], Any], label: str
    ) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                answer = tick()
                if inspect.isawaitable(answer):
                    await answer
            except FAILURES as error:  # the next tick may be better
                pass_interrupt(error)
                self._report(owner, label, error)


def _cancel(task: asyncio.Future[Any]) -> None:
    try:
        current = asyncio.current_task()
    except RuntimeError:
        current = None  # asked from outside the loop
    if task is not current and not task.done():
        task.cancel()
