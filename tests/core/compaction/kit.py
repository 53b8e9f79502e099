"""Branches in a few words, and a model that writes down what it is asked.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hookspecs.messages import (
    AssistantContent,
    AssistantMessage,
    Message,
    StopReason,
    TextContent,
    ToolCallContent,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pi_core.abort import AbortSignal
from pi_core.compaction.prepare import CompactionPreparation, prepare_compaction
from pi_core.compaction.tokens import CompactionSettings
from pi_core.history.entries import CompactionEntry, Entry, LabelEntry, MessageEntry

WORD = "four"  # one token


def user(tokens: int = 1, text: str = WORD) -> UserMessage:
    """A question of so many tokens."""
    return UserMessage(content=text * tokens)


def answer(
    text: str = WORD,
    *calls: ToolCallContent,
    used: int = 0,
    stop: StopReason = "stop",
    error: str | None = None,
) -> AssistantMessage:
    """An answer with calls; `used` is the usage that it reports."""
    content: list[AssistantContent] = [TextContent(text=text)] if text else []
    return AssistantMessage(
        content=[*content, *calls],
        usage=Usage(input=used, total_tokens=used, output=min(used, 1)),
        stop_reason=stop,
        error_message=error,
    )


def call(name: str, path: str) -> ToolCallContent:
    """A call of a file tool."""
    return ToolCallContent(id=f"{name} {path}", name=name, arguments={"path": path})


def result(text: str = WORD, name: str = "read", *, is_error: bool = False) -> ToolResultMessage:
    """What a tool said."""
    return ToolResultMessage(
        tool_call_id="1", tool_name=name, content=[TextContent(text=text)], is_error=is_error
    )


def chain(*items: Message | Entry) -> list[Entry]:
    """A branch; entries get the ids `e0`, `e1` … by their place."""
    branch: list[Entry] = []
    for place, item in enumerate(items):
        entry: Any = item if hasattr(item, "parent_id") else MessageEntry(**base(place), message=item)
        entry.id, entry.parent_id = f"e{place}", f"e{place - 1}" if place else None
        branch.append(entry)
    return branch


def base(place: int = 0) -> dict[str, Any]:
    """What every entry has."""
    return {"id": f"e{place}", "parent_id": None, "timestamp": "2025-01-02T03:04:05.000Z"}


def label() -> LabelEntry:
    """An entry that says nothing."""
    return LabelEntry(**base(), target_id="e0", label="here")


def compaction(summary: str, first_kept: str, **more: Any) -> CompactionEntry:
    """An earlier compaction."""
    return CompactionEntry(**base(), summary=summary, first_kept_entry_id=first_kept, **more)


def prepared(branch: Sequence[Entry], keep: int, reserve: int = 1000) -> CompactionPreparation:
    """The preparation of a branch of which something can go."""
    found = prepare_compaction(branch, CompactionSettings(reserve_tokens=reserve, keep_recent_tokens=keep))
    assert isinstance(found, CompactionPreparation)
    return found


@dataclass
class RecordingAsk:
    """Implements `Ask`: gives the answers in turn, and keeps what it was asked."""

    answers: list[AssistantMessage] = field(default_factory=lambda: [answer("## Goal\nnotes", used=10)])
    systems: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)

    async def __call__(
        self, system_prompt: str, text: str, *, max_tokens: int, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        self.systems.append(system_prompt)
        self.texts.append(text)
        self.limits.append(max_tokens)
        return self.answers[len(self.texts) - 1]
