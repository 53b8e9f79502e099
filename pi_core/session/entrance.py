"""The way of a prompt into the session: a command, a queue, or an activity of its own.

Touches: the skill files that are expanded, and whatever follows from a prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from hookspecs.events.input import InputSource
from hookspecs.messages import CustomMessage, ImageContent, Message, UserMessage
from hookspecs.values import dataclass
from pi_core.agent.agent import Agent, now_ms
from pi_core.errors import BusyError, CommandNotQueuedError
from pi_core.session.activity import Activities
from pi_core.session.boundary import Boundary
from pi_core.session.delivery import Delivery
from pi_core.session.doorway import Doorway
from pi_core.session.generation import SessionParts
from pi_core.session.prompting import Prompting, QueueName, user_message
from pi_core.session.reloading import Reloading
from pi_core.session.run_opening import RunOpening

Disposition: TypeAlias = Literal["handled", "queued", "started"]
"""What became of a prompt: an extension dealt with it, it waits, or it ran (and has ended)."""
Accepted: TypeAlias = Callable[[Disposition], None]
"""Is told what becomes of a prompt as soon as that is known, before a run that it starts."""


@dataclass(frozen=True, slots=True)
class Said:
    """One prompt. `deliver_as` says where it waits while a run is on; `on_accepted` see `Session.prompt`."""

    text: str
    images: Sequence[ImageContent] = ()
    source: InputSource = "interactive"
    deliver_as: QueueName | None = None
    expand: bool = True
    on_accepted: Accepted | None = None

    def accept(self, disposition: Disposition) -> None:
        """Tell whoever wants to know."""
        if self.on_accepted is not None:
            self.on_accepted(disposition)


class Entrance:
    """The entrance of one session. `check_open` raises once the session was shut down."""

    def __init__(
        self,
        parts: SessionParts,
        agent: Agent,
        activities: Activities,
        boundary: Boundary,
        opening: RunOpening,
        doorway: Doorway,
        reloading: Reloading,
        check_open: Callable[[str], None],
    ) -> None:
        self._parts = parts
        self._activities = activities
        self._opening = opening
        self._doorway = doorway
        self._reloading = reloading
        self._check_open = check_open
        self._prompting = Prompting(parts)
        self.delivery = Delivery(agent, activities, boundary, self._begin_with_custom)

    async def prompt(self, said: Said) -> Disposition:
        """Take a prompt in and wait for everything that follows from it.

        Raises: BusyError, DisposedError, ModelChoiceError.
        """
        if said.source != "extension":
            await self._reloading.let_through()
        self._check_open("prompt")
        if said.expand and await self._prompting.run_command(said.text):
            said.accept("handled")
            return "handled"
        async with self._doorway.inside():
            self._check_open("prompt")
            return await self._inside(said)

    async def queue(self, said: Said, deliver_as: QueueName) -> Disposition:
        """Put a message into a queue, whether a run is on or not: the next prompt brings it along.

        Raises: CommandNotQueuedError, DisposedError.
        """
        await self._reloading.let_through()
        self._check_open("queue")
        if self._prompting.is_command(said.text):
            raise CommandNotQueuedError(said.text)
        async with self._doorway.inside():
            self._check_open("queue")
            outcome = await self._prompting.hear(said.text, said.images, said.source, deliver_as)
            if outcome.action == "handled":
                return "handled"
            text = self._prompting.expanded(outcome.text)
            await self.delivery.queue(user_message(text, outcome.images or (), now_ms()), deliver_as)
            return "queued"

    async def _inside(self, said: Said) -> Disposition:
        waiting_as = said.deliver_as if self._activities.busy else None
        outcome = await self._prompting.hear(said.text, said.images, said.source, waiting_as)
        if outcome.action == "handled":
            said.accept("handled")
            return "handled"
        text = self._prompting.expanded(outcome.text) if said.expand else outcome.text
        message = user_message(text, outcome.images or (), now_ms())
        if self._activities.busy:
            if said.deliver_as is None:
                raise BusyError
            await self.delivery.queue(message, said.deliver_as)
            said.accept("queued")
            return "queued"
        self._check_model()
        await self._begin(message, outcome.images, "user", said.accept)
        return "started"

    async def _begin_with_custom(self, message: CustomMessage) -> None:
        async with self._doorway.inside():
            await self._begin(message, None, "custom")

    async def _begin(
        self,
        message: UserMessage | CustomMessage,
        images: list[ImageContent] | None,
        message_type: Literal["user", "custom"],
        accept: Accepted | None = None,
    ) -> None:
        async def opening() -> Sequence[Message]:
            waiting = self.delivery.take_next_turn()
            messages = await self._opening.messages(message, waiting, images, message_type)
            if accept is not None:
                accept("started")
            return messages

        await self._activities.run(opening)

    def _check_model(self) -> None:
        """Refuse a prompt that no model could answer. Raises: ModelChoiceError."""
        models = self._parts.models
        models.registry.check(models.model)
