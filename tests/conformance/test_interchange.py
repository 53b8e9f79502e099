"""Session files that other programs of the family wrote: read, gone on with, handed back.

The files of `sessions/` were written by hand, as the two versions of the contract describe them.

Touches: files.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import Model
from hookspecs.messages import (
    AssistantMessage,
    BashExecutionMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
)
from pi_core.compaction.prepare import CompactionPreparation, prepare_compaction
from pi_core.compaction.tokens import CompactionSettings
from pi_core.export.write import export_file, export_session
from pi_core.history.linear import linear_objects
from pi_core.history.sessions import create_branched_session, create_session, fork_file, open_session
from pi_core.history.store import SessionStore
from pi_core.providers.transcript import for_model
from tests.conformance.host_rows import HERE
from tests.conformance.reader_rules import violations
from tests.conformance.session_rows import shown

FILES = sorted((HERE / "sessions").glob("*.jsonl"), key=lambda path: path.name)
CURRENT = [path for path in FILES if path.name.startswith("pi-")]
MODEL = Model(id="rocket-1", provider="acme", api="openai-completions", input=("text", "image"))

READ: dict[str, list[str]] = {
    "pi-0.82.jsonl": [
        "user Read the notes, please. — ﬁrst try ☕",
        "assistant Reading.|<call read>",
        "toolResult Line one\nLine two",
        "assistant There are two lines.",
        "branchSummary The brakes were begun.",
        "user Leave the brakes, do the lights.",
        "assistant Lights are on.",
    ],
    "pi-1.6.jsonl": [
        "compactionSummary ## Goal\nCount files.",
        "assistant Counting.|<call bash>",
        "toolResult [output shortened]",
        "assistant Twelve files.",
        "user Count again, thoroughly.",
        "assistant Still twelve.",
        "user Only folders now.",
        "assistant Three folders.",
    ],
    "version-1.jsonl": [
        "compactionSummary They said hello.",
        "user go on",
        "assistant going",
        "custom Drink water.",
        "user thanks",
    ],
    "version-2.jsonl": ["user hello", "custom Drink water.", "assistant hi"],
}


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of each file in turn."""
    given: Path = request.param
    return Path(shutil.copy(given, tmp_path / given.name))


def said(store: SessionStore) -> list[str]:
    return [f"{form['role']} {form['text']}" for form in map(shown, store.build_context().messages)]


def wires(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().split("\n") if line and not line.endswith("deadbe")]


def go_on(store: SessionStore) -> None:
    """One of everything that we write."""
    question = store.append_message(UserMessage(content="More?", timestamp=1))
    store.append_model_change("acme", "rocket-3")
    store.append_thinking_level_change("low")
    store.append_message(
        AssistantMessage(content=[TextContent(text="Yes.")], api="a", provider="p", model="m")
    )
    store.append_message(ToolResultMessage(tool_call_id="1", tool_name="t", duration_ms=3))
    store.append_message(BashExecutionMessage(command="ls", output="a", exit_code=None, cancelled=True))
    store.append_custom_entry("mine", {"snake_case": 1, "none": None})
    store.append_custom_message("note", "text", display=False)
    store.append_context_edit(question, None)
    store.append_context_edit(question, "Anything else?")
    store.append_label(question, "more")
    store.append_label(question, None)
    store.append_session_info("A name")
    store.append_usage("summary", "p", "m", AssistantMessage().usage)
    store.append_compaction("the summary", question, 9, details={"readFiles": []})
    store.branch_with_summary(question, "left")


def test_a_file_is_read_as_its_writer_means_it(path: Path) -> None:
    """Branch, summary, edits and notes give the conversation that the other program would go on with."""
    assert READ[path.name] == said(open_session(path))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pi-0.82.jsonl", ("Notes of the engine", "acme", "rocket-1", "medium", ["good start"])),
        ("pi-1.6.jsonl", ("Counting", "acme", "rocket-1", "high", ["start"])),
        ("version-1.jsonl", (None, "acme", "rocket-1", "off", [])),
        ("version-2.jsonl", (None, "acme", "rocket-1", "low", [])),
    ],
)
def test_name_model_level_and_labels_come_along(name: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    """Host case 69: what was chosen last on the branch counts; an answer says which model it was."""
    store = open_session(Path(shutil.copy(HERE / "sessions" / name, tmp_path / name)))
    context = store.build_context()
    assert context.model is not None
    labels = [label for entry in store.get_entries() if (label := store.get_label(entry.id))]
    model = context.model
    assert expected == (store.session_name, model.provider, model.model_id, context.thinking_level, labels)


@pytest.mark.parametrize("given", CURRENT, ids=lambda path: path.stem)
def test_a_current_file_is_not_touched_by_reading(given: Path, tmp_path: Path) -> None:
    """At most a last line that was cut short gets its line feed."""
    copy = Path(shutil.copy(given, tmp_path / "s.jsonl"))
    open_session(copy)
    before = given.read_bytes()
    assert copy.read_bytes() == before + (b"" if before.endswith(b"\n") else b"\n")


def test_what_we_add_is_what_readers_rely_on(path: Path) -> None:
    """The lines of the others stay letter by letter, ours follow the rules of the format."""
    store = open_session(path)
    before = path.read_bytes()
    go_on(store)
    after = path.read_bytes()
    assert after.startswith(before)
    whole = b"".join(line + b"\n" for line in after.split(b"\n") if line and not line.endswith(b"deadbe"))
    assert [] == violations(whole)
    again = open_session(path)
    assert (said(store), store.get_leaf_id()) == (said(again), again.get_leaf_id())
    assert store.get_entries() == again.get_entries()


def test_a_file_of_our_own_follows_the_rules(tmp_path: Path) -> None:
    """From the first line on, with everything that we write."""
    store = create_session(tmp_path, "/home/ada")
    go_on(store)
    assert store.session_file is not None
    assert [] == violations(Path(store.session_file).read_bytes())


@pytest.mark.parametrize("given", CURRENT, ids=lambda path: path.stem)
def test_the_rules_hold_for_the_others_files_too(given: Path) -> None:
    """Else they would not say much."""
    whole = "".join(json.dumps(wire, ensure_ascii=False) + "\n" for wire in wires(given.read_bytes()))
    assert [] == violations(whole.encode())


def test_a_fork_takes_everything_along(path: Path, tmp_path: Path) -> None:
    """Unknown entries, roles and fields of the branch stand in the fork as they stood; labels come last."""
    store = open_session(path)
    fork = create_branched_session(store, store.get_leaf_id(), directory=tmp_path / "forks")
    assert fork.session_file is not None
    kept = [
        {**store.wire_of(entry.id), "parentId": 0} for entry in store.get_branch() if entry.type != "label"
    ]
    theirs = wires(Path(fork.session_file).read_bytes())[1:]
    assert kept == [{**wire, "parentId": 0} for wire in theirs if wire["type"] != "label"]
    assert said(store) == said(fork)
    assert [] == violations(Path(fork.session_file).read_bytes())


def test_a_file_may_move_to_another_project(path: Path, tmp_path: Path) -> None:
    """All branches come along, under a new header that names where they come from."""
    moved = fork_file(path, tmp_path / "other", "/home/ada/other")
    source = open_session(path)
    assert (str(path), "/home/ada/other") == (moved.header.parent_session, moved.cwd)
    assert [e.id for e in source.get_entries()] == [e.id for e in moved.get_entries()]
    assert said(source) == said(moved)


def test_a_branch_can_be_written_as_a_line(path: Path, tmp_path: Path) -> None:
    """A file without other branches, each entry a child of the one before; it says the same."""
    store = open_session(path)
    line = export_session(store, "line.jsonl", cwd=tmp_path)
    written = wires(line.read_bytes())
    assert linear_objects(store) == written
    assert [None, *(wire["id"] for wire in written[1:-1])] == [wire["parentId"] for wire in written[1:]]
    copy = open_session(line)
    assert (store.session_id, said(store)) == (copy.session_id, said(copy))


def test_a_file_can_be_written_as_a_line_without_being_opened(path: Path, tmp_path: Path) -> None:
    """It stays as it is, old versions too; the copy is of the current one."""
    before = path.read_bytes()
    line = export_file(path, "line.jsonl", cwd=tmp_path)
    assert before == path.read_bytes()
    assert 3 == wires(line.read_bytes())[0]["version"]
    assert READ[path.name] == said(open_session(line))


def test_a_model_gets_what_it_knows(path: Path) -> None:
    """Host case 88: failed answers, system messages and commands that were kept back are not sent."""
    messages = open_session(path).build_context().messages
    sent = for_model(messages, MODEL)
    assert {"user", "assistant", "toolResult"} >= {message.role for message in sent}
    assert not any(getattr(message, "error_message", None) for message in sent)
    assert "SECRET" not in str(sent)


def test_a_foreign_conversation_can_be_compacted(tmp_path: Path) -> None:
    """The summary of the other program is brought up to date, its lists of files go on."""
    path = Path(shutil.copy(HERE / "sessions" / "pi-0.82.jsonl", tmp_path / "s.jsonl"))
    store = open_session(path)
    last = next(entry.id for entry in reversed(store.get_entries()) if "Half" in str(store.wire_of(entry.id)))
    found = prepare_compaction(store.get_branch(last), CompactionSettings(keep_recent_tokens=1))
    assert isinstance(found, CompactionPreparation)
    assert "## Goal\nKeep the engine in order." == found.previous_summary
    assert (["notes.md"], ["engine.py"]) == (found.file_ops.read_files, found.file_ops.modified_files)
