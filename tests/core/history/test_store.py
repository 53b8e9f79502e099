"""The rules of one session's history and its file, beyond the recorded ones.

Touches: files.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import (
    AssistantMessage,
    CompactionSummaryMessage,
    Message,
    TextContent,
    UserMessage,
    text_of,
)
from pi_core.errors import SessionFileError, UnknownEntryError
from pi_core.history.names import is_session_id, new_session_id, project_folder
from pi_core.history.sessions import (
    create_branched_session,
    create_session,
    fork_file,
    memory_session,
    open_session,
)
from pi_core.history.store import SessionStore


def user(text: str = "hello") -> UserMessage:
    return UserMessage(content=text, timestamp=1)


def answer(text: str = "hi") -> AssistantMessage:
    return AssistantMessage(content=[TextContent(text=text)], provider="p", model="m", timestamp=2)


def lines(store: SessionStore) -> list[dict[str, Any]]:
    assert store.session_file is not None
    return [json.loads(line) for line in Path(store.session_file).read_text().splitlines()]


def said(store: SessionStore) -> list[str]:
    """The texts that a model reads, in order."""
    return [words(message) for message in store.build_context().messages]


def words(message: Message) -> str:
    match message:
        case UserMessage(content=content) | AssistantMessage(content=content):
            return text_of(content)
        case CompactionSummaryMessage(summary=summary):
            return summary
        case _:
            raise AssertionError(f"unexpected {message.role}")


def test_nothing_said_leaves_no_file(tmp_path: Path) -> None:
    """C63: without a message there is no file, whatever else was noted."""
    store = create_session(tmp_path, "/w")
    store.append_model_change("p", "m")
    store.append_custom_entry("mine", {"a": 1})
    assert [] == list(tmp_path.iterdir())
    assert not store.is_saved


def test_order_of_a_first_run(tmp_path: Path) -> None:
    """C64: the file begins with the header and what was noted before the first message, in order."""
    store = create_session(tmp_path, "/w")
    store.append_model_change("p", "m")
    store.append_thinking_level_change("low")
    store.append_message(user())
    store.append_message(answer())
    types = [line["type"] for line in lines(store)]
    assert ["session", "model_change", "thinking_level_change", "message", "message"] == types
    parents = [line["parentId"] for line in lines(store)[1:]]
    assert [None, *(line["id"] for line in lines(store)[1:-1])] == parents


def test_notes_are_children_of_the_leaf(tmp_path: Path) -> None:
    """C65: custom entries, names and labels each follow the leaf and become it."""
    store = create_session(tmp_path, "/w")
    first = store.append_message(user())
    custom = store.append_custom_entry("mine", {"a": None})
    info = store.append_session_info(" two\nlines ")
    label = store.append_label(first, "mark")
    assert [first, custom, info, label] == [entry.id for entry in store.get_branch()]
    assert ("two lines", "mark", label) == (
        store.session_name,
        store.get_label(first),
        store.get_leaf_id(),
    )
    assert {"a": None} == lines(store)[2]["data"]


def test_reopened_session_goes_on(tmp_path: Path) -> None:
    """A file that is opened again has the same entries, and the next one follows its last."""
    store = create_session(tmp_path, "/w")
    store.append_message(user())
    store.append_message(answer())
    assert store.session_file is not None
    again = open_session(Path(store.session_file))
    assert store.get_entries() == again.get_entries()
    added = again.append_message(user("more"))
    entry = again.get_entry(added)
    assert entry is not None
    assert store.get_leaf_id() == entry.parent_id


def test_broken_lines_are_passed_over(tmp_path: Path) -> None:
    """C67: a line cut short is passed over, and what is added starts on a line of its own."""
    store = create_session(tmp_path, "/w")
    store.append_message(user())
    assert store.session_file is not None
    path = Path(store.session_file)
    path.write_bytes(path.read_bytes() + b'not json\n[1]\n{"type":"message","id":"12')
    again = open_session(path)
    assert ["hello"] == said(again)
    again.append_message(answer("after"))
    assert ["hello", "after"] == said(open_session(path))


def test_unknown_things_survive(tmp_path: Path) -> None:
    """Unknown fields, types and roles are kept, and travel into a fork."""
    path = tmp_path / "s.jsonl"
    header = {"type": "session", "version": 3, "id": "a", "timestamp": "t", "cwd": "/w", "new": 1}
    message = {"role": "user", "content": [{"type": "video", "x": 1}], "timestamp": 1, "mood": "good"}
    entries = [
        {"type": "future", "id": "1", "parentId": None, "timestamp": "t", "what": [1]},
        {"type": "message", "id": "2", "parentId": "1", "timestamp": "t", "message": message, "x": None},
        {"type": "message", "id": "3", "parentId": "2", "timestamp": "t", "message": {"role": "alien"}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *entries]))
    fork = create_branched_session(open_session(path), "3")
    assert entries == lines(fork)[1:]
    assert ["user"] == [message.role for message in fork.build_context().messages]


def test_write_failure_leaves_the_history_alone(tmp_path: Path) -> None:
    """An entry that could not be written is not in the history either."""
    store = create_session(tmp_path, "/w")
    store.append_message(user())
    assert store.session_file is not None
    Path(store.session_file).unlink()
    before = store.get_leaf_id()
    with pytest.raises(OSError, match="No such file"):
        store.append_message(answer())
    with pytest.raises(OSError, match="No such file"):
        store.branch_with_summary(None, "left")
    assert (before, 1) == (store.get_leaf_id(), len(store.get_entries()))


def test_file_of_another_is_never_overwritten(tmp_path: Path) -> None:
    """A session begins its file only where there is none."""
    store = create_session(tmp_path, "/w", session_id="mine")
    assert store.session_file is not None
    Path(store.session_file).write_text("taken")
    with pytest.raises(FileExistsError):
        store.append_message(user())
    assert "taken" == Path(store.session_file).read_text()


def test_compactions_count_from_the_latest() -> None:
    """C68: the latest summary, what it kept without older summaries, and what came after."""
    store = memory_session("/w")
    ids = [store.append_message(user(f"u{n}")) for n in range(4)]
    store.append_compaction("first", ids[1], 10)
    ids.append(store.append_message(user("u4")))
    store.append_compaction("second", ids[3], 20)
    store.append_message(user("u5"))
    assert ["second", "u3", "u4", "u5"] == said(store)


def test_compaction_that_keeps_nothing_on_the_branch() -> None:
    """If what a compaction kept is not on the branch, only what came after it is read."""
    store = memory_session("/w")
    store.append_message(user("u0"))
    store.append_compaction("sum", "elsewhere", 10)
    store.append_message(user("u1"))
    assert ["sum", "u1"] == said(store)


def test_context_edit_changes_reading_only() -> None:
    """An edit changes what is read, not what is stored; the latest edit of a message counts."""
    store = memory_session("/w")
    first = store.append_message(user("old"))
    second = store.append_message(answer("old answer"))
    store.append_context_edit(first, "new")
    store.append_context_edit(second, "new answer")
    assert ["new", "new answer"] == said(store)
    store.append_context_edit(second, None)
    assert ["new"] == said(store)
    store.branch(second)
    assert ["old", "old answer"] == said(store)


def test_labels_across_a_fork(tmp_path: Path) -> None:
    """C70: labels are made again at the fork's end, their targets stay."""
    store = create_session(tmp_path, "/w")
    first = store.append_message(user())
    store.append_label(first, "mark")
    last = store.append_message(answer())
    fork = create_branched_session(store, last)
    assert ["message", "message", "label"] == [entry.type for entry in fork.get_entries()]
    assert ("mark", store.session_file) == (fork.get_label(first), fork.header.parent_session)
    assert ["message", "label", "message"] == [entry.type for entry in store.get_entries()]


def test_fork_of_a_file_for_another_folder(tmp_path: Path) -> None:
    """A whole file is taken over under a new id, for the new working folder."""
    store = create_session(tmp_path, "/w")
    store.append_message(user())
    assert store.session_file is not None
    fork = fork_file(Path(store.session_file), tmp_path / "other", "/new")
    assert ("/new", store.session_file) == (fork.cwd, fork.header.parent_session)
    assert lines(store)[1:] == lines(fork)[1:]
    assert store.session_id != fork.session_id


@pytest.mark.parametrize(
    "attempt",
    [
        lambda store: store.branch("nowhere"),
        lambda store: store.append_label("nowhere", "x"),
        lambda store: store.branch_with_summary("nowhere", "s"),
        lambda store: store.append_context_edit("nowhere", None),
        lambda store: create_branched_session(store, "nowhere"),
    ],
)
def test_unknown_entries_are_refused(attempt: Callable[[SessionStore], object]) -> None:
    """What points to an entry that is not there is an error and changes nothing."""
    store = memory_session("/w")
    first = store.append_message(user())
    with pytest.raises(UnknownEntryError, match="nowhere"):
        attempt(store)
    assert (first, 1) == (store.get_leaf_id(), len(store.get_entries()))


def test_folder_and_missing_file(tmp_path: Path) -> None:
    """A missing file begins a session there; a folder is refused."""
    store = open_session(tmp_path / "new.jsonl", cwd="/w")
    store.append_message(user())
    assert (tmp_path / "new.jsonl").exists()
    with pytest.raises(SessionFileError):
        open_session(tmp_path)


def test_line_separators_are_text(tmp_path: Path) -> None:
    """C78: only a line feed ends a line; U+2028, NEL and half characters survive."""
    store = create_session(tmp_path, "/w")
    text = "a\u2028b\u2029c\x85d\x0be \ud83d"
    store.append_message(user(text))
    assert store.session_file is not None
    assert [text] == said(open_session(Path(store.session_file)))


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("a", True),
        ("a.b_c-d9", True),
        ("-a", False),
        ("a.", False),
        ("", False),
        ("a/b", False),
        ("a\n", False),
    ],
)
def test_ids_that_may_be_chosen(tmp_path: Path, text: str, allowed: bool) -> None:
    """An id begins and ends with a letter or digit, so that it can be part of a file's name."""
    assert allowed == is_session_id(text)
    if text and not allowed:
        with pytest.raises(SessionFileError):
            create_session(tmp_path, "/w", session_id=text)


def test_new_ids_sort_by_time() -> None:
    """New ids are UUIDs of version 7, all different."""
    ids = [new_session_id() for _ in range(100)]
    assert 100 == len(set(ids))
    assert {"7"} == {text[14] for text in ids}


@pytest.mark.parametrize(
    ("cwd", "expected"),
    [("/home/me/x", "--home-me-x--"), ("C:\\me\\x", "--C--me-x--"), ("/", "----")],
)
def test_folder_of_a_project(cwd: str, expected: str) -> None:
    """The folder's name is the working folder's, with dashes for separators."""
    assert expected == project_folder(Path("/s"), cwd).name
