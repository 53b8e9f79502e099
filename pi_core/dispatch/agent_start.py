"""The law of before_agent_start: the system prompt is passed on, messages add up.

The prompt is rendered from the run's own copy of the options whenever somebody reads it,
so an edit of the options shows at once; a returned prompt is forced through the options.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from hookspecs.values import dataclass
from pi_core.dispatch.algebra import BaseFold, BaseLaw, Fold
from pi_core.dispatch.copying import copy_value
from pi_core.dispatch.fields import get, put, with_class
from pi_core.dispatch.outcomes import AgentStartOutcome
from pi_core.dispatch.plan import Handler, ReadOnlyField, Report, Wrapper

_FORCED = "force_system_prompt"


@dataclass(frozen=True, slots=True)
class AgentStartChain(BaseLaw):
    """The result is an AgentStartOutcome; the options of the caller are never changed.

    While the event is dispatched, its `current_prompt` gives the prompt as it stands.
    """

    def begin(self, event: Any, report: Report) -> Fold:
        return AgentStartFold(self, event, report)

    def nobody(self, event: Any) -> AgentStartOutcome:
        forced = get(event.system_prompt_options, _FORCED)
        prompt = event.system_prompt if forced is None else str(forced)
        return AgentStartOutcome((), prompt, event.system_prompt_options)

    def is_result(self, value: Any) -> bool:
        return isinstance(value, AgentStartOutcome)


class AgentStartFold(BaseFold):
    """Holds the options of the run and the messages so far."""

    __slots__ = ("forced_at_first", "messages", "options")

    fresh = True

    def __init__(self, law: AgentStartChain, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        options = event.system_prompt_options
        self.options: Any = {} if options is None else copy_value(options)
        self.forced_at_first = get(self.options, _FORCED)
        self.messages: list[Any] = []
        event.current_prompt = self.prompt

    def prompt(self) -> str:
        """The system prompt as it stands now."""
        forced = get(self.options, _FORCED)
        if forced is not None:
            return str(forced)
        render: Callable[[Any], str] | None = getattr(self.event, "render", None)
        return self.event.system_prompt if render is None else render(self.options)

    def hand(self) -> Any:
        changes = {"system_prompt_options": self.options, "_prompt": self.prompt}
        return with_class(self.event, live(self.event.__class__), changes)

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        found = self.read(answer, handler) or {}
        message = found.get("message")
        if message is not None:
            if get(message, "custom_type", get(message, "customType")) is None:
                self.wrong(handler, "the message must be a CustomMessage or a dict with a custom_type")
            else:
                self.messages.append(message)
        prompt = found.get("system_prompt")
        if isinstance(prompt, str):
            put(self.options, _FORCED, prompt)
        elif prompt is not None:
            self.wrong(handler, f"system_prompt must be text and is a {type(prompt).__name__}")
        return False

    def end(self) -> AgentStartOutcome:
        forced = get(self.options, _FORCED)
        overridden = forced is not None and forced != self.forced_at_first
        return AgentStartOutcome(tuple(self.messages), self.prompt(), self.options, overridden)


@cache
def live(cls: Any) -> type[Any]:
    """A subclass of the event whose `system_prompt` is rendered when read and cannot be assigned."""

    def read(event: Any) -> Any:
        return event.__dict__["_prompt"]()

    def refuse(event: Any, value: Any) -> NoReturn:
        raise ReadOnlyField(
            "system_prompt is computed; answer with AgentStart(system_prompt=…) or edit system_prompt_options"
        )

    return type(cls.__name__, (cls,), {"system_prompt": property(read, refuse), "__module__": cls.__module__})
