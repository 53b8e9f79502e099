"""How much was said in a session, and what it cost.

Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hookspecs.context import ContextUsage
from hookspecs.messages import (
    AssistantMessage,
    Message,
    ToolCallContent,
    ToolResultMessage,
    Usage,
    text_of,
)
from pi_core.compaction.tokens import context_tokens, usage_tokens
from pi_core.history.entries import BranchSummaryEntry, CompactionEntry, Entry, MessageEntry, UsageEntry
from pi_core.history.store import SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """Tokens by kind."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStats:
    """Counts over all entries of a session, on whichever branch; `cost` is in US dollars."""

    session_file: str | None
    session_id: str
    user_messages: int = 0
    assistant_messages: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    total_messages: int = 0
    tokens: TokenCounts = field(default_factory=TokenCounts)
    cost: float = 0.0
    context_usage: ContextUsage | None = None


def session_stats(store: SessionStore, context_usage: ContextUsage | None) -> SessionStats:
    """The counts of a session. Requests for summaries count for tokens and cost as answers do."""
    entries = store.get_entries()
    messages = [entry.message for entry in entries if isinstance(entry, MessageEntry)]
    roles = Counter(message.role for message in messages)
    answers = [message for message in messages if isinstance(message, AssistantMessage)]
    usages = list(_usages(entries))
    return SessionStats(
        session_file=store.session_file,
        session_id=store.session_id,
        user_messages=roles["user"],
        assistant_messages=roles["assistant"],
        tool_calls=sum(isinstance(block, ToolCallContent) for one in answers for block in one.content),
        tool_results=roles["toolResult"],
        total_messages=len(messages),
        tokens=TokenCounts(
            input=sum(usage.input for usage in usages),
            output=sum(usage.output for usage in usages),
            cache_read=sum(usage.cache_read for usage in usages),
            cache_write=sum(usage.cache_write for usage in usages),
            total=sum(usage.input + usage.output + usage.cache_read + usage.cache_write for usage in usages),
        ),
        cost=sum(usage.cost.total for usage in usages),
        context_usage=context_usage,
    )


def context_usage(store: SessionStore, window: int, messages: Sequence[Message]) -> ContextUsage | None:
    """How full a window is: what the last good answer counted, and an estimate of what came after it.

    Unknown before there is one, and after a compaction until the next one: then what was counted is gone.
    None if the size of the window is not known.
    """
    if not window:
        return None
    if not _is_counted(store):
        return ContextUsage(tokens=None, context_window=window, percent=None)
    tokens = context_tokens(messages).tokens
    return ContextUsage(tokens=tokens, context_window=window, percent=tokens / window * 100)


def _is_counted(store: SessionStore) -> bool:
    """Whether an answer that counted its tokens came after the last compaction of the branch."""
    entry_id = store.get_leaf_id()
    while entry_id is not None and (entry := store.get_entry(entry_id)) is not None:
        match entry:
            case CompactionEntry():
                return False
            case MessageEntry(
                message=AssistantMessage(stop_reason="stop" | "length" | "toolUse", usage=usage)
            ):
                if usage_tokens(usage):
                    return True
            case _:
                pass
        entry_id = entry.parent_id
    return False


def last_text(messages: Sequence[Message]) -> str | None:
    """The text of the last answer that has one; an aborted one without text is passed over."""
    answers = (message for message in reversed(messages) if isinstance(message, AssistantMessage))
    return next((text for answer in answers if (text := text_of(answer.content).strip())), None)


def _usages(entries: Iterable[Entry]) -> Iterable[Usage]:
    for entry in entries:
        match entry:
            case MessageEntry(message=AssistantMessage(usage=usage)):
                yield usage
            case MessageEntry(message=ToolResultMessage(usage=usage)) if usage is not None:
                yield usage
            case CompactionEntry(usage=usage) | BranchSummaryEntry(usage=usage) if usage is not None:
                yield usage
            case UsageEntry(usage=usage) if usage is not None:
                yield usage
            case _:
                pass
