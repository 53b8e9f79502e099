"""The summary of a branch that a person leaves, so that what was learned there is not lost.

Touches: the model that is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Final

from hookspecs.messages import BranchSummaryMessage, CompactionSummaryMessage, Message
from hookspecs.values import dataclass
from pi_core.abort import AbortSignal
from pi_core.compaction import prompts
from pi_core.compaction.conversation import as_text
from pi_core.compaction.prepare import FileOperations, file_operations, listed
from pi_core.compaction.summarize import Ask, Summary, finished, notes_of
from pi_core.compaction.tokens import estimate_tokens
from pi_core.history.context import message_of
from pi_core.history.entries import BranchSummaryEntry, CompactionEntry, Entry
from pi_core.history.tree import common_ancestor

MAX_SUMMARY_TOKENS: Final = 2048
SUMMARY_ROOM: Final = 0.9
"""An older summary is taken in although it is too long, while less than this part of the budget is used."""


@dataclass(frozen=True, slots=True)
class Abandoned:
    """What lies between the leaf that is left and the branch that is gone to."""

    entries: Sequence[Entry]
    """Oldest first; empty if nothing is left behind."""
    common_ancestor_id: str | None
    """The last entry that both branches have; None if they have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPreparation:
    """What a branch summary will be about."""

    messages: Sequence[Message]
    """Oldest first, within the budget, at least one."""
    tokens: int
    """Their estimated size."""
    token_budget: int
    """What they may come to in the request."""
    file_ops: FileOperations = field(default_factory=FileOperations)


def abandoned(old_branch: Sequence[Entry], new_branch: Sequence[Entry]) -> Abandoned:
    """What is left by going from one leaf to another; both branches are given from root to leaf."""
    shared = common_ancestor(old_branch, new_branch)
    if shared is None:
        return Abandoned(tuple(old_branch), None)
    first = next(n for n, entry in enumerate(old_branch) if entry.id == shared.id) + 1
    return Abandoned(tuple(old_branch[first:]), shared.id)


def prepare_branch_summary(entries: Sequence[Entry], token_budget: int) -> BranchPreparation | None:
    """What to summarise of abandoned entries (oldest first); None if nothing was said there.

    The newest messages that come to no more than `token_budget`. Files count also where messages do not fit.
    """
    said = [message for entry in entries if (message := message_of(entry)) is not None]
    chosen = _newest(said, token_budget)
    if not chosen:
        return None
    tokens = sum(map(estimate_tokens, chosen))
    return BranchPreparation(
        messages=tuple(chosen), tokens=tokens, token_budget=token_budget, file_ops=_files(entries, said)
    )


async def summarise_branch(
    preparation: BranchPreparation,
    ask: Ask,
    *,
    custom_instructions: str | None = None,
    replace_instructions: bool = False,
    max_tokens: int = MAX_SUMMARY_TOKENS,
    signal: AbortSignal | None = None,
) -> Summary:
    """Ask for the summary of a branch. Instructions are added to ours, or take their place.

    Raises: SummaryError if the model failed, AbortedError after an abort.
    """
    text = as_text(preparation.messages, preparation.token_budget)
    prompt = prompts.branch_prompt(text, custom_instructions, replace=replace_instructions)
    notes, usage = await notes_of(ask, prompt, max_tokens=max_tokens, signal=signal)
    return finished(notes, preparation.file_ops, usage)


def _newest(messages: Sequence[Message], budget: int) -> Sequence[Message]:
    tokens = 0
    for index in reversed(range(len(messages))):
        size = estimate_tokens(messages[index])
        if tokens + size > budget:
            is_summary = isinstance(messages[index], CompactionSummaryMessage | BranchSummaryMessage)
            # What a summary stands for would be lost altogether.
            fits = is_summary and tokens < budget * SUMMARY_ROOM
            return messages[index if fits or tokens == 0 else index + 1 :]
        tokens += size
    return messages


def _files(entries: Iterable[Entry], messages: Iterable[Message]) -> FileOperations:
    """The files of the tool calls, and those that summaries of ours list."""
    found = file_operations(messages)
    read, edited = set(found.read), set(found.edited)
    for entry in entries:
        if isinstance(entry, CompactionEntry | BranchSummaryEntry) and not entry.from_hook:
            read |= listed(entry.details, "readFiles")
            edited |= listed(entry.details, "modifiedFiles")
    return FileOperations(read=frozenset(read), written=found.written, edited=frozenset(edited))
