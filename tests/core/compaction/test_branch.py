"""The summary of a branch that was left."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pi_core.compaction.branch import abandoned, prepare_branch_summary, summarise_branch
from pi_core.history.entries import BranchSummaryEntry, Entry
from tests.core.compaction.kit import RecordingAsk, answer, base, call, chain, compaction, label, user

TRUNK = chain(user(1, "start"), answer())
OLD = [*TRUNK, *chain(user(), user(), user(1, "left"), answer("tried", call("edit", "a.py")))[2:]]


def ids(entries: Sequence[Entry]) -> list[str]:
    return [entry.id for entry in entries]


@pytest.mark.parametrize(
    ("expected", "shared", "old", "new"),
    [
        (["e2", "e3"], "e1", OLD, TRUNK),
        (["e3"], "e2", OLD, OLD[:3]),
        ([], "e1", TRUNK, OLD),
        ([], "e1", TRUNK, TRUNK),
        (["e0", "e1"], None, TRUNK, []),
        ([], None, [], OLD),
    ],
)
def test_what_is_left_is_behind_the_last_common_entry(
    expected: list[str], shared: str | None, old: list[Entry], new: list[Entry]
) -> None:
    """Oldest first, down to the old leaf; going forward leaves nothing."""
    found = abandoned(old, new)
    assert (expected, shared) == (ids(found.entries), found.common_ancestor_id)


def test_nothing_said_is_nothing_to_summarise() -> None:
    """Labels and the like are no conversation."""
    assert prepare_branch_summary(chain(label(), label()), 1000) is None
    assert prepare_branch_summary([], 1000) is None


def test_the_newest_messages_fill_the_budget() -> None:
    """Older ones are left out, and the files of their calls still count."""
    old, new = answer("old", call("read", "old.py")), user(9, "new!")
    found = prepare_branch_summary(chain(user(50), old, new), 10)
    assert found is not None
    assert [new] == list(found.messages)
    assert (9, ["old.py"]) == (found.tokens, found.file_ops.read_files)


def test_one_message_is_always_taken() -> None:
    """A message longer than the budget is cut later rather than lost."""
    found = prepare_branch_summary(chain(user(), user(50)), 10)
    assert found is not None
    assert 1 == len(found.messages)


def test_an_older_summary_squeezes_in() -> None:
    """What a summary stands for would be lost altogether, so it is taken while there is some room."""
    found = prepare_branch_summary(chain(compaction("s" * 80, "x"), user(5)), 10)
    assert found is not None
    assert ["compactionSummary", "user"] == [message.role for message in found.messages]
    full = prepare_branch_summary(chain(compaction("s" * 80, "x"), user(10)), 10)
    assert full is not None
    assert ["user"] == [message.role for message in full.messages]


def test_summaries_inside_a_branch_pass_on_their_files() -> None:
    """Lists add up over branches, too; those of an extension are its own."""
    details = {"readFiles": ["r.py"], "modifiedFiles": ["m.py"]}
    ours = BranchSummaryEntry(**base(), from_id="x", summary="s", details=details)
    theirs = BranchSummaryEntry(
        **base(), from_id="x", summary="s", details={"readFiles": ["x"]}, from_hook=True
    )
    found = prepare_branch_summary(chain(ours, theirs, user()), 1000)
    assert found is not None
    assert (["r.py"], ["m.py"]) == (found.file_ops.read_files, found.file_ops.modified_files)


async def test_a_branch_is_one_short_request() -> None:
    """Host case 53: one request for at most 2048 tokens; the summary ends with the files."""
    ask = RecordingAsk()
    prepared = prepare_branch_summary(abandoned(OLD, TRUNK).entries, 1000)
    assert prepared is not None
    made = await summarise_branch(prepared, ask)
    assert "## Goal\nnotes\n\n<modified-files>\na.py\n</modified-files>" == made.summary
    assert [2048] == ask.limits
    assert "left" in ask.texts[0]
    assert "start" not in ask.texts[0]


async def test_instructions_are_added_or_replace_ours() -> None:
    """An extension or a person may say more, or everything."""
    ask = RecordingAsk([answer("a"), answer("b")])
    prepared = prepare_branch_summary(OLD, 1000)
    assert prepared is not None
    await summarise_branch(prepared, ask, custom_instructions="in French")
    await summarise_branch(prepared, ask, custom_instructions="one line", replace_instructions=True)
    assert "## Key Decisions" in ask.texts[0]
    assert ask.texts[0].endswith("in French")
    assert ask.texts[1].endswith("</conversation>\n\none line")
