"""What is compacted and what is kept, against the recorded reference."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hookspecs.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    Message,
    TextContent,
    ToolCallContent,
)
from pi_core.compaction.prepare import CompactionPreparation, prepare_compaction
from pi_core.compaction.tokens import CompactionSettings, branch_tokens, estimate_tokens, should_compact
from pi_core.history.codec import entry_from_wire
from pi_core.history.context import project
from pi_core.history.entries import Entry
from tests.conformance.host_rows import Row, hold, row_id, rows_of

ROWS = rows_of("compaction")


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_branches_are_cut_as_recorded(row: Row) -> None:
    """The same branch comes to as many tokens, is compacted at the same time and cut at the same place."""
    hold("compaction", row, row["out"], outcome(row))


@pytest.mark.parametrize("row", [row for row in ROWS if row["id"] == "compaction-100"], ids=row_id)
def test_a_system_message_is_all_that_differs_in_the_context(row: Row) -> None:
    """Where the file has system messages, everything else of the context counts as recorded."""
    expected, ours = row["out"], outcome(row)
    pairs = list(zip(expected["context_roles"], expected["message_tokens"], strict=True))
    kept = [pair for pair in pairs if pair[0] != "system"]
    assert kept == list(zip(ours["context_roles"], ours["message_tokens"], strict=True))
    same = ("context_tokens", "usage_tokens", "trailing_tokens", "should_compact")
    assert [expected[key] for key in same] == [ours[key] for key in same]


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["id"] in ("compaction-037", "compaction-100")], ids=row_id
)
def test_notes_before_a_question_split_no_turn(row: Row) -> None:
    """The cut and what goes are as recorded; the turn before is whole and is summarised as such."""
    expected, ours = row["out"]["prepare"], outcome(row)["prepare"]
    assert expected["first_kept_id"] == ours["first_kept_id"]
    assert [*expected["summarize"], *expected["prefix"]] == ours["summarize"]
    assert (False, []) == (ours["split_turn"], ours["prefix"])


def outcome(row: Row) -> dict[str, Any]:
    """Ours, in the recorded form."""
    given = row["in"]
    branch = [entry for wire in given["entries"] if (entry := entry_from_wire(wire)) is not None]
    limits = CompactionSettings(
        enabled=given["settings"]["enabled"],
        reserve_tokens=given["settings"]["reserveTokens"],
        keep_recent_tokens=given["settings"]["keepRecentTokens"],
    )
    messages = [item.message for item in project(branch)]
    counted = branch_tokens(branch)
    return {
        "context_roles": [message.role for message in messages],
        "message_tokens": [estimate_tokens(message) for message in messages],
        "context_tokens": counted.tokens,
        "usage_tokens": counted.usage_tokens,
        "trailing_tokens": counted.trailing_tokens,
        "last_usage_index": counted.last_usage_index,
        "should_compact": should_compact(counted.tokens, given["context_window"], limits),
        "prepare": preparation(branch, limits),
    }


def preparation(branch: list[Entry], limits: CompactionSettings) -> dict[str, Any] | None:
    found = prepare_compaction(branch, limits)
    if not isinstance(found, CompactionPreparation):
        return None
    previous = found.previous_summary
    return {
        "first_kept_id": found.first_kept_entry_id,
        "split_turn": found.is_split_turn,
        "tokens_before": found.tokens_before,
        "previous_summary": None if previous is None else first_mark(previous),
        "summarize": [f"{message.role}:{mark(message)}" for message in found.messages_to_summarize],
        "prefix": [f"{message.role}:{mark(message)}" for message in found.turn_prefix_messages],
        "read_files": found.file_ops.read_files,
        "modified_files": found.file_ops.modified_files,
    }


def mark(message: Message) -> str:
    """The name that a recorded text bears, or what stands for it."""
    match message:
        case BashExecutionMessage(output=output):
            return first_mark(output) or "bash"
        case CompactionSummaryMessage(summary=summary) | BranchSummaryMessage(summary=summary):
            return first_mark(summary) or "-"
        case _:
            content = message.content
            blocks = [content] if isinstance(content, str) else [_text(block) for block in content]
    calls = [block.id for block in content if isinstance(block, ToolCallContent)]
    own = calls if isinstance(message, AssistantMessage) else []
    return first_mark(" ".join(blocks)) or next(iter(own), "-")


def first_mark(text: str) -> str | None:
    found = re.search(r"\bm\d+", text)
    return found.group() if found else None


def _text(block: Any) -> str:
    return block.text if isinstance(block, TextContent) else ""
