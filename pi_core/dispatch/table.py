"""From the public row of an event to the value that carries out its law.

Pure.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any, Final

from hookspecs.events import EVENTS
from hookspecs.laws import LAWS, EventLaw
from pi_core.dispatch.agent_start import AgentStartChain
from pi_core.dispatch.algebra import Law, Notify
from pi_core.dispatch.answers import Shape
from pi_core.dispatch.chains import InputChain, MessageChain, MessagesChain, PayloadChain, ResultChain
from pi_core.dispatch.decisions import FirstBash, FirstTrust, Gate
from pi_core.dispatch.gathering import BoundaryLaw, Collect, Mutate

_CHAINS: Final[dict[str, type[Any]]] = {
    "input": InputChain,
    "context": MessagesChain,
    "before_provider_request": PayloadChain,
    "tool_result": ResultChain,
    "message_end": MessageChain,
    "before_agent_start": AgentStartChain,
}
_KNOWN: Final = {
    "tool_call": "block reason terminate",
    "session_before_switch": "cancel",
    "session_before_fork": "cancel skip_conversation_restore",
    "session_before_compact": "cancel compaction",
    "session_before_tree": "cancel summary custom_instructions replace_instructions label",
    "input": "action text images",
    "context": "messages",
    "context_with_system": "messages",
    "before_provider_request": "payload",
    "tool_result": "content details structured_content is_error usage",
    "message_end": "message",
    "before_agent_start": "message system_prompt",
    "user_bash": "operations result",
    "project_trust": "trusted remember",
    "resources_discover": "skill_paths prompt_paths theme_paths",
    "turn_end": "entries continue_",
    "agent_before_settle": "entries continue_",
}


class UnknownEventError(LookupError):
    """There is no event of this name. `nearest` is what the author may have meant, or None."""

    def __init__(self, event: str) -> None:
        self.event = event
        near = get_close_matches(event, LAWS, n=1)
        self.nearest = near[0] if near else None
        hint = f"; did you mean {self.nearest!r}?" if self.nearest else "; docs/events.md lists all events"
        super().__init__(f"there is no event {event!r}{hint}")


@cache
def law_for(event: str) -> Law:
    """The law of an event by its name. Raises UnknownEventError."""
    row = LAWS.get(event)
    if row is None:
        raise UnknownEventError(event)
    return _build(row, _shape(row))


def _shape(row: EventLaw) -> Shape:
    module = import_module(EVENTS[row.event][0])
    classes = tuple(getattr(module, name) for name in row.answer)
    return Shape(classes, frozenset(_KNOWN.get(row.event, "").split()))


def _build(row: EventLaw, shape: Shape) -> Law:
    refuses = row.on_failure == "refuse"
    match row.law:
        case "notify":
            return Notify(row, shape, refuses)
        case "gate":
            return _gate(row, shape, refuses)
        case "first":
            return _first(row, shape, refuses)
        case "mutate":
            return Mutate(row, shape, refuses)
        case "collect":
            return Collect(row, shape, refuses)
        case "boundary":
            return BoundaryLaw(row, shape, refuses)
        case "chain" if row.event == "context_with_system":
            return MessagesChain(row, shape, refuses, hide_system=False)
        case "chain":
            chain: Law = _CHAINS[row.event](row, shape, refuses)
            return chain


def _first(row: EventLaw, shape: Shape, refuses: bool) -> Law:
    if row.event == "project_trust":
        return FirstTrust(row, shape, refuses)
    from hookspecs.events.input import BashResult  # only where the event itself is loaded

    return FirstBash(row, shape, refuses, result=BashResult)


def _gate(row: EventLaw, shape: Shape, refuses: bool) -> Gate:
    stop = "block" if row.event == "tool_call" else "cancel"
    compaction = next((kind for kind in shape.classes if kind.__name__ == "Compaction"), None)
    return Gate(row, shape, refuses, stop=stop, compaction=compaction)
