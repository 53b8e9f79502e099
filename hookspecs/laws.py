"""How the answers to each event are combined: the composition law is part of the contract.

Data only; the behaviour of each law is in the dispatcher. `LAWS` is ordered by
theme and read-only.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from hookspecs.values import dataclass

LawName: TypeAlias = Literal["notify", "first", "gate", "chain", "mutate", "collect", "boundary"]
CopyRule: TypeAlias = Literal["shared", "shallow", "fresh", "messages", "options"]
FailurePolicy: TypeAlias = Literal["report", "refuse", "no-opinion", "keep-last"]


@dataclass(frozen=True, slots=True)
class EventLaw:
    """The law of one event.

    `answer` names the classes that a handler may return, empty if answers are ignored.
    `copy`: "shared" hands every handler the caller's own event; "shallow" one shallow copy
    for the whole dispatch; "fresh" each handler an event of its own around the threaded value;
    "messages" the same with every message copied once, for the first listener; "options" the
    same with the options copied once a run.
    `on_failure`: "report" goes on; "refuse" reports and lets the dispatch fail; "no-opinion"
    counts as no answer; "keep-last" keeps the last good value. All of them are reported.
    `since` is the version of pi's contract that brought the event or its present law.
    """

    event: str
    law: LawName
    answer: tuple[str, ...] = ()
    copy: CopyRule = "shared"
    on_failure: FailurePolicy = "report"
    since: str = "0.82"


_NOTIFIED: Final = (
    "session_start session_info_changed session_compact session_tree session_shutdown"
    " agent_start agent_end agent_settled turn_start message_start message_update"
    " tool_execution_start tool_execution_update tool_execution_end"
    " after_provider_response model_select thinking_level_select"
)
_NOTIFIED_SINCE_1_6: Final = "session_compact_failed provider_stream_event ui_prompt_start ui_prompt_end"

_DECIDED: Final = (
    EventLaw("project_trust", "first", ("Trust",), on_failure="no-opinion"),
    EventLaw("user_bash", "first", ("Bash",), on_failure="refuse", since="1.6"),
    EventLaw("tool_call", "gate", ("Block",), on_failure="refuse"),
    EventLaw("session_before_switch", "gate", ("Cancel",), on_failure="no-opinion"),
    EventLaw("session_before_fork", "gate", ("Cancel",), on_failure="no-opinion"),
    EventLaw("session_before_compact", "gate", ("Cancel", "Compaction"), on_failure="no-opinion"),
    EventLaw("session_before_tree", "gate", ("Cancel", "TreeSummary"), on_failure="no-opinion"),
    EventLaw("input", "chain", ("Transform", "Handled", "Continue"), "fresh", "keep-last"),
    EventLaw("context", "chain", ("ReplaceMessages",), "messages", "keep-last", "1.6"),
    EventLaw("context_with_system", "chain", ("ReplaceMessages",), "messages", "keep-last", "1.6"),
    EventLaw("before_provider_request", "chain", ("ReplacePayload",), "fresh", "keep-last"),
    EventLaw("tool_result", "chain", ("ResultPatch",), "shallow", "keep-last"),
    EventLaw("message_end", "chain", ("ReplaceMessage",), "fresh", "keep-last"),
    EventLaw("before_agent_start", "chain", ("AgentStart",), "options", "keep-last", "1.6"),
    EventLaw("before_provider_headers", "mutate", (), "fresh"),
    EventLaw("resources_discover", "collect", ("Resources",), on_failure="no-opinion"),
    EventLaw("turn_end", "boundary", ("Boundary",), "fresh", "keep-last", "1.6"),
    EventLaw("agent_before_settle", "boundary", ("Boundary",), "fresh", "keep-last", "1.6"),
)

LAWS: Final[Mapping[str, EventLaw]] = MappingProxyType(
    {
        law.event: law
        for law in (
            *(EventLaw(event, "notify") for event in _NOTIFIED.split()),
            *(EventLaw(event, "notify", since="1.6") for event in _NOTIFIED_SINCE_1_6.split()),
            *_DECIDED,
        )
    }
)
"""Event name → its law, for every event there is."""
