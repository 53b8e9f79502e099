"""What becomes of a prompt before a model sees it: a command, the extensions' say, expansion.

Touches: the skill files that are expanded.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from typing import Literal

from hookspecs.events.input import Input, InputSource
from hookspecs.messages import ImageContent, TextContent, UserContent, UserMessage
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.outcomes import InputOutcome
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.dispatch.timing import is_cancelled
from pi_core.extensions.runner import Runner
from pi_core.prompts.skills import SkillExpansionError
from pi_core.session.generation import SessionParts

QueueName = Literal["steer", "follow_up"]


class Prompting:
    """The first stations of a prompt, through the extensions of the moment."""

    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts

    @property
    def _runner(self) -> Runner:
        return self._parts.runner

    def is_command(self, text: str) -> bool:
        """Whether the text calls a command of an extension."""
        return text.startswith("/") and self._runner.registry.find_command(_split(text)[0]) is not None

    async def run_command(self, text: str) -> bool:
        """Run the command that the text calls; False if it calls none. A failure is reported."""
        name, args = _split(text)
        command = self._runner.registry.find_command(name) if text.startswith("/") else None
        if command is None:
            return False
        try:
            answer = command.definition.handler(args, self._runner.command_context())
            if inspect.isawaitable(answer):
                await answer
        except asyncio.CancelledError as error:
            if is_cancelled():
                raise
            text = "what it waited for was cancelled, as its session ended"
            self._runner.report(Failure(f"command:{name}", "command", text, error=error))
        except FAILURES as error:  # reported; a command ends no session
            pass_interrupt(error)
            self._runner.report(Failure(f"command:{name}", "command", text_of_error(error), error=error))
        return True

    async def hear(
        self,
        text: str,
        images: Sequence[ImageContent],
        source: InputSource,
        waiting_as: QueueName | None,
    ) -> InputOutcome:
        """What the extensions make of the input. `waiting_as` names the queue while a run is on."""
        given = list(images) or None
        if not self._runner.has_handlers("input"):
            return InputOutcome("continue", text, given)
        event = Input(
            text=text,
            source=source,
            images=given,
            streaming_behavior=None
            if waiting_as is None
            else "steer"
            if waiting_as == "steer"
            else "followUp",
        )
        outcome: InputOutcome = await self._runner.emit(event)
        return outcome

    def expanded(self, text: str) -> str:
        """The text with its skill or template filled in; a failure is reported and leaves it as it is."""
        try:
            return self._parts.system.expand(text)
        except SkillExpansionError as error:
            self._runner.report(Failure("<runtime>", "skill_expansion", text_of_error(error), error=error))
            return text


def user_message(text: str, images: Sequence[ImageContent], timestamp: int) -> UserMessage:
    """A prompt as a message: the text, then the images."""
    content: list[UserContent] = [TextContent(text=text), *images]
    return UserMessage(content=content, timestamp=timestamp)


def _split(text: str) -> tuple[str, str]:
    """The name behind the slash, and everything behind the first blank as it is."""
    name, _, args = text[1:].partition(" ")
    return name, args
