"""The rules by which sessions are listed and found.

Touches: files.
"""

from __future__ import annotations

import os
from pathlib import Path

from hookspecs.messages import AssistantMessage, TextContent, UserMessage
from pi_core.history.listing import find_session, list_all_sessions, list_sessions, most_recent_session
from pi_core.history.sessions import create_session


def make(folder: Path, session_id: str, *, cwd: str = "/w", at: int = 1000, changed: int = 100) -> Path:
    """A saved session in which a person and a model spoke, the model at `at`."""
    store = create_session(folder, cwd, session_id=session_id)
    store.append_message(UserMessage(content=f"ask {session_id}", timestamp=at - 1))
    store.append_message(AssistantMessage(content=[TextContent(text="said")], timestamp=at))
    store.append_session_info(f"name of {session_id}")
    assert store.session_file is not None
    os.utime(store.session_file, (changed, changed))
    return Path(store.session_file)


def test_last_used_first(tmp_path: Path) -> None:
    """A list is ordered by the last thing said, and tells name, first words and count."""
    make(tmp_path, "older", at=1000)
    make(tmp_path, "newer", at=2000)
    newer, older = list_sessions(tmp_path)
    assert ("newer", "older") == (newer.id, older.id)
    assert ("name of newer", "ask newer", 2, 2000) == (
        newer.name,
        newer.first_message,
        newer.message_count,
        newer.modified,
    )
    assert "ask newer said" == newer.text


def test_a_long_session_is_listed_by_its_ends(tmp_path: Path) -> None:
    """Of a long file the middle is only counted; a name that was given there is still its name."""
    store = create_session(tmp_path, "/w", session_id="long")
    store.append_message(UserMessage(content="first words", timestamp=1))
    for n in range(200):
        store.append_message(AssistantMessage(content=[TextContent(text=f"{n} " + "x" * 9000)], timestamp=2))
        if n == 100:
            store.append_session_info("named halfway")
    store.append_message(UserMessage(content="last words", timestamp=3))
    (info,) = list_sessions(tmp_path)
    assert ("named halfway", 202, 3) == (info.name, info.message_count, info.modified)
    assert info.first_message == "first words"
    assert info.text.endswith("last words")
    assert len(info.text) < 500_000


def test_one_line_may_be_longer_than_what_is_read(tmp_path: Path) -> None:
    """A first or a last message with a large picture is read whole."""
    store = create_session(tmp_path, "/w", session_id="huge")
    store.append_message(UserMessage(content="first " + "x" * 700_000, timestamp=1))
    store.append_message(AssistantMessage(content=[TextContent(text="last " + "x" * 900_000)], timestamp=2))
    (info,) = list_sessions(tmp_path)
    assert (2, 2) == (info.message_count, info.modified)
    assert info.first_message.startswith("first ")
    assert "last " in info.text


def test_odd_files_are_left_out(tmp_path: Path) -> None:
    """Files that are no sessions, and folders, are not listed."""
    make(tmp_path, "good")
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    (tmp_path / "folder.jsonl").mkdir()
    assert ["good"] == [info.id for info in list_sessions(tmp_path)]
    assert [] == list_sessions(tmp_path / "missing")


def test_old_versions_are_listed_unchanged(tmp_path: Path) -> None:
    """A file of version 1 is listed without being migrated."""
    path = tmp_path / "old.jsonl"
    text = (
        '{"type":"session","id":"v1","timestamp":"2025-01-02T03:04:05.000Z","cwd":"/w"}\n'
        '{"type":"message","timestamp":"x","message":{"role":"user","content":"hello","timestamp":5}}\n'
    )
    path.write_text(text)
    (info,) = list_sessions(tmp_path)
    assert ("v1", "hello", 1) == (info.id, info.first_message, info.message_count)
    assert text == path.read_text()


def test_most_recent_is_by_change(tmp_path: Path) -> None:
    """Continuing takes the file that was changed last, of the same working folder if asked."""
    mine = make(tmp_path, "mine", cwd="/w", changed=100)
    other = make(tmp_path, "other", cwd="/other", changed=200)
    assert other == most_recent_session(tmp_path)
    assert mine == most_recent_session(tmp_path, cwd="/w")
    assert most_recent_session(tmp_path, cwd="/nowhere") is None


def test_id_goes_before_its_beginning(tmp_path: Path) -> None:
    """An exact id wins over one that begins alike; a beginning means the last changed."""
    exact = make(tmp_path, "abc", changed=100)
    make(tmp_path, "abcd", changed=200)
    later = make(tmp_path, "abce", changed=300)
    found, started = find_session("abc", tmp_path), find_session("ab", tmp_path)
    assert found is not None
    assert started is not None
    assert (exact, later) == (found.path, started.path)


def test_other_projects_come_last(tmp_path: Path) -> None:
    """What this project does not have is looked for in the others, and marked so."""
    make(tmp_path / "--a--", "one", cwd="/a")
    away = make(tmp_path / "--b--", "two", cwd="/b")
    found = find_session("two", tmp_path / "--a--", tmp_path)
    assert found is not None
    assert (away, False, "/b") == (found.path, found.here, found.cwd)
    assert find_session("two", tmp_path / "--a--") is None
    assert {"one", "two"} == {info.id for info in list_all_sessions(tmp_path)}
