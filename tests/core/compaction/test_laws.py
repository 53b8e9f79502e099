"""What holds for every branch that is compacted, however it grew."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hookspecs.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)
from pi_core.compaction.cut_point import find_cut
from pi_core.compaction.prepare import CompactionPreparation, prepare_compaction
from pi_core.compaction.tokens import CompactionSettings, branch_tokens, estimate_tokens
from pi_core.history.context import project
from pi_core.history.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    Entry,
    ModelChangeEntry,
    UnknownEntry,
)
from tests.core.compaction.kit import answer, base, call, chain, label, result, user

SIZES = st.integers(0, 12)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    SIZES.map(user),
    SIZES.map(lambda n: answer("four" * n, call("read", f"{n}.py"), used=n * 40)),
    SIZES.map(lambda n: result("four" * n)),
    SIZES.map(lambda n: BashExecutionMessage(command="four" * n, output="")),
    SIZES.map(lambda n: CustomMessage(custom_type="note", content="four" * n)),
)
NOTES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(label),
    st.builds(lambda: ModelChangeEntry(**base(), provider="p", model_id="m")),
    st.builds(lambda: UnknownEntry(**base(), type="later")),
    SIZES.map(lambda n: CustomMessageEntry(**base(), custom_type="n", content="four" * n)),
    SIZES.map(lambda n: BranchSummaryEntry(**base(), from_id="x", summary="four" * n)),
    SIZES.map(lambda n: CompactionEntry(**base(), summary=f"s{n}", first_kept_entry_id=f"e{n}")),
    SIZES.map(lambda n: ContextEditEntry(**base(), target_id=f"e{n}")),
)
BRANCHES = st.lists(st.one_of(MESSAGES, MESSAGES, NOTES), max_size=40).map(lambda items: chain(*items))
KEEP = st.integers(0, 60)
BEGINS = (UserMessage, BashExecutionMessage, CustomMessage, BranchSummaryMessage)


def compacted(branch: list[Entry], keep: int) -> tuple[CompactionPreparation, list[Entry]] | None:
    """The preparation, and the branch with the compaction at its end."""
    found = prepare_compaction(branch, CompactionSettings(keep_recent_tokens=keep))
    if not isinstance(found, CompactionPreparation):
        return None
    new = CompactionEntry(
        id="new",
        parent_id=branch[-1].id,
        timestamp=branch[-1].timestamp,
        summary="the summary",
        first_kept_entry_id=found.first_kept_entry_id,
    )
    return found, [*branch, new]


@given(BRANCHES, KEEP)
@settings(max_examples=300)
def test_the_context_begins_with_the_summary_and_ends_as_before(branch: list[Entry], keep: int) -> None:
    """What is kept is the end of what was read, word by word, and what goes is all the rest."""
    outcome = compacted(branch, keep)
    if outcome is None:
        return
    found, after = outcome
    before = [item.message for item in project(branch)]
    summary, *kept = [item.message for item in project(after)]
    assert isinstance(summary, CompactionSummaryMessage)
    assert "the summary" == summary.summary
    gone = [*found.messages_to_summarize, *found.turn_prefix_messages]
    rest = before[1:] if found.previous_summary is not None else before
    assert [*gone, *kept] == rest
    assert gone
    assert kept


@given(BRANCHES, KEEP)
@settings(max_examples=300)
def test_no_kept_result_is_parted_from_its_call(branch: list[Entry], keep: int) -> None:
    """The first kept message is never a tool's result, and a split turn has a beginning."""
    outcome = compacted(branch, keep)
    if outcome is None:
        return
    found, after = outcome
    assert not isinstance(project(after)[1].message, ToolResultMessage)
    assert found.is_split_turn == bool(found.turn_prefix_messages)
    if found.is_split_turn:
        assert isinstance(found.turn_prefix_messages[0], BEGINS)


@given(st.lists(MESSAGES, max_size=40), KEEP)
def test_about_as_much_is_kept_as_was_asked_for(messages: list[Message], keep: int) -> None:
    """Without its first message the kept part fills the measure only where results follow a call."""
    cut = find_cut(messages, keep)
    if cut is None or isinstance(messages[-1], ToolResultMessage):
        return
    assert sum(map(estimate_tokens, messages[cut.first_kept + 1 :])) < max(keep, 1)


@given(BRANCHES, KEEP)
def test_a_compaction_makes_the_context_smaller(branch: list[Entry], keep: int) -> None:
    """Without counting the summary itself, less is read than before, and no stale usage is believed."""
    outcome = compacted(branch, keep)
    if outcome is None:
        return
    counted = branch_tokens(outcome[1])
    assert 0 == counted.usage_tokens
    gone = [*outcome[0].messages_to_summarize, *outcome[0].turn_prefix_messages]
    estimates = sum(estimate_tokens(item.message) for item in project(branch))
    assert counted.tokens - 3 <= estimates - sum(map(estimate_tokens, gone))


@given(BRANCHES, KEEP)
def test_a_second_one_in_a_row_does_nothing(branch: list[Entry], keep: int) -> None:
    """Host case 17: until something is said there is nothing new to compact."""
    outcome = compacted(branch, keep)
    if outcome is not None:
        assert compacted(outcome[1], keep) is None
