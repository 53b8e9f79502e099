"""Where a conversation is cut."""

from __future__ import annotations

import pytest

from hookspecs.messages import BashExecutionMessage, BranchSummaryMessage, CustomMessage, Message
from pi_core.compaction.cut_point import Cut, find_cut, first_kept_entry
from pi_core.history.context import project
from tests.core.compaction.kit import answer, chain, compaction, label, result, user

CUTS: list[tuple[str, Cut | None, list[Message], int]] = [
    ("nothing is there", None, [], 5),
    ("all fits", None, [user(), answer()], 5),
    ("the newest fills it, and all before goes", Cut(2, None), [user(9), answer(), user(9)], 5),
    ("the measure is filled exactly", Cut(1, None), [user(), user(5)], 5),
    ("the first message alone fills it", None, [user(9), answer()], 5),
    ("behind a result there is an answer", Cut(3, 0), [user(), answer(), result(), answer(), user(4)], 6),
    ("it falls on a result: the next answer", Cut(3, 0), [user(), answer(), result("four" * 9), answer()], 5),
    ("only results follow: the call stays", Cut(1, 0), [user(), answer(), result(), result("four" * 9)], 5),
    ("only results are there", None, [result(), result("four" * 9)], 5),
    ("results whose calls went", Cut(1, None), [result(), user()], 5),
    ("two turns, the second split", Cut(3, 2), [user(), answer(), user(), answer("four" * 9)], 5),
    ("nothing began the turn", Cut(1, None), [answer(), answer("four" * 9)], 5),
]


@pytest.mark.parametrize(
    ("expected", "messages", "keep"), [pytest.param(*case[1:], id=case[0]) for case in CUTS]
)
def test_the_cut(expected: Cut | None, messages: list[Message], keep: int) -> None:
    """It is at the first possible place from the message that fills the measure on."""
    assert expected == find_cut(messages, keep)


@pytest.mark.parametrize(
    "begin",
    [
        BashExecutionMessage(command="ls", output=""),
        CustomMessage(custom_type="note", content="four"),
        BranchSummaryMessage(summary="four", from_id="x"),
    ],
)
def test_a_turn_begins_with_whatever_a_model_reads_as_said_to_it(begin: Message) -> None:
    """A cut before such a message splits nothing; one behind it splits the turn that it began."""
    assert Cut(2, None) == find_cut([user(), answer(), begin, answer("four" * 5)], 6)
    assert Cut(3, 2) == find_cut([user(), answer(), begin, answer("four" * 5)], 5)


def test_notes_stay_with_what_they_stand_before() -> None:
    """Labels and the like just before the first kept message are kept, and split no turn."""
    branch = chain(user(), answer(), label(), label(), user(9))
    assert "e2" == first_kept_entry(branch, project(branch)[2]).id
    assert Cut(2, None) == find_cut([item.message for item in project(branch)], 5)


def test_an_older_compaction_is_not_kept() -> None:
    """Notes are taken along up to it, never it."""
    branch = chain(user(), compaction("old", "e0"), label(), user(9))
    assert "e2" == first_kept_entry(branch, project(branch)[-1]).id
