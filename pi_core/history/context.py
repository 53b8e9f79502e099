"""What a model reads of a branch: the messages, the model, the thinking level.

The latest compaction's summary comes first, then what it kept, then what came
after. An edit of the context changes what is read, never what is stored.

Pure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from hookspecs.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    TextContent,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from hookspecs.values import dataclass
from pi_core.history.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
    Replacement,
    ThinkingLevelChangeEntry,
)

DEFAULT_THINKING_LEVEL: Final = "off"


@dataclass(frozen=True, slots=True)
class ModelReference:
    """A model by the names that a session file uses."""

    provider: str
    model_id: str


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What a branch comes to. The messages are the history's own, oldest first; the list is the caller's."""

    messages: list[Message]
    model: ModelReference | None
    thinking_level: str


@dataclass(frozen=True, slots=True)
class Projected:
    """A message that a model reads, the entry from which it comes, and that entry's place on the branch."""

    place: int
    entry: Entry
    message: Message


def build_context(branch: Sequence[Entry]) -> SessionContext:
    """The context of a branch, which is ordered from root to leaf and may be empty."""
    messages = [item.message for item in project(branch)]
    return SessionContext(messages, _last_model(branch), _last_thinking_level(branch))


def project(branch: Sequence[Entry]) -> list[Projected]:
    """What a model reads of a branch, in the order of reading: the summary of a compaction comes first."""
    edits = {entry.target_id: entry.replacement for entry in branch if isinstance(entry, ContextEditEntry)}
    projected: list[Projected] = []
    for place in _reading_order(branch):
        entry = branch[place]
        message = message_of(entry)
        if message is not None and entry.id in edits:
            message = _edited(message, edits[entry.id])
        if message is not None:
            projected.append(Projected(place, entry, message))
    return projected


def message_of(entry: Entry) -> Message | None:
    """The message by which a model reads an entry; None for entries that it does not read."""
    match entry:
        case MessageEntry(message=message):
            return message
        case CustomMessageEntry():
            return CustomMessage(
                custom_type=entry.custom_type,
                content=entry.content,
                display=entry.display,
                details=entry.details,
                timestamp=milliseconds(entry.timestamp),
            )
        case BranchSummaryEntry(summary=summary) if summary:
            at = milliseconds(entry.timestamp)
            return BranchSummaryMessage(summary=summary, from_id=entry.from_id, timestamp=at)
        case CompactionEntry():
            return CompactionSummaryMessage(
                summary=entry.summary,
                tokens_before=entry.tokens_before,
                timestamp=milliseconds(entry.timestamp),
            )
        case _:
            return None


def is_editable(entry: Entry) -> bool:
    """Whether a context edit may change what is read of an entry."""
    if isinstance(entry, MessageEntry):
        return isinstance(entry.message, UserMessage | AssistantMessage | ToolResultMessage | CustomMessage)
    return isinstance(entry, CustomMessageEntry)


def as_content_of(entry: Entry, content: str | list[UserContent]) -> str | list[UserContent]:
    """A content in the form that an entry's message has: answers and results hold blocks, never bare text."""
    holds_blocks = isinstance(entry, MessageEntry) and isinstance(
        entry.message, AssistantMessage | ToolResultMessage
    )
    return [TextContent(text=content)] if holds_blocks and isinstance(content, str) else content


def milliseconds(timestamp: str) -> int:
    """An ISO timestamp as milliseconds since the epoch; 0 for one that cannot be read."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return 0
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _reading_order(branch: Sequence[Entry]) -> Iterable[int]:
    """The places of the entries that count, in the order of reading."""
    last = next((n for n in reversed(range(len(branch))) if isinstance(branch[n], CompactionEntry)), None)
    if last is None:
        return range(len(branch))
    compaction = branch[last]
    assert isinstance(compaction, CompactionEntry)
    first = next((n for n in range(last) if branch[n].id == compaction.first_kept_entry_id), last)
    # What an older compaction stood for is in the newer summary.
    kept = [n for n in range(first, last) if not isinstance(branch[n], CompactionEntry)]
    return [last, *kept, *range(last + 1, len(branch))]


def _edited(message: Message, replacement: Replacement | None) -> Message | None:
    if replacement is None:
        return None
    content = replacement.content
    if isinstance(message, UserMessage | CustomMessage):
        return dataclasses.replace(message, content=content)
    blocks = [TextContent(text=content)] if isinstance(content, str) else content
    if isinstance(message, AssistantMessage):
        return dataclasses.replace(message, content=[*blocks])
    if isinstance(message, ToolResultMessage):
        return dataclasses.replace(message, content=[*blocks])
    return message


def _last_model(branch: Sequence[Entry]) -> ModelReference | None:
    for entry in reversed(branch):
        if isinstance(entry, ModelChangeEntry):
            return ModelReference(entry.provider, entry.model_id)
        if isinstance(entry, MessageEntry) and isinstance(entry.message, AssistantMessage):
            return ModelReference(entry.message.provider, entry.message.model)
    return None


def _last_thinking_level(branch: Sequence[Entry]) -> str:
    for entry in reversed(branch):
        if isinstance(entry, ThinkingLevelChangeEntry):
            return entry.thinking_level
    return DEFAULT_THINKING_LEVEL
