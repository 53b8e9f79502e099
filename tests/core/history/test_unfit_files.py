"""A file that is no session, or one of a version to come, is refused in a line, and left as it is.

Touches: files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_core.errors import SessionFileError
from pi_core.export.write import export_file
from pi_core.history.sessions import fork_file, open_session
from pi_core.session.opening import StoreRequest, open_store
from pi_core.session.targets import imported_file, stored_target
from pi_core.version import VERSION

NEWER = "Open it with the pi that wrote it, or with a newer one; the file is left as it is."
FOLDER = "that is a folder. Name a session file, which ends in .jsonl."

WAYS: dict[str, Callable[[Path], object]] = {
    "open": open_session,
    "--session": lambda path: open_store(
        StoreRequest(session=str(path)), cwd=path.parent, sessions_dir=path.parent / "none"
    ),
    "--fork": lambda path: open_store(
        StoreRequest(fork=str(path)), cwd=path.parent, sessions_dir=path.parent / "none"
    ),
    "switch_session": stored_target,
    "import": lambda path: imported_file(path, path.with_name("copy.jsonl")),
    "fork_file": lambda path: fork_file(path, path.parent, "/w"),
    "--export": lambda path: export_file(path, None, cwd=path.parent),
}


def session_of(path: Path, version: Any) -> Path:
    header = {"type": "session", "version": version, "id": "s", "timestamp": "t", "cwd": str(path.parent)}
    entry = {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": "x"}}
    path.write_text(f"{json.dumps(header)}\n{json.dumps(entry)}")
    return path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("version", [4, 9.0, "3", 0, True, None], ids=repr)
def test_a_version_that_nobody_here_knows(tmp_path: Path, way: str, version: Any) -> None:
    """The line names the file, its version and ours; not one byte of the folder changes."""
    path = session_of(tmp_path / "s.jsonl", version)
    before = path.read_bytes()
    with pytest.raises(SessionFileError) as refused:
        WAYS[way](path)
    found = f"its format is version {json.dumps(version)}, and pi {VERSION} knows 1 to 3"
    assert f"session {path}: {found}. {NEWER}" == str(refused.value)
    assert (before, ["s.jsonl"]) == (path.read_bytes(), os.listdir(tmp_path))


@pytest.mark.parametrize("way", WAYS)
def test_a_folder(tmp_path: Path, way: str) -> None:
    """It is called what it is, and what to name instead is said."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    with pytest.raises(SessionFileError) as refused:
        WAYS[way](folder)
    assert f"session {folder}: {FOLDER}" == str(refused.value)


def test_a_folder_named_without_a_slash(tmp_path: Path) -> None:
    """`--session sessions` could be an id; where none begins so, and there is such a folder, that is said."""
    (tmp_path / "sessions").mkdir()
    request = StoreRequest(session="sessions")
    with pytest.raises(SessionFileError, match="that is a folder"):
        open_store(request, cwd=tmp_path, sessions_dir=tmp_path / "none")


@pytest.mark.parametrize("way", WAYS)
def test_a_pipe(tmp_path: Path, way: str) -> None:
    """Reading one would wait for a writer for ever."""
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    with pytest.raises(SessionFileError, match="that is no file"):
        WAYS[way](path)


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("open", "--session")])
def test_nothing_at_all(tmp_path: Path, way: str) -> None:
    """Where no session can begin, a name of nothing is an error."""
    with pytest.raises(SessionFileError, match="there is no such file"):
        WAYS[way](tmp_path / "gone.jsonl")
