"""How much was said in a session, and what it cost.

Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Any, Final

from hookspecs.context import ContextUsage
from hookspecs.messages import (
    AssistantMessage,
    Cost,
    Message,
    ToolCallContent,
    ToolResultMessage,
    Usage,
    text_of,
)
from hookspecs.values import dataclass
from pi_core.compaction.tokens import context_tokens, usage_tokens
from pi_core.history.entries import BranchSummaryEntry, CompactionEntry, Entry, MessageEntry, UsageEntry
from pi_core.history.store import SessionStore

KINDS: Final = ("input", "output", "cache_read", "cache_write")
"""The kinds of token, as fields of a usage."""


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


class Tally:
    """Counts the entries of one history, each once, so that asking often costs little."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._counted = 0
        self._roles: Counter[str] = Counter()
        self._calls = 0
        self._tokens: Counter[str] = Counter()
        self._cost = 0.0

    def stats(self, context_usage: ContextUsage | None) -> SessionStats:
        """The counts as they are now. Requests for summaries count for tokens and cost as answers do."""
        entries = self._store.get_entries()
        for entry in entries[self._counted :]:
            self._count(entry)
        self._counted = len(entries)
        tokens = {kind: self._tokens[kind] for kind in KINDS}
        return SessionStats(
            session_file=self._store.session_file,
            session_id=self._store.session_id,
            user_messages=self._roles["user"],
            assistant_messages=self._roles["assistant"],
            tool_calls=self._calls,
            tool_results=self._roles["toolResult"],
            total_messages=self._roles.total(),
            tokens=TokenCounts(**tokens, total=sum(tokens.values())),
            cost=self._cost,
            context_usage=context_usage,
        )

    def _count(self, entry: Entry) -> None:
        if isinstance(entry, MessageEntry):
            self._roles[entry.message.role] += 1
            if isinstance(entry.message, AssistantMessage):
                content = entry.message.content
                self._calls += sum(isinstance(block, ToolCallContent) for block in content)
        usage = _usage_of(entry)
        if isinstance(usage, Usage):  # a file may hold anything
            for kind in KINDS:
                self._tokens[kind] += getattr(usage, kind) or 0
            self._cost += usage.cost.total if isinstance(usage.cost, Cost) else 0.0


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
                if isinstance(usage, Usage) and usage_tokens(usage):
                    return True
            case _:
                pass
        entry_id = entry.parent_id
    return False


def last_text(messages: Sequence[Message]) -> str | None:
    """The text of the last answer that has one; an aborted one without text is passed over."""
    answers = (message for message in reversed(messages) if isinstance(message, AssistantMessage))
    return next((text for answer in answers if (text := text_of(answer.content).strip())), None)


def _usage_of(entry: Entry) -> Any:
    match entry:
        case MessageEntry(message=AssistantMessage(usage=usage) | ToolResultMessage(usage=usage)):
            return usage
        case CompactionEntry(usage=usage) | BranchSummaryEntry(usage=usage) | UsageEntry(usage=usage):
            return usage
        case _:
            return None
