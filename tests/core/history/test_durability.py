"""What survives when a program is killed, a line is torn or a disk is full.

Touches: files, processes.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hookspecs.messages import UserMessage
from pi_core.errors import SessionFileError
from pi_core.history.sessions import create_session, fork_file, memory_session, open_session
from pi_core.history.store import SessionStore

WRITER = """
import sys
from pathlib import Path
from hookspecs.messages import UserMessage
from pi_core.history.sessions import create_session

store = create_session(Path(sys.argv[1]), "/w", session_id="mine")
while True:
    print(store.append_message(UserMessage(content="word " * 500, timestamp=1)), flush=True)
"""


def said(text: str) -> UserMessage:
    return UserMessage(content=text, timestamp=1)


def texts(store: SessionStore) -> list[object]:
    return [getattr(message, "content", None) for message in store.build_context().messages]


def ids(store: SessionStore) -> list[str]:
    return [entry.id for entry in store.get_entries()]


def path_of(store: SessionStore) -> Path:
    assert store.session_file is not None
    return Path(store.session_file)


@contextmanager
def full_disk(limit: int) -> Iterator[None]:
    """No file may grow over the limit in this block."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_kill_loses_nothing_that_was_said_to_be_stored(tmp_path: Path) -> None:
    """Every id that an append returned is in the file, in order; at most the one in work is lost or there."""
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline().strip() for _ in range(40)]
        writer.kill()
        told += writer.stdout.read().split()
    [path] = tmp_path.iterdir()
    store = open_session(path)
    assert told == ids(store)[: len(told)]
    assert len(ids(store)) <= len(told) + 1
    added = store.append_message(said("after"))
    assert added == open_session(path).get_leaf_id()


def test_a_file_cut_anywhere_goes_on(tmp_path: Path) -> None:
    """Host case 67: whole lines are read, half a line is passed over, and what is added is found again."""
    whole, wanted = three_messages(tmp_path)
    path = tmp_path / "cut.jsonl"
    for cut in range(whole.index(b"\n"), len(whole) + 1):
        path.write_bytes(whole[:cut])
        store = open_session(path)
        complete = whole[: cut + 1].count(b"\n") - 1
        assert wanted[:complete] == texts(store)
        store.append_message(said("added"))
        assert [*wanted[:complete], "added"] == texts(open_session(path))
        assert whole[:cut] == path.read_bytes()[:cut]


def three_messages(folder: Path) -> tuple[bytes, list[object]]:
    """The bytes of a session, and what is said in it."""
    store = create_session(folder, "/w")
    wanted: list[object] = ["first", "line\u2028separator, ä and 😀\n", "last"]
    for text in wanted:
        store.append_message(said(str(text)))
    return path_of(store).read_bytes(), wanted


def test_a_file_without_its_header_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A header that is cut short is no header: nothing is read, nothing written."""
    whole, _ = three_messages(tmp_path)
    path = tmp_path / "cut.jsonl"
    for cut in range(1, whole.index(b"\n")):
        path.write_bytes(whole[:cut])
        with pytest.raises(SessionFileError, match="not a session file"):
            open_session(path)
        assert whole[:cut] == path.read_bytes()


def test_a_full_disk_leaves_the_file_and_the_history_as_they_were(tmp_path: Path) -> None:
    """An entry that does not fit is taken back whole; when there is room again the session goes on."""
    store = create_session(tmp_path, "/w")
    store.append_message(said("first"))
    path = path_of(store)
    before, leaf = path.read_bytes(), store.get_leaf_id()
    with full_disk(len(before) + 50), pytest.raises(OSError, match=r"large|space"):
        store.append_message(said("x" * 1000))
    assert (before, leaf) == (path.read_bytes(), store.get_leaf_id())
    store.append_message(said("second"))
    assert ["first", "second"] == texts(open_session(path))


def test_a_session_that_finds_no_room_at_first_begins_later(tmp_path: Path) -> None:
    """Half a file of a first message would be in the way of the next one, so it goes."""
    store = create_session(tmp_path, "/w")
    store.append_model_change("p", "m")
    with full_disk(100), pytest.raises(OSError, match=r"large|space"):
        store.append_message(said("x" * 1000))
    assert [] == list(tmp_path.iterdir())
    assert not store.is_saved
    store.append_message(said("second"))
    assert ["second"] == texts(open_session(path_of(store)))


def old_file(path: Path) -> bytes:
    """A session of version 1."""
    header = {"type": "session", "id": "old", "timestamp": "2025-01-02T03:04:05.000Z", "cwd": "/w"}
    message = {"type": "message", "timestamp": "t", "message": {"role": "user", "content": "x" * 500}}
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, message)))
    return path.read_bytes()


def test_an_old_file_that_cannot_be_rewritten_stays_old(tmp_path: Path) -> None:
    """Host case 66: the rewriting happens in one step or not at all, and leaves no rubbish."""
    path = tmp_path / "old.jsonl"
    before = old_file(path)
    with full_disk(200), pytest.raises(SessionFileError, match="cannot be brought to version 3"):
        open_session(path)
    assert ([path], before) == (list(tmp_path.iterdir()), path.read_bytes())
    assert 1 == len(open_session(path).get_entries())


def test_a_rewritten_file_keeps_its_permissions(tmp_path: Path) -> None:
    """A conversation that only its owner may read stays so."""
    path = tmp_path / "old.jsonl"
    old_file(path)
    path.chmod(0o600)
    open_session(path)
    assert 0o600 == path.stat().st_mode & 0o777


def test_two_programs_in_one_file_lose_nothing(tmp_path: Path) -> None:
    """Both add to the end; who opens the file next finds two branches, and goes on after the last line."""
    one = create_session(tmp_path, "/w")
    root = one.append_message(said("shared"))
    other = open_session(path_of(one))
    first, second = one.append_message(said("one")), other.append_message(said("other"))
    store = open_session(path_of(one))
    assert [root, first, second] == ids(store)
    assert ["shared", "other"] == texts(store)
    assert [first, second] == [child.entry.id for child in store.get_tree()[0].children]


def test_a_file_that_was_taken_away_is_not_begun_again(tmp_path: Path) -> None:
    """Without its header it would be no session; the append fails, and the history stays."""
    store = create_session(tmp_path, "/w")
    store.append_message(said("first"))
    path_of(store).unlink()
    with pytest.raises(FileNotFoundError):
        store.append_message(said("second"))
    assert ["first"] == texts(store)
    assert [] == list(tmp_path.iterdir())


def test_a_session_in_memory_touches_no_disk(tmp_path: Path) -> None:
    """Nothing can fail there."""
    store = memory_session(str(tmp_path))
    with full_disk(0):
        store.append_message(said("first"))
    assert [] == list(tmp_path.iterdir())


def test_an_empty_file_is_no_source_of_a_fork(tmp_path: Path) -> None:
    """There is nothing to take over, and nothing is made."""
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(SessionFileError, match="empty"):
        fork_file(tmp_path / "empty.jsonl", tmp_path / "forks", "/w")
    assert not (tmp_path / "forks").exists()
