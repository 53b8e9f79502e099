"""How messages of extensions and of the person find their place: at once, in a queue, or held back.

Pure.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol

from hookspecs.context import DeliverAs
from hookspecs.messages import CustomMessage, Message
from pi_core.agent.agent import Agent
from pi_core.session.activity import Activities
from pi_core.session.boundary import Boundary


class Start(Protocol):
    """Begins an activity with a custom message."""

    def __call__(self, message: CustomMessage) -> Coroutine[Any, Any, None]: ...


class Delivery:
    """Routes messages of one session. `start` begins an activity with a custom message."""

    def __init__(self, agent: Agent, activities: Activities, boundary: Boundary, start: Start) -> None:
        self._agent = agent
        self._activities = activities
        self._boundary = boundary
        self._start = start
        self._next_turn: list[CustomMessage] = []

    def take_next_turn(self) -> list[CustomMessage]:
        """What was held back for the next prompt, oldest first; it is gone from here."""
        taken, self._next_turn = self._next_turn, []
        return taken

    @property
    def pending(self) -> int:
        """How many messages wait in the queues."""
        return len(self._agent.steering) + len(self._agent.follow_ups)

    async def custom(
        self, message: CustomMessage, *, trigger_turn: bool, deliver_as: DeliverAs | None
    ) -> None:
        """Deliver a message of an extension.

        While a run is on it steers or follows up if it asks so or wants a turn, and else waits for
        the end of the turn. When idle it begins an activity, or just joins the conversation.
        """
        if deliver_as == "next_turn":
            self._next_turn.append(message)
        elif self._activities.busy:
            if deliver_as is None and not trigger_turn:
                self._boundary.deferred.append(message)
            else:
                await self.queue(message, "follow_up" if deliver_as == "follow_up" else "steer")
        elif trigger_turn:
            await self._start(message)
        else:
            self._agent.state.messages.append(self._boundary.add(message))

    async def queue(self, message: Message, deliver_as: DeliverAs) -> None:
        """Put a message into a queue of the run that is on."""
        if deliver_as == "follow_up":
            await self._agent.follow_up(message)
        else:
            await self._agent.steer(message)
