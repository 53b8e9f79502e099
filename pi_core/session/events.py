"""What a session tells its listeners beside the events of the loop.

Pure.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from hookspecs.definitions import ThinkingLevel
from hookspecs.events.session import CompactionReason
from hookspecs.messages import Usage
from hookspecs.values import dataclass
from pi_core.agent.events import LoopEvent
from pi_pkg import Diagnostic, Provenance


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

    `diagnostic` says the same as a finding, with the traceback where there is one. `source_info` is where
    the extension comes from; None where none is named, as for a shortcut.
    """

    extension_path: str
    event: str
    error: str
    diagnostic: Diagnostic
    source_info: Provenance | None = None
    type: Literal["extension_error"] = "extension_error"


@dataclass(kw_only=True)
class DiagnosticFound:
    """Something is wrong with a package, an extension or a setting, or a person should know of it."""

    diagnostic: Diagnostic
    type: Literal["diagnostic"] = "diagnostic"


@dataclass(kw_only=True)
class BashExecutionUpdate:
    """A command of the person printed `delta`. `id` is what the host gave to `execute_bash`, if anything."""

    delta: str
    id: str | int | None = None
    type: Literal["bash_execution_update"] = "bash_execution_update"


@dataclass(kw_only=True)
class AutoRetryStart:
    """A request failed for a passing reason and is sent again after `delay_ms`. `attempt` counts from 1."""

    attempt: int
    max_attempts: int
    delay_ms: float
    error_message: str
    type: Literal["auto_retry_start"] = "auto_retry_start"


@dataclass(kw_only=True)
class AutoRetryEnd:
    """The retries are over: an answer came, or `final_error` says why none did."""

    success: bool
    attempt: int
    final_error: str | None = None
    type: Literal["auto_retry_end"] = "auto_retry_end"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionResult:
    """What a compaction did. `tokens_before` is the size of the context before it."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    details: Any = None
    usage: Usage | None = None


@dataclass(kw_only=True)
class CompactionStart:
    """The conversation is about to be summarised."""

    reason: CompactionReason
    type: Literal["compaction_start"] = "compaction_start"


@dataclass(kw_only=True)
class CompactionEnd:
    """A compaction is over, whichever way; without a `result` nothing has changed.

    `will_retry` says that the request which was too large is sent again.
    """

    reason: CompactionReason
    result: CompactionResult | None = None
    aborted: bool = False
    will_retry: bool = False
    error_message: str | None = None
    type: Literal["compaction_end"] = "compaction_end"


@dataclass(kw_only=True)
class SummarizationRetryScheduled:
    """The request for a summary failed for a passing reason and is sent again after `delay_ms`."""

    attempt: int
    max_attempts: int
    delay_ms: float
    error_message: str
    type: Literal["summarization_retry_scheduled"] = "summarization_retry_scheduled"


@dataclass(kw_only=True)
class SummarizationRetryAttemptStart:
    """The request for a summary is sent again now."""

    attempt: int
    type: Literal["summarization_retry_attempt_start"] = "summarization_retry_attempt_start"


@dataclass(kw_only=True)
class SummarizationRetryFinished:
    """The retries of a summary are over: it came, or `final_error` says why it did not."""

    success: bool
    attempt: int
    final_error: str | None = None
    type: Literal["summarization_retry_finished"] = "summarization_retry_finished"


SessionEvent: TypeAlias = (
    LoopEvent
    | AgentSettled
    | AutoRetryStart
    | AutoRetryEnd
    | BashExecutionUpdate
    | CompactionStart
    | CompactionEnd
    | SummarizationRetryScheduled
    | SummarizationRetryAttemptStart
    | SummarizationRetryFinished
    | EntryAppended
    | SessionInfoChanged
    | ThinkingLevelChanged
    | ExtensionError
    | DiagnosticFound
)
"""Everything that a listener may be told."""
