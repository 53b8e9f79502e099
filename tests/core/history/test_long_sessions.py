"""A conversation of months: opening it and adding to it stay quick.

Touches: files.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookspecs.messages import CompactionSummaryMessage, UserMessage
from hookspecs.wire import is_message, message_from_wire
from pi_core.history.entries import MessageEntry
from pi_core.history.late import LateMessageEntry
from pi_core.history.listing import read_header, session_info
from pi_core.history.sessions import memory_session, open_session
from pi_core.history.store import SessionStore

HEADER = {"type": "session", "version": 3, "id": "long", "timestamp": "2025-01-02T03:04:05.000Z", "cwd": "/w"}


def entries(count: int, size: int) -> Iterable[dict[str, Any]]:
    """A chain of messages of so many characters; a compaction is three before the end, a model the last."""
    for n in range(count):
        entry = {"id": f"{n:08x}", "parentId": f"{n - 1:08x}" if n else None, "timestamp": "t"}
        if n == count - 1:
            yield {**entry, "type": "model_change", "provider": "p", "modelId": "m"}
        elif n == count - 3:
            kept = f"{n - 1:08x}"
            yield {**entry, "type": "compaction", "summary": "s", "firstKeptEntryId": kept, "tokensBefore": 1}
        else:
            message = {"role": "user", "content": [{"type": "text", "text": "x" * size}], "timestamp": 1}
            yield {**entry, "type": "message", "message": message}


def write(path: Path, count: int, size: int) -> Path:
    with path.open("w") as file:
        for wire in [HEADER, *entries(count, size)]:
            file.write(json.dumps(wire) + "\n")
    return path


def test_fifty_megabytes_open_within_two_seconds(tmp_path: Path) -> None:
    """Of the processor's time, so that a busy machine does not matter; the context is included."""
    path = write(tmp_path / "s.jsonl", 12_500, 4000)
    assert path.stat().st_size > 50_000_000
    begin = time.process_time()
    context = open_session(path).build_context()
    assert time.process_time() - begin < 2
    assert 3 == len(context.messages)


def test_what_a_summary_stands_for_is_not_looked_into(tmp_path: Path) -> None:
    """Messages before the kept part stay objects of the file until somebody asks for them."""
    store = open_session(write(tmp_path / "s.jsonl", 20, 10))
    assert isinstance(store.build_context().messages[0], CompactionSummaryMessage)
    late = [entry for entry in store.get_entries() if isinstance(entry, LateMessageEntry)]
    assert [False] * 16 + [True] * 2 == ["message" in vars(entry) for entry in late]
    assert "user" == late[0].message.role
    assert "message" in vars(late[0])


def test_a_late_message_is_an_entry_like_any_other(tmp_path: Path) -> None:
    """It equals the entry that holds the same message from the start, and has no other attributes."""
    late = open_session(write(tmp_path / "s.jsonl", 5, 3)).get_entries()[0]
    assert isinstance(late, LateMessageEntry)
    same = MessageEntry(id=late.id, parent_id=None, timestamp="t", message=late.message)
    assert late == same
    assert same == late
    assert late != MessageEntry(id="other", parent_id=None, timestamp="t", message=late.message)
    assert late != "late"
    with pytest.raises(AttributeError, match="mesage"):
        late.mesage  # noqa: B018 - it must not be there


def steps_of_an_append(store: SessionStore) -> int:
    """How many functions an append calls, those written in C included."""
    steps = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        store.append_message(UserMessage(content="x", timestamp=1))
    finally:
        sys.setprofile(None)
    return steps


def test_an_append_costs_the_same_however_long_the_session_is(tmp_path: Path) -> None:
    """Adding to three thousand entries takes no step more than adding to ten."""
    short = open_session(write(tmp_path / "short.jsonl", 10, 1))
    long = open_session(write(tmp_path / "long.jsonl", 3_000, 1))
    steps_of_an_append(short)
    assert steps_of_an_append(short) == steps_of_an_append(long)


def test_an_append_writes_its_line_only(tmp_path: Path) -> None:
    """The file is not read and not written anew: it grows by one line, in its place."""
    path = write(tmp_path / "s.jsonl", 100, 10)
    store, before, inode = open_session(path), path.read_bytes(), path.stat().st_ino
    entry = store.append_message(UserMessage(content="x", timestamp=1))
    line = json.dumps(store.wire_of(entry), separators=(",", ":")).encode() + b"\n"
    assert before + line == path.read_bytes()
    assert inode == path.stat().st_ino


def test_a_header_is_found_without_the_rest(tmp_path: Path) -> None:
    """Also where it is longer than what is read at first; a list still reads everything."""
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({**HEADER, "more": "x" * 20_000}) + "\n" + "y" * 2_000_000)
    header = read_header(path)
    assert header is not None
    assert "long" == header.id
    info = session_info(path)
    assert info is not None
    assert 0 == info.message_count


ATOMS = st.none() | st.integers() | st.text(max_size=5)
JSON = st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=3))
ROLES = st.sampled_from(["user", "assistant", "toolResult", "custom", "bashExecution", "system"])
BLOCKS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["text", "thinking", "toolCall", "image", "video"]) | JSON,
        "text": JSON,
        "thinking": JSON,
        "id": JSON,
        "name": JSON,
        "arguments": JSON,
        "data": JSON,
        "mimeType": JSON,
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": ROLES | JSON,
        "content": st.lists(BLOCKS | JSON, max_size=3) | JSON,
        "toolCallId": JSON,
        "toolName": JSON,
        "customType": JSON,
        "command": JSON,
        "output": JSON,
        "usage": JSON,
    },
)


@given(MESSAGES | JSON)
def test_what_is_called_a_message_can_be_read_as_one(wire: Any) -> None:
    """The quick look at an object comes to the same as reading it."""
    try:
        message_from_wire(wire)
    except (ValueError, AttributeError):
        assert not is_message(wire)
    else:
        assert is_message(wire)


def test_a_session_in_memory_is_quick_as_well() -> None:
    """A thousand appends to a session in memory take a moment of the processor's time."""
    store = memory_session("/w")
    begin = time.process_time()
    for _ in range(1000):
        store.append_message(UserMessage(content="x", timestamp=1))
    assert time.process_time() - begin < 2
