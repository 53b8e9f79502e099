"""A clock that a test turns by hand: a tick is a second, and thirty of them pass in a millisecond.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pi_core.dispatch.plan import Failure
from pi_core.extensions.actions import Finding, Runtime
from pi_core.extensions.budgets import Budgets
from pi_core.extensions.runner import Runner
from tests.core.extensions.support import running


class HandTicks:
    """Implements `Ticks`: nothing happens until somebody turns it."""

    period_s = 1.0

    def __init__(self) -> None:
        self.due: Callable[[], None] | None = None

    def later(self, tick: Callable[[], None]) -> Callable[[], object]:
        self.due = tick
        return self._call_off

    @property
    def ticking(self) -> bool:
        """Whether somebody waits for the next tick."""
        return self.due is not None

    def _call_off(self) -> None:
        self.due = None

    async def turn(self, seconds: int) -> None:
        """Let seconds pass, and all tasks run as far as they get in between."""
        for _ in range(seconds):
            await settled()
            tick, self.due = self.due, None
            if tick is not None:
                tick()
        await settled()


async def settled() -> None:
    """Let every task run until it waits."""
    for _ in range(6):
        await asyncio.sleep(0)


@dataclass
class Watched:
    """A runner whose clock is turned by hand, and everything that was reported."""

    runner: Runner
    clock: HandTicks
    findings: list[Finding]

    @property
    def failures(self) -> list[tuple[str, str, str]]:
        """Extension, event and kind of each failure."""
        return [(f.extension, f.event, f.kind) for f in self.findings if isinstance(f, Failure)]

    def start(self, event: Any) -> asyncio.Task[Any]:
        """Tell an event in a task of its own."""
        return asyncio.get_running_loop().create_task(self.runner.emit(event))


async def watched(*factories: Callable[..., Any], budgets: Budgets | None = None) -> Watched:
    """Extensions `<inline:1>`, `<inline:2>`, … under a watch; 30 ticks are the time of a handler."""
    clock = HandTicks()
    runner = await running(*factories, runtime=Runtime(ticks=clock, budgets=budgets))
    findings: list[Finding] = []
    runner.on_error(findings.append)
    return Watched(runner, clock, findings)


async def for_ever(event: Any = None, ctx: Any = None) -> None:
    """A handler that never ends by itself."""
    await asyncio.Event().wait()


def on(event: str, *handlers: Callable[..., Any]) -> Callable[[Any], None]:
    """A factory that registers handlers for one event, in order."""

    def factory(pi: Any) -> None:
        for handler in handlers:
            pi.on(event, handler)

    return factory
