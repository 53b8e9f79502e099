"""Moves the time of an event loop, so that a test of timers waits for nothing.

Time goes on as ever, but while `advance` moves it: then it stands, and goes from one timer to the next, so
that what repeats every second happens ten times in ten seconds. Clocks that an extension reads by itself
are not moved.

Touches: the event loop.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from typing import Any, Final

TURNS: Final = 25
"""How many turns of the loop what a timer started may take to go on, before the next timer is due."""


ROUNDING_S: Final = 1e-6
"""How much five times sixty seconds may differ from three hundred."""


class Clock:
    """The clock of one loop, from `start` to `stop`. Timers set while it is started are known to it."""

    def __init__(self) -> None:
        self.ahead_s = 0.0
        """How far it was moved, in seconds."""
        self._loop: Any = None
        self._standing: float | None = None
        self._time: Callable[[], float] = lambda: 0.0
        self._call_at: Callable[..., asyncio.TimerHandle]
        self._due: list[float] = []

    def start(self) -> None:
        """Take over the running loop, if it is one of asyncio's own; the clock of another cannot be moved."""
        loop: Any = asyncio.get_running_loop()
        if isinstance(loop, asyncio.BaseEventLoop):
            self._loop, self._time, self._call_at = loop, loop.time, loop.call_at
            loop.time, loop.call_at = self.time, self._note  # type: ignore[method-assign, assignment]  # this loop only

    def stop(self) -> None:
        """Give the loop back; its time does not jump back while timers wait, it only stops being moved."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_at = self._call_at
            loop.time = self._time if not self.ahead_s else self.time

    def time(self) -> float:
        """The time of the loop, in seconds."""
        return self._time() + self.ahead_s if self._standing is None else self._standing

    async def advance(self, seconds: float) -> None:
        """Let so many seconds pass: every timer that is due fires, in order, each at its time.

        Raises: RuntimeError outside of `start` and `stop`.
        """
        if self._loop is None:
            raise RuntimeError("this clock is not the one of a running asyncio loop, so it cannot be moved")
        now = self._standing = self.time()  # stands still, or the fifth minute would not be over after five
        target = now + seconds
        try:
            await _turns()  # what was started just now sets its timers first
            while self._due and self._due[0] <= target + ROUNDING_S:
                self._standing = now = max(now, heapq.heappop(self._due))
                await _turns()
            self._standing = now = max(now, target)
            await _turns()
        finally:
            self._standing = None
            self.ahead_s = now - self._time()

    def _note(self, when: float, *rest: Any, **more: Any) -> asyncio.TimerHandle:
        heapq.heappush(self._due, when)
        return self._call_at(when, *rest, **more)


async def _turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)
