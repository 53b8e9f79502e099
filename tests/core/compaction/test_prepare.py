"""What a compaction would do."""

from __future__ import annotations

import pytest

from hookspecs.messages import Message
from pi_core.compaction.prepare import NothingToCompact, file_operations, prepare_compaction
from pi_core.compaction.tokens import CompactionSettings
from pi_core.history.entries import Entry
from tests.core.compaction.kit import answer, call, chain, compaction, prepared, result, user

OURS = {"readFiles": ["old.txt", "a.py"], "modifiedFiles": ["b.py"]}


def test_a_compaction_is_not_compacted() -> None:
    """Host case 17: the second one in a row says so."""
    branch = chain(user(9), user(9), compaction("s", "e1"))
    assert NothingToCompact("Already compacted") == prepare_compaction(branch, CompactionSettings())


@pytest.mark.parametrize("branch", [chain(), chain(user()), chain(user(), answer())])
def test_a_small_session_is_left_alone(branch: list[Entry]) -> None:
    """Where nothing is older than what is kept there is nothing to do."""
    found = prepare_compaction(branch, CompactionSettings())
    assert NothingToCompact("Nothing to compact (session too small)") == found


def test_whole_turns_go() -> None:
    """A cut between turns gives everything before it to the summary."""
    old: list[Message] = [user(), answer(used=900)]
    found = prepared(chain(*old, user(9)), keep=5)
    assert ("e2", tuple(old), ()) == (
        found.first_kept_entry_id,
        tuple(found.messages_to_summarize),
        tuple(found.turn_prefix_messages),
    )
    assert (False, 909, None) == (found.is_split_turn, found.tokens_before, found.previous_summary)


def test_a_split_turn_gives_its_beginning() -> None:
    """The turns before it and its own beginning are summarised apart."""
    first, question, long = user(), user(2), answer("four" * 9)
    found = prepared(chain(first, answer(), question, long), keep=5)
    assert found.is_split_turn
    assert (2, (question,)) == (len(found.messages_to_summarize), tuple(found.turn_prefix_messages))


def test_a_second_compaction_begins_where_the_first_one_kept() -> None:
    """Host case 68: what the first one kept is summarised now, with its summary beside it."""
    kept = user(2)
    branch = chain(user(9), kept, compaction("the first", "e1"), user(9))
    found = prepared(branch, keep=5)
    assert ("the first", (kept,)) == (found.previous_summary, tuple(found.messages_to_summarize))


def test_files_are_those_of_the_calls_that_go() -> None:
    """Reading, writing and editing count by path; who changed a file is not listed as its reader."""
    read, write = call("read", "a.py"), call("write", "b.py")
    gone: list[Message] = [
        user(),
        answer("", read, call("read", "c.py"), call("bash", "x")),
        result(),
        answer("", write),
    ]
    kept = answer("four" * 9, call("edit", "kept.py"))
    files = prepared(chain(*gone, answer("", call("edit", "c.py")), user(), kept), keep=10).file_ops
    assert (["a.py"], ["b.py", "c.py"]) == (files.read_files, files.modified_files)


def test_its_messages_may_be_edited() -> None:
    """What an extension takes out of them is not summarised, and stays in the history."""
    branch = chain(user(1, "secret"), user(9))
    found = prepared(branch, keep=5)
    found.messages_to_summarize[0].content = "[removed]"  # type: ignore[union-attr]  # a message of the user
    assert "secret" == branch[0].message.content  # type: ignore[union-attr]  # the same


def test_files_add_up() -> None:
    """What an earlier summary of ours listed is listed again; what was changed since is not only read."""
    earlier = compaction("s", "e0", details=OURS)
    files = file_operations([answer("", call("edit", "a.py"))], earlier)
    assert (["old.txt"], ["a.py", "b.py"]) == (files.read_files, files.modified_files)


@pytest.mark.parametrize("details", [None, [], {"readFiles": "x"}, {"readFiles": [1, None]}])
def test_odd_details_list_nothing(details: object) -> None:
    """Details are free data: whatever is not a list of paths is passed over."""
    assert [] == file_operations([], compaction("s", "e0", details=details)).read_files


def test_details_of_an_extension_are_its_own() -> None:
    """A summary that an extension wrote may list anything under these names."""
    assert [] == file_operations([], compaction("s", "e0", details=OURS, from_hook=True)).read_files


@pytest.mark.parametrize("arguments", [{}, {"path": 7}, {"path": ""}])
def test_a_call_without_a_path_is_no_file(arguments: dict[str, object]) -> None:
    """Arguments are as the model sent them, right or wrong."""
    odd = call("read", "")
    odd.arguments = arguments
    assert [] == file_operations([answer("", odd)]).read_files
