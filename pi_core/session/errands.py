"""Work that extensions ask for and do not wait for: every piece is a task, and none is lost.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Errands:
    """The started work of one session."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._fresh = False

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Begin some work; whoever wants may wait for the task."""
        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._fresh = True
        return task

    async def let_in(self) -> None:
        """Give work that was started since the last time its first turn; nothing happens without any."""
        if self._fresh:
            self._fresh = False
            await asyncio.sleep(0)

    def others(self, asking: asyncio.Task[Any] | None = None) -> set[asyncio.Task[Any]]:
        """What is under way, but the current task and the one that asks."""
        return self._tasks - {asyncio.current_task(), asking}
