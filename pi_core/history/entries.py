"""What a session file is made of: one entry per thing that happened, each a child of the one before.

Entries are mutable values of the history; whoever is handed one may read it, and
copies it before changing it. `timestamp` is ISO 8601 in UTC. `extra` keeps fields
that this version does not know.

Pure.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, TypeAlias

from hookspecs.messages import JsonObject, Message, Usage, UserContent
from hookspecs.values import dataclass

CURRENT_VERSION = 3


@dataclass(kw_only=True)
class SessionHeader:
    """The first line of a file. `parent_session` is the path of the file that this one was forked from."""

    id: str
    timestamp: str
    cwd: str
    version: int = CURRENT_VERSION
    parent_session: str | None = None
    type: Literal["session"] = "session"
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class EntryBase:
    """What all entries have. `parent_id` is None for a root; a file may have several roots."""

    id: str
    parent_id: str | None
    timestamp: str
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class MessageEntry(EntryBase):
    """A message of the conversation."""

    message: Message
    type: Literal["message"] = "message"


@dataclass(kw_only=True)
class ModelChangeEntry(EntryBase):
    """The model from here on."""

    provider: str
    model_id: str
    type: Literal["model_change"] = "model_change"


@dataclass(kw_only=True)
class ThinkingLevelChangeEntry(EntryBase):
    """The thinking level from here on."""

    thinking_level: str
    type: Literal["thinking_level_change"] = "thinking_level_change"


@dataclass(kw_only=True)
class CompactionEntry(EntryBase):
    """A summary that stands for everything on the branch before `first_kept_entry_id`."""

    summary: str
    first_kept_entry_id: str = ""
    tokens_before: int = 0
    details: Any = None
    usage: Usage | None = None
    from_hook: bool | None = None
    type: Literal["compaction"] = "compaction"


@dataclass(kw_only=True)
class BranchSummaryEntry(EntryBase):
    """A summary of the branch that was left; `from_id` is the leaf it had, or "root"."""

    from_id: str
    summary: str
    details: Any = None
    usage: Usage | None = None
    from_hook: bool | None = None
    type: Literal["branch_summary"] = "branch_summary"


@dataclass(kw_only=True)
class CustomEntry(EntryBase):
    """State of an extension. No model ever sees it."""

    custom_type: str
    data: Any = None
    type: Literal["custom"] = "custom"


@dataclass(kw_only=True)
class CustomMessageEntry(EntryBase):
    """A message of an extension, for the model and, if `display`, for the person."""

    custom_type: str
    content: str | list[UserContent] = field(default_factory=list)
    display: bool = True
    details: Any = None
    type: Literal["custom_message"] = "custom_message"


@dataclass(kw_only=True)
class LabelEntry(EntryBase):
    """A person's mark on another entry; None takes it away."""

    target_id: str
    label: str | None = None
    type: Literal["label"] = "label"


@dataclass(kw_only=True)
class SessionInfoEntry(EntryBase):
    """The session's name from here on; empty or None takes it away."""

    name: str | None = None
    type: Literal["session_info"] = "session_info"


@dataclass(kw_only=True)
class UsageEntry(EntryBase):
    """Tokens of a request that left no message, such as a summary."""

    kind: str
    provider: str = ""
    model: str = ""
    usage: Usage | None = None
    type: Literal["usage"] = "usage"


@dataclass(kw_only=True)
class Replacement:
    """The content that a message has from a context edit on."""

    content: str | list[UserContent]
    extra: JsonObject = field(default_factory=dict)


@dataclass(kw_only=True)
class ContextEditEntry(EntryBase):
    """What the model reads of an earlier message from here on; None: nothing of it."""

    target_id: str
    replacement: Replacement | None = None
    type: Literal["context_edit"] = "context_edit"


@dataclass(kw_only=True)
class UnknownEntry(EntryBase):
    """An entry of a type, or a message of a role, that this version does not know. Kept, not read."""

    type: str


Entry: TypeAlias = (
    MessageEntry
    | ModelChangeEntry
    | ThinkingLevelChangeEntry
    | CompactionEntry
    | BranchSummaryEntry
    | CustomEntry
    | CustomMessageEntry
    | LabelEntry
    | SessionInfoEntry
    | UsageEntry
    | ContextEditEntry
    | UnknownEntry
)
