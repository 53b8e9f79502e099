"""Everything that one accepted prompt causes: a run, the runs that follow from it, and the settling.

At most one activity goes on at a time. It begins before the extensions are asked about the run and
ends when nothing automatic is left; what is asked for while it settles waits until it has.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from hookspecs.events.agent import AgentSettled as SettledForExtensions
from hookspecs.messages import Message
from pi_core.abort import AbortController, AbortSignal
from pi_core.agent.agent import Agent
from pi_core.errors import BusyError
from pi_core.session.boundary import Boundary, outcome_of
from pi_core.session.errands import Errands
from pi_core.session.events import AgentSettled
from pi_core.session.generation import SessionParts
from pi_core.session.recovery import Recovery


class Activities:
    """The activities of one session. `after` is called when one ends, before anybody is told."""

    def __init__(
        self,
        agent: Agent,
        parts: SessionParts,
        boundary: Boundary,
        errands: Errands,
        recovery: Recovery,
        after: Callable[[], None],
    ) -> None:
        self._recovery = recovery
        self._agent = agent
        self._parts = parts
        self._boundary = boundary
        self._errands = errands
        self._after = after
        self._controller: AbortController | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self._turn_of_deferred = asyncio.Lock()
        self._settling = False

    @property
    def busy(self) -> bool:
        """True from the acceptance of a prompt to the moment at which the session settles."""
        return self._controller is not None

    @property
    def settling(self) -> bool:
        """Whether extensions are being told that the session settled."""
        return self._settling

    @property
    def signal(self) -> AbortSignal | None:
        """The signal of the run that goes on; None between runs."""
        return self._agent.signal

    async def run(self, opening: Callable[[], Awaitable[Sequence[Message]]]) -> None:
        """One activity; `opening` makes the messages that begin its first run.

        Raises: BusyError; what `opening` raises.
        """
        if self.busy:
            raise BusyError
        self._controller = controller = AbortController()
        self._idle.clear()
        try:
            await self._recovery.begin(controller.signal)
            await self._drive(await opening(), controller)
        except asyncio.CancelledError:
            controller.abort()
            raise
        finally:
            await self._settle(controller.signal.aborted)

    async def _drive(self, messages: Sequence[Message], controller: AbortController) -> None:
        new = await self._agent.run(messages, controller=controller)
        while await self._goes_on(new, controller.signal):
            new = await self._agent.run(controller=controller)

    async def _goes_on(self, messages: Sequence[Message], signal: AbortSignal) -> bool:
        """Do what follows a run with these messages; True if another run does."""
        again = await self._recovery.after_run(messages)
        if signal.aborted:
            return False
        if again or self._waiting():
            return True
        last = self._agent.state.messages[-1] if self._agent.state.messages else None
        wanted = await self._boundary.before_settle(outcome_of(last))
        return not signal.aborted and (wanted or bool(self._waiting()))

    def _waiting(self) -> int:
        return len(self._agent.steering) + len(self._agent.follow_ups)

    async def _settle(self, aborted: bool) -> None:
        self._recovery.end()
        self._agent.state.messages += self._boundary.flush()
        self._after()
        self._controller = None
        self._settling = True
        try:
            if self._parts.hears("agent_settled"):
                await self._parts.runner.emit(SettledForExtensions(aborted=aborted))
            self._parts.channel.tell(AgentSettled(aborted=aborted))
        finally:
            self._settling = False
            self._idle.set()

    def abort(self) -> None:
        """Ask the activity to end; nothing happens when there is none. What is queued stays queued."""
        if self._controller is not None:
            self._controller.abort()

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Begin some work on behalf of an extension; whoever wants may wait for the task.

        Work that is asked for while the session settles begins afterwards, one after another.
        """
        if self._settling:
            return self._errands.start(lambda: self._later(work))
        return self._errands.start(work)

    async def _later(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async with self._turn_of_deferred:
            await self._idle.wait()
            await work()

    async def settled(self) -> None:
        """Return when no activity goes on and nobody is being told that one settled."""
        await self._idle.wait()

    @property
    def quiet(self) -> bool:
        """Whether `settled` would return at once."""
        return self._idle.is_set()

    async def wait_for_idle(self, asking: asyncio.Task[Any] | None = None) -> None:
        """Return when nothing goes on and nothing that was started is left, but the work that asks.

        `asking` is the task of that work, where it is not the current one.
        """
        while True:
            await self._idle.wait()
            others = self._errands.others(asking)
            if not others:
                return
            await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)

    def drop(self, asking: asyncio.Task[Any] | None = None) -> None:
        """Cancel what was started and has not ended, but the work that asks."""
        for task in self._errands.others(asking):
            task.cancel()
