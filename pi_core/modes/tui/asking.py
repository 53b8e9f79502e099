"""Dialogs on behalf of an extension: answered by the person, or ended by time, a signal or the session's end.

Touches: the screen, the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from textual.screen import Screen

from pi_core.modes.tui.desk import Desk

T = TypeVar("T")


class Asking:
    """The dialogs of extensions that are open. A later one stands on top of an earlier one."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._open: set[asyncio.Future[Any]] = set()

    async def ask(self, screen: Screen[T | None], *, signal: Any = None) -> T | None:
        """The answer of a screen; None if the signal is aborted, or the session ends, before there is one."""
        if signal is not None and signal.aborted:
            return None
        answer = asyncio.ensure_future(_awaited(self._desk.open_dialog(screen)))
        self._open.add(answer)
        stop = signal.on_abort(lambda *_: answer.cancel()) if signal is not None else None
        try:
            return await answer
        except asyncio.CancelledError:
            if answer.cancelled() and not _is_cancelling():
                return None
            answer.cancel()
            raise
        finally:
            self._open.discard(answer)
            if stop is not None:
                stop()

    def end(self) -> None:
        """Take all of them away; whoever waits gets None."""
        for answer in tuple(self._open):
            answer.cancel()


async def _awaited(answer: Awaitable[T | None]) -> T | None:
    return await answer


def _is_cancelling() -> bool:
    """Whether the task that asks is cancelled itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
