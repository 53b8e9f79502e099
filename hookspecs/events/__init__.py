"""The catalogue: which event has which name and in which file its class stands.

The class is the event's name in CamelCase. Two of those names were taken, by an
answer and by what a tool returns, so these two classes are called
`AgentStartEvent` and `ToolResultEvent`.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

_BY_FILE: Final = {
    "session": (
        "session_start session_info_changed session_before_switch session_before_fork session_before_compact"
        " session_compact session_compact_failed session_before_tree session_tree session_shutdown"
    ),
    "tool": "tool_execution_start tool_call tool_execution_update tool_result tool_execution_end",
    "agent": (
        "before_agent_start agent_start agent_end agent_settled agent_before_settle turn_start turn_end"
        " message_start message_update message_end"
    ),
    "input": "input user_bash ui_prompt_start ui_prompt_end",
    "provider": (
        "context context_with_system before_provider_headers before_provider_request after_provider_response"
        " provider_stream_event model_select thinking_level_select"
    ),
    "resources": "resources_discover",
    "trust": "project_trust",
}
_TAKEN: Final = {"agent_start": "AgentStartEvent", "tool_result": "ToolResultEvent"}


def _class_name(event: str) -> str:
    return _TAKEN.get(event) or "".join(word.capitalize() for word in event.split("_"))


EVENTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        event: (f"hookspecs.events.{file}", _class_name(event))
        for file, names in _BY_FILE.items()
        for event in names.split()
    }
)
"""Event name → (module, class name). Ordered by file; read-only."""


def event_class(event: str) -> type[Any]:
    """The class of an event by its name, imported when asked for. Raises KeyError if there is none."""
    module, name = EVENTS[event]
    found: type[Any] = getattr(import_module(module), name)
    return found
