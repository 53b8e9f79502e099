"""The messages with which a run begins: the prompt, what waited for it, and what extensions add.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from hookspecs.events import agent as on_agent
from hookspecs.messages import CustomMessage, ImageContent, Message, UserMessage, text_of
from pi_core.agent.agent import now_ms
from pi_core.agent.state import AgentState
from pi_core.dispatch.outcomes import AgentStartOutcome
from pi_core.dispatch.plan import Failure
from pi_core.session.foreign import as_custom_message
from pi_core.session.generation import SessionParts


class RunOpening:
    """Opens the runs of one session. `refresh` brings prompt and tools up to date."""

    def __init__(self, parts: SessionParts, state: AgentState, refresh: Callable[[], None]) -> None:
        self._parts = parts
        self._state = state
        self._refresh = refresh

    async def messages(
        self,
        message: UserMessage | CustomMessage,
        waiting: list[CustomMessage],
        images: list[ImageContent] | None,
        message_type: Literal["user", "custom"],
    ) -> list[Message]:
        """All of them in order. The extensions may also change the system prompt of this run."""
        opening: list[Message] = [message, *waiting]
        self._refresh()
        parts = self._parts
        if not parts.runner.has_handlers("before_agent_start"):
            return opening
        event: Any = on_agent.BeforeAgentStart(
            prompt=text_of(message.content),
            images=images,
            system_prompt=self._state.system_prompt,
            system_prompt_options=parts.system.options(parts.toolset),
            message_type=message_type,
        )
        event.render = parts.system.render
        outcome: AgentStartOutcome = await parts.runner.emit(event)
        parts.system.hold(outcome.options)
        self._refresh()
        return [*opening, *self._injected(outcome)]

    def _injected(self, outcome: AgentStartOutcome) -> list[Message]:
        added: list[Message] = []
        for given in outcome.messages:
            try:
                added.append(as_custom_message(given, now_ms()))
            except ValueError as error:
                self._parts.channel.report(Failure("<runtime>", "before_agent_start", str(error)))
        return added
