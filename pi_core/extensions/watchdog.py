"""One watch a session over the time that handlers take, at next to no cost for those in time.

A dispatch enters and leaves; nothing else is done for a handler. While dispatches are
open the watch ticks and looks which handler each of them is in. It counts its own ticks and
not the clock: while one handler blocks the loop the watch cannot tick, so nobody else is
blamed for that time. Of dispatches that wait for each other only the innermost is judged, and
none while it waits for a person or a program.

A handler past its time is cancelled as `asyncio.timeout` does it, then pressed, and closed
in the end. What that means for the dispatch is up to the law of the event.

Touches: the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from types import CoroutineType
from typing import Any, Final, Protocol

from pi_core.dispatch.flow import dispatch
from pi_core.dispatch.plan import Failure, FailureKind, Handler, HandlerInterrupted, Wrapper
from pi_core.dispatch.timing import Running
from pi_core.dispatch.wrapping import surround
from pi_core.extensions.budgets import Budgets
from pi_core.extensions.stalls import PERIOD_S, StallSampler, StallWatch

LINGER_S: Final = 1.0
"""How long the watch goes on ticking after the last dispatch: the next one usually follows."""
ABORT_GRACE_S: Final = 0.2
"""How long a handler may take to end after an abort before it is interrupted."""
PRESSES: Final = 3
"""How often a handler that swallows its cancellation is pressed; the last time it is closed."""
_DISPATCHING: Final = (dispatch.__code__, surround.__code__)


class Ticks(Protocol):
    """The clock of a watch; a test may have one that it turns by hand."""

    @property
    def period_s(self) -> float:
        """Seconds from one tick to the next."""
        ...

    def later(self, tick: Callable[[], None]) -> Callable[[], object]:
        """Call `tick` once, a period from now, in the running loop. What is returned calls it off."""
        ...


class LoopTicks:
    """Ticks of the running loop."""

    def __init__(self, period_s: float = PERIOD_S) -> None:
        self.period_s = period_s

    def later(self, tick: Callable[[], None]) -> Callable[[], object]:
        return asyncio.get_running_loop().call_later(self.period_s, tick).cancel


class Watched(Running):
    """A dispatch under way, and what the watch knows of it."""

    task: asyncio.Task[Any] | None = None
    outer: Watched | None = None
    """The dispatch in the same task that waits for this one."""
    cancelling: int = 0
    """How many cancellations the task had pending when the dispatch began."""
    work: Coroutine[Any, Any, Any] | None = None
    seen: Handler | Wrapper | None = None
    """The handler that ran at the last tick, for `ticks` ticks that count."""
    ticks: int = 0
    pauses: int = 0
    aborted: Handler | Wrapper | None = None
    """The handler that ran when the session was aborted, `grace` ticks before it is interrupted."""
    grace: int = 0


class Cancelled:
    """The interruption of one handler: `presses` cancellations of its task, to be taken back."""

    def __init__(self, watched: Watched, task: asyncio.Task[Any], error: HandlerInterrupted) -> None:
        self.watched = watched
        self.task = task
        self.error = error
        self.presses = 0
        self.since = 0

    def press(self) -> None:
        """Cancel the task, so that the handler in which it waits is cancelled."""
        self.presses += 1
        self.since = 0
        self.task.cancel()

    def settle(self, error: BaseException | None) -> BaseException:
        """Implements `Interruption`. The traceback shows where the handler waited."""
        for _ in range(self.presses):
            self.task.uncancel()
        if self.task.cancelling() > self.watched.cancelling:
            raise asyncio.CancelledError from None
        if error is not None:
            self.error.__traceback__ = error.__traceback__
            if not isinstance(error, asyncio.CancelledError):
                self.error.__cause__ = error
        return self.error


class Watch:
    """Watches the dispatches of one load. `report` hears of slow and blocking handlers.

    `budgets` may be replaced at any time; they count from the next tick on.
    """

    def __init__(
        self,
        report: Callable[[Failure], None],
        budgets: Budgets | None = None,
        ticks: Ticks | None = None,
        stalls: StallWatch | None = None,
    ) -> None:
        self.budgets = budgets or Budgets()
        self._report = report
        self._ticks: Ticks = ticks or LoopTicks()
        self._stalls: StallWatch = stalls or StallSampler(lambda: self.budgets.block_s, self.owns)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lanes: dict[asyncio.Task[Any], Watched] = {}
        self._call_off: Callable[[], object] | None = None
        self._idle_ticks = 0
        self._told: set[tuple[str, str, FailureKind]] = set()

    # the way of a dispatch

    def enter(self) -> Watched:
        """A dispatch begins in the current task; without a task it is not watched."""
        watched = Watched()
        task = None if self._loop is None else asyncio.current_task(self._loop)
        if task is None:
            task = self._begin()
            if task is None:
                return watched
        watched.task = task
        watched.cancelling = task.cancelling()
        watched.outer = self._lanes.get(task)
        self._lanes[task] = watched
        return watched

    def leave(self, watched: Watched) -> None:
        """The dispatch has ended, in whichever way."""
        task = watched.task
        if task is None:
            return
        if watched.outer is None:
            self._lanes.pop(task, None)
        else:
            self._lanes[task] = watched.outer
        watched.handler = watched.work = None
        if isinstance(watched.interruption, Cancelled):  # only an interrupt of the process leaves one behind
            for _ in range(watched.interruption.presses):
                task.uncancel()

    def owns(self, running: Running) -> bool:
        """Whether this is the innermost dispatch of a task, and one of ours."""
        if not isinstance(running, Watched) or running.task is None:
            return False
        return self._lanes.get(running.task) is running

    # waiting that does not count

    def current(self) -> Watched | None:
        """The innermost dispatch of the current task, if there is one."""
        try:
            task = asyncio.current_task()
        except RuntimeError:
            return None
        return None if task is None else self._lanes.get(task)

    def running_handlers_of(self, owner: str) -> list[Watched]:
        """The innermost dispatches that are in a handler of this extension."""
        return [one for one in self._lanes.values() if one.handler is not None and one.handler.owner == owner]

    @contextmanager
    def pausing(self, *waiting: Watched | None) -> Iterator[None]:
        """Count no time of these while the block runs; if none of them is open, of the current dispatch."""
        open_ones = [one for one in waiting if one is not None and one.handler is not None]
        paused = open_ones or [one for one in (self.current(),) if one is not None]
        for one in paused:
            one.pauses += 1
        try:
            yield
        finally:
            for one in paused:
                one.pauses -= 1

    # ticks

    def _begin(self) -> asyncio.Task[Any] | None:
        """Start ticking in the running loop; returns the current task, None where there is no loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return None
        self.stop()
        self._loop = loop
        self._idle_ticks = 0
        self._lanes = {task: one for task, one in self._lanes.items() if task.get_loop() is loop}
        self._call_off = self._ticks.later(self.tick)
        self._stalls.begin()
        return asyncio.current_task(loop)

    def close(self) -> None:
        """Stop ticking now if no dispatch is open, else when the last one has ended."""
        if not self._lanes:
            self.stop()

    def stop(self) -> None:
        """Stop ticking. A dispatch that begins later makes it tick again."""
        if self._call_off is not None:
            self._call_off()
            self._call_off = None
            self._tell_stalls()
        self._loop = None
        self._stalls.end()

    def tick(self) -> None:
        """Look at every dispatch that is open; called by the ticks."""
        if self._loop is None:
            return
        self._idle_ticks = 0 if self._lanes else self._idle_ticks + 1
        if self._idle_ticks * self._ticks.period_s >= LINGER_S:
            self.stop()
            return
        self._call_off = self._ticks.later(self.tick)  # first, as a listener of reports may raise
        for watched in tuple(self._lanes.values()):
            if watched.handler is not None:
                self._look(watched, watched.handler)
        self._tell_stalls()

    def _look(self, watched: Watched, handler: Handler | Wrapper) -> None:
        if watched.seen is not handler:
            watched.seen, watched.ticks = handler, 0
        elif not watched.pauses:
            watched.ticks += 1
        if isinstance(watched.interruption, Cancelled):
            self._press_on(watched, watched.interruption)
            return
        if watched.aborted is handler:
            watched.grace -= 1
            if watched.grace <= 0:
                text = "the handler was interrupted, as it went on after the abort"
                self._interrupt(watched, HandlerInterrupted(text, "interrupted"))
            return
        if watched.pauses:
            return
        spent_s = watched.ticks * self._ticks.period_s
        limit_s = self.budgets.limit_s(handler.event)
        if spent_s >= limit_s:
            text = f"the handler gave no answer within {limit_s:g} s and was interrupted"
            self._interrupt(watched, HandlerInterrupted(text))
        elif spent_s >= self.budgets.warning_s(handler.event):
            text = f"the handler has been busy for {self.budgets.warn_s:g} s, and the stream waits for it"
            self._tell_once(handler, "slow", text)

    # interruptions

    def abort(self, grace_s: float = ABORT_GRACE_S) -> None:
        """Interrupt every handler that still runs after `grace_s`, also one without a limit, or paused."""
        for watched in self._lanes.values():
            for one in _outwards(watched):
                one.aborted, one.grace = one.handler, round(grace_s / self._ticks.period_s)

    def _interrupt(self, watched: Watched, error: HandlerInterrupted) -> None:
        if watched.task is not None:
            watched.interruption = Cancelled(watched, watched.task, error)
            watched.interruption.press()

    def _press_on(self, watched: Watched, interruption: Cancelled) -> None:
        """The handler does not end: cancel it again, and close it when it will not be cancelled."""
        interruption.since += 1
        if interruption.since * self._ticks.period_s < self.budgets.warn_s or watched.handler is None:
            return
        if interruption.presses > PRESSES:
            text = "the handler swallows its interruption and holds the session; only an end of pi ends it"
            self._tell_once(watched.handler, "overdue", text)
            return
        if interruption.presses == PRESSES and isinstance(watched.handler, Handler):
            _close(watched)
        interruption.press()

    # reports

    def _tell_stalls(self) -> None:
        for stall in self._stalls.beat():
            place = "" if stall.where is None else f" at {stall.where}"
            text = f"the handler held up the whole program for {stall.seconds:.1f} s{place}"
            self._tell_once(stall.handler, "blocking", text)

    def _tell_once(self, handler: Handler | Wrapper, kind: FailureKind, text: str) -> None:
        key = (handler.owner, handler.event, kind)
        if key not in self._told:
            self._told.add(key)
            self._report(Failure(handler.owner, handler.event, text, kind))


def _outwards(watched: Watched | None) -> Iterable[Watched]:
    while watched is not None:
        yield watched
        watched = watched.outer


def _close(watched: Watched) -> None:
    """Close the coroutine of the handler in which the dispatch waits, as far as it lets itself be closed."""
    waited_for: Any = watched.work
    while isinstance(waited_for, CoroutineType) and waited_for.cr_code in _DISPATCHING:
        waited_for = waited_for.cr_await
    if isinstance(waited_for, CoroutineType):
        try:
            waited_for.close()
        except BaseException:  # noqa: BLE001 - whatever it does at its end, the dispatch hears how it ended
            return
