"""Events in the life of a session, and what may be answered before it changes.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar, Literal, TypeAlias

from hookspecs.messages import Usage
from hookspecs.unset import UNSET, Unset
from hookspecs.values import dataclass

StartReason: TypeAlias = Literal["startup", "reload", "new", "resume", "fork"]
ShutdownReason: TypeAlias = Literal["quit", "reload", "new", "resume", "fork"]
CompactionReason: TypeAlias = Literal["manual", "threshold", "overflow"]


@dataclass(kw_only=True)
class SessionStart:
    """A session was bound. `previous_session_file` is set after new, resume and fork."""

    event_name: ClassVar[str] = "session_start"
    reason: StartReason
    previous_session_file: str | None = None


@dataclass(kw_only=True)
class SessionInfoChanged:
    """The session got a name; None means that the name was cleared."""

    event_name: ClassVar[str] = "session_info_changed"
    name: str | None = None


@dataclass(kw_only=True)
class SessionBeforeSwitch:
    """Another session is about to replace this one; the target file is absent for a new one."""

    event_name: ClassVar[str] = "session_before_switch"
    reason: Literal["new", "resume"]
    target_session_file: str | None = None


@dataclass(kw_only=True)
class SessionBeforeFork:
    """The session is about to be forked, `before` or `at` the given entry."""

    event_name: ClassVar[str] = "session_before_fork"
    entry_id: str
    position: Literal["before", "at"] = "before"


@dataclass(kw_only=True)
class SessionBeforeCompact:
    """A compaction was prepared. `custom_instructions` comes with manual ones only."""

    event_name: ClassVar[str] = "session_before_compact"
    preparation: Any
    branch_entries: list[Any]
    reason: CompactionReason
    will_retry: bool = False
    custom_instructions: str | None = None
    signal: Any = None


@dataclass(kw_only=True)
class SessionCompact:
    """A compaction entry was saved; `from_extension` if an extension wrote the summary."""

    event_name: ClassVar[str] = "session_compact"
    compaction_entry: Any
    from_extension: bool
    reason: CompactionReason
    will_retry: bool = False


@dataclass(kw_only=True)
class SessionCompactFailed:
    """A compaction failed, or was aborted."""

    event_name: ClassVar[str] = "session_compact_failed"
    reason: CompactionReason
    error_message: str | None = None
    aborted: bool = False
    will_retry: bool = False
    from_extension: bool = False


@dataclass(kw_only=True)
class SessionBeforeTree:
    """The leaf is about to move to another entry of the tree."""

    event_name: ClassVar[str] = "session_before_tree"
    preparation: Any
    signal: Any = None


@dataclass(kw_only=True)
class SessionTree:
    """The leaf moved. `from_extension` is None when no summary was written."""

    event_name: ClassVar[str] = "session_tree"
    new_leaf_id: str | None
    old_leaf_id: str | None
    summary_entry: Any = None
    from_extension: bool | None = None


@dataclass(kw_only=True)
class SessionShutdown:
    """The session is about to be torn down; the target file comes with a replacement only."""

    event_name: ClassVar[str] = "session_shutdown"
    reason: ShutdownReason
    target_session_file: str | None = None


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop what is about to happen."""

    cancel: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """A compaction written by an extension, in place of the host's own."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    details: Any = None
    usage: Usage | Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSummary:
    """What an extension decides about a move in the tree. Fields left unset stay as they were.

    `summary` counts only when the person asked for one; `details` and `usage` belong to it.
    """

    summary: str | Unset = UNSET
    details: Any = field(default=UNSET)
    usage: Usage | Mapping[str, Any] | Unset | None = UNSET
    custom_instructions: str | Unset | None = UNSET
    replace_instructions: bool | Unset = UNSET
    label: str | Unset | None = UNSET
