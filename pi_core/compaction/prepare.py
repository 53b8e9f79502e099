"""What a compaction will do, decided before anybody is asked to summarise.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from hookspecs.messages import AssistantMessage, Message, ToolCallContent
from hookspecs.values import dataclass
from pi_core.compaction.cut_point import find_cut, first_kept_entry
from pi_core.compaction.tokens import CompactionSettings, projected_tokens
from pi_core.dispatch.copying import copy_messages
from pi_core.history.context import project
from pi_core.history.entries import CompactionEntry, Entry

ALREADY_COMPACTED: Final = "Already compacted"
TOO_SMALL: Final = "Nothing to compact (session too small)"


@dataclass(frozen=True, slots=True)
class NothingToCompact:
    """There is no part of the conversation that could go. `reason` is a sentence for the person."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOperations:
    """The files that tools worked on, by path; what an earlier compaction listed is among them."""

    read: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    edited: frozenset[str] = frozenset()

    @property
    def modified_files(self) -> list[str]:
        """What was changed, sorted."""
        return sorted(self.written | self.edited)

    @property
    def read_files(self) -> list[str]:
        """What was read and not changed, sorted."""
        return sorted(self.read - self.written - self.edited)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPreparation:
    """A compaction before its summary is written; extensions see it in `session_before_compact`.

    Its messages are copies: one that a handler edits is summarised as edited, and stays in the history
    as it was.
    """

    first_kept_entry_id: str
    """The entry from which on everything stays word by word."""
    messages_to_summarize: Sequence[Message]
    """The whole turns that go, oldest first; an earlier summary is not among them."""
    turn_prefix_messages: Sequence[Message] = ()
    """The beginning of the turn that is split; empty if none is."""
    is_split_turn: bool = False
    tokens_before: int = 0
    """The size of the context now."""
    previous_summary: str | None = None
    """What the compaction before this one said."""
    file_ops: FileOperations = field(default_factory=FileOperations)
    settings: CompactionSettings = field(default_factory=CompactionSettings)


def prepare_compaction(
    branch_entries: Sequence[Entry], settings: CompactionSettings
) -> CompactionPreparation | NothingToCompact:
    """What a compaction of a branch (root to leaf) would summarise, and what it would keep."""
    if branch_entries and isinstance(branch_entries[-1], CompactionEntry):
        return NothingToCompact(ALREADY_COMPACTED)
    projected = project(branch_entries)
    earlier = projected[0].entry if projected else None
    previous = earlier if isinstance(earlier, CompactionEntry) else None
    items = projected[1:] if previous is not None else projected
    messages = [item.message for item in items]
    cut = find_cut(messages, settings.keep_recent_tokens)
    if cut is None:
        return NothingToCompact(TOO_SMALL)
    return CompactionPreparation(
        first_kept_entry_id=first_kept_entry(branch_entries, items[cut.first_kept]).id,
        messages_to_summarize=tuple(copy_messages(messages[: cut.history_end])),
        turn_prefix_messages=tuple(copy_messages(messages[cut.history_end : cut.first_kept])),
        is_split_turn=cut.is_split_turn,
        tokens_before=projected_tokens(branch_entries, projected).tokens,
        previous_summary=previous.summary if previous is not None else None,
        file_ops=file_operations(messages[: cut.first_kept], previous),
        settings=settings,
    )


def file_operations(messages: Iterable[Message], earlier: CompactionEntry | None = None) -> FileOperations:
    """The files of all tool calls in the messages, and those that an earlier compaction of ours listed."""
    found: dict[str, set[str]] = {"read": set(), "write": set(), "edit": set()}
    for message in messages:
        for name, path in _file_calls(message):
            found[name].add(path)
    if earlier is not None and not earlier.from_hook:
        found["read"] |= listed(earlier.details, "readFiles")
        found["edit"] |= listed(earlier.details, "modifiedFiles")
    return FileOperations(
        read=frozenset(found["read"]), written=frozenset(found["write"]), edited=frozenset(found["edit"])
    )


def listed(details: Any, key: str) -> set[str]:
    """The paths that the details of a summary list under a key."""
    paths = details.get(key) if isinstance(details, Mapping) else None
    return {path for path in paths if isinstance(path, str)} if isinstance(paths, list) else set()


def _file_calls(message: Message) -> Iterable[tuple[str, str]]:
    """Which built-in file tools a message calls, with the path as the model wrote it."""
    if not isinstance(message, AssistantMessage):
        return
    for block in message.content:
        if isinstance(block, ToolCallContent) and block.name in ("read", "write", "edit"):
            path = block.arguments.get("path")
            if isinstance(path, str) and path:
                yield block.name, path
