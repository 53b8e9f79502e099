"""How a summary is asked for, and what is made of the answer."""

from __future__ import annotations

import pytest

from hookspecs.messages import AssistantMessage, Message
from pi_core.abort import AbortController, AbortedError
from pi_core.compaction.prompts import HEADINGS, SYSTEM, without_file_lists
from pi_core.compaction.summarize import summarise
from pi_core.errors import SummaryError
from tests.core.compaction.kit import RecordingAsk, answer, call, chain, compaction, prepared, result, user

TURN: list[Message] = [user(1, "the question"), answer("the answer", call("read", "a.py"))]
SPLIT: list[Message] = [user(1, "the wish"), answer("begun", call("edit", "b.py")), result()]


async def test_whole_turns_are_one_request() -> None:
    """The record stands between tags, the instructions name the six headings, in order."""
    ask = RecordingAsk()
    await summarise(prepared(chain(*TURN, user(9)), keep=5), ask)
    [text] = ask.texts
    assert text.startswith("<conversation>\n[User]\nthe question\n\n[Assistant]\nthe answer")
    places = [text.index(f"## {heading}\n") for heading in HEADINGS]
    assert sorted(places) == places
    assert [SYSTEM] == ask.systems


async def test_the_answer_has_the_files_at_its_end() -> None:
    """Files stand in tags in the summary, and as lists in its details."""
    branch = chain(*TURN, *SPLIT, user(9))
    made = await summarise(prepared(branch, keep=5), RecordingAsk())
    lists = "<read-files>\na.py\n</read-files>\n\n<modified-files>\nb.py\n</modified-files>"
    assert f"## Goal\nnotes\n\n{lists}" == made.summary
    assert {"readFiles": ["a.py"], "modifiedFiles": ["b.py"]} == made.details


async def test_a_split_turn_is_two_requests() -> None:
    """The history and the beginning of the turn are summarised apart and put together; usage adds up."""
    ask = RecordingAsk([answer("history", used=10), answer("beginning", used=5)])
    made = await summarise(prepared(chain(*TURN, *SPLIT, answer("four" * 9)), keep=5), ask)
    assert "the question" in ask.texts[0]
    assert "the wish" not in ask.texts[0]
    assert "the wish" in ask.texts[1]
    assert made.summary.startswith("history\n\n---\n\n**The turn in progress, its beginning:**\n\nbeginning")
    assert 15 == made.usage.total_tokens
    assert [800, 500] == ask.limits


async def test_a_single_turn_that_is_split_is_one_request() -> None:
    """Without history there are only the notes about the turn's beginning."""
    ask = RecordingAsk([answer("beginning")])
    made = await summarise(prepared(chain(*SPLIT, answer("four" * 9)), keep=5), ask)
    assert "beginning" == without_file_lists(made.summary)


async def test_an_earlier_summary_is_brought_up_to_date() -> None:
    """It is given without its lists of files, which are made anew, with the order to replace it."""
    earlier = compaction(
        "earlier notes\n\n<read-files>\nz.py\n</read-files>", "e0", details={"readFiles": ["z.py"]}
    )
    ask = RecordingAsk()
    made = await summarise(prepared(chain(*TURN, earlier, user(9)), keep=5), ask)
    assert "<previous-summary>\nearlier notes\n</previous-summary>" in ask.texts[0]
    assert ["a.py", "z.py"] == made.details["readFiles"]


async def test_an_earlier_summary_survives_where_only_a_turn_is_split() -> None:
    """Nothing is added to the history, so its notes stay as they are, without a request."""
    ask = RecordingAsk([answer("beginning")])
    branch = chain(user(), compaction("earlier notes", "e2"), *SPLIT, answer("four" * 9))
    made = await summarise(prepared(branch, keep=5), ask)
    assert 1 == len(ask.texts)
    assert made.summary.startswith("earlier notes\n\n---\n\n")
    assert "beginning" in made.summary


async def test_the_person_may_say_what_matters() -> None:
    """Instructions of a manual compaction stand at the end of the request."""
    ask = RecordingAsk()
    await summarise(prepared(chain(*TURN, user(9)), keep=5), ask, custom_instructions="keep the numbers")
    assert ask.texts[0].endswith("keep the numbers")


async def test_the_request_fits_the_window() -> None:
    """What would not fit is left out, so that a conversation that overflowed can be compacted."""
    ask = RecordingAsk()
    turns = [message for n in range(50) for message in (user(100, f"{n:04}"), answer("x" * 400))]
    await summarise(prepared(chain(*turns, user(9)), keep=5), ask, context_window=8000)
    assert len(ask.texts[0]) < 4 * 8000
    assert "earlier messages are left out" in ask.texts[0]
    assert "0049" in ask.texts[0]


@pytest.mark.parametrize(
    ("found", "bad"),
    [
        ("529 overloaded", answer("", stop="error", error="529 overloaded")),
        ("the model wrote nothing", answer("")),
        ("the model wrote nothing", answer(" \n")),
    ],
)
async def test_a_bad_answer_is_an_error(found: str, bad: AssistantMessage) -> None:
    """A summary that is missing must never stand for a conversation."""
    with pytest.raises(SummaryError) as caught:
        await summarise(prepared(chain(*TURN, user(9)), keep=5), RecordingAsk([bad]))
    assert found == caught.value.found


async def test_an_abort_is_no_failure() -> None:
    """Aborted before or during the request: nothing comes of it."""
    with pytest.raises(AbortedError):
        await summarise(
            prepared(chain(*TURN, user(9)), keep=5), RecordingAsk([answer("half", stop="aborted")])
        )
    controller, ask = AbortController(), RecordingAsk()
    controller.abort()
    with pytest.raises(AbortedError):
        await summarise(prepared(chain(*TURN, user(9)), keep=5), ask, signal=controller.signal)
    assert [] == ask.texts
