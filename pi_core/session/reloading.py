"""Reloads of a running session: everything is loaded anew beside what works, and then takes its place.

A reload waits for a quiet moment. Until the new generation stands nothing is told to stop, so one
that cannot be built changes nothing. From then on the exchange goes through to its end, whatever
the extensions of the old generation do.

Touches: whatever loading extensions touches.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, Protocol

from hookspecs.context import ReloadOutcome
from hookspecs.events.session import SessionShutdown
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.errors import ReloadGivenUpError
from pi_core.session.activity import Activities
from pi_core.session.doorway import Doorway
from pi_core.session.generation import Generation, SessionParts, Source, Staged

END_LIMIT_S: Final = 10.0
"""How long the end of a session waits for an exchange that is under way."""


class Life(Protocol):
    """What the session does around an exchange."""

    def leave(self) -> None:
        """The extensions were told; what they show is taken off the screen."""
        ...

    def enter(self, old: Generation) -> None:
        """The new generation is the one in force: bind it, and let it go on where `old` was."""
        ...

    async def begin(self) -> None:
        """Tell the extensions of the new generation that they are there."""
        ...


class Reloading:
    """The reloads of one session, one after another."""

    def __init__(
        self, parts: SessionParts, source: Source, doorway: Doorway, activities: Activities, life: Life
    ) -> None:
        self._parts = parts
        self._source = source
        self._doorway = doorway
        self._activities = activities
        self._life = life
        self._turn = asyncio.Lock()
        self._waiting: asyncio.Task[Exception | None] | None = None
        self._running: asyncio.Task[Exception | None] | None = None
        self._exchanging = False

    # asking for one

    async def now(self) -> None:
        """Reload as soon as nothing goes on, and return when that is done.

        Raises: SettingsError, GuardLostError, TrustError, ReloadGivenUpError; everything is as it was then.
        """
        task = self._next()
        await asyncio.wait({task})
        if task.cancelled():
            raise ReloadGivenUpError
        error = task.result()
        if error is not None:
            raise error

    async def asked(self) -> ReloadOutcome:
        """The same for an extension, which must not wait for its own end: later, unless it can be now."""
        if self._doorway.empty and self._activities.quiet and self._running is None:
            await self.now()
            return "done"
        self._next().add_done_callback(self._tell)
        return "scheduled"

    async def let_through(self) -> None:
        """Wait for the reload that is under way, and for one that only waits for its turn.

        For whoever comes from outside; returns at once inside of a reload.
        """
        while (task := self._in_front()) is not None:
            await asyncio.wait({task})

    async def finished(self) -> bool:
        """Wait for a reload, also for one that waits for the present activity; False if there is none."""
        task = self._running or self._waiting
        if task is None or task is asyncio.current_task():
            return False
        await asyncio.wait({task})
        return True

    def give_up(self) -> None:
        """Stop a reload that still loads. What waits goes on waiting, and an exchange goes on."""
        if self._running is not None and not self._exchanging:
            self._running.cancel()

    async def end(self) -> None:
        """Give up, and let an exchange that is under way end first. Always returns."""
        found = {self._waiting, self._running} - {asyncio.current_task()}
        tasks = {task for task in found if task is not None}
        self.give_up()
        if self._waiting is not None:
            self._waiting.cancel()
        if tasks:
            self._parts.runner.abort()
            await asyncio.wait(tasks, timeout=END_LIMIT_S)

    # inside

    def _in_front(self) -> asyncio.Task[Any] | None:
        task = self._running or (self._waiting if self._activities.quiet else None)
        return None if task is asyncio.current_task() else task

    def _next(self) -> asyncio.Task[Exception | None]:
        """The reload that has not begun yet: who asks for one before it does is served by it, too."""
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().create_task(self._run(), name="pi-reload")
            self._waiting.add_done_callback(self._forget)
        return self._waiting

    def _forget(self, task: asyncio.Task[Any]) -> None:
        if self._waiting is task:
            self._waiting = None
        if self._running is task:
            self._running, self._exchanging = None, False

    def _tell(self, task: asyncio.Task[Exception | None]) -> None:
        """Nobody waits for a reload that was put off, so its failure is reported."""
        error = None if task.cancelled() else task.result()
        if error is not None:
            self._parts.channel.report(Failure("<runtime>", "reload", text_of_error(error), error=error))

    async def _run(self) -> Exception | None:
        """One reload; what kept it from happening is returned, as several may wait for it."""
        async with self._turn:
            try:
                async with self._doorway.shut(self._activities.settled, lambda: self._activities.quiet):
                    self._running, self._waiting, self._exchanging = self._waiting, None, False
                    staged = await self._source.stage(self._parts)
                    error = await self._exchange(staged)
                await self._life.begin()
            except Exception as failure:  # noqa: BLE001 - raised by whoever asked, or reported
                return failure
        return error

    async def _exchange(self, staged: Staged) -> Exception | None:
        """From here on there is no way back. Returns what a listener raised at the end of the old one."""
        self._exchanging = True
        old, error = self._parts.generation, None
        try:
            await old.runner.shutdown(SessionShutdown(reason="reload"))
        except Exception as raised:  # noqa: BLE001 - the exchange takes place all the same
            error = raised
        finally:
            self._life.leave()
            self._parts.generation = staged.generation
            old.runner.invalidate()
            staged.adopt()
            self._life.enter(old)
        await old.runner.close()
        return error
