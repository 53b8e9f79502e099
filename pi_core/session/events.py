"""What a session tells its listeners beside the events of the loop.

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hookspecs.definitions import ThinkingLevel
from pi_core.agent.events import LoopEvent
from pi_pkg import Diagnostic


@dataclass(kw_only=True)
class AgentSettled:
    """Nothing automatic is left to do. `aborted` if somebody stopped the activity."""

    aborted: bool
    type: Literal["agent_settled"] = "agent_settled"


@dataclass(kw_only=True)
class EntryAppended:
    """An entry that is no message was added to the history."""

    entry: Any
    type: Literal["entry_appended"] = "entry_appended"


@dataclass(kw_only=True)
class SessionInfoChanged:
    """The session got a name; None means that it lost it."""

    name: str | None
    type: Literal["session_info_changed"] = "session_info_changed"


@dataclass(kw_only=True)
class ThinkingLevelChanged:
    """The thinking level in effect changed."""

    level: ThinkingLevel
    type: Literal["thinking_level_changed"] = "thinking_level_changed"


@dataclass(kw_only=True)
class ExtensionError:
    """An extension failed; the session goes on. `event` is what it was doing, `error` what it said.

    `diagnostic` says the same as a finding, with the traceback where there is one.
    """

    extension_path: str
    event: str
    error: str
    diagnostic: Diagnostic
    type: Literal["extension_error"] = "extension_error"


@dataclass(kw_only=True)
class DiagnosticFound:
    """Something is wrong with a package, an extension or a setting, or a person should know of it."""

    diagnostic: Diagnostic
    type: Literal["diagnostic"] = "diagnostic"


SessionEvent: TypeAlias = (
    LoopEvent
    | AgentSettled
    | EntryAppended
    | SessionInfoChanged
    | ThinkingLevelChanged
    | ExtensionError
    | DiagnosticFound
)
"""Everything that a listener may be told."""
