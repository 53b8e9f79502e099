"""Files can be had back as they were before a turn, and nothing of the person's git changes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pi_sample_git_checkpoint import extension

from pi_core.api import ToolCall, TurnStart
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

CALL = ToolCall(tool_name="bash", tool_call_id="1", input={"command": "true"})
TURN = TurnStart(turn_index=0, timestamp=0)


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *args], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with an ignored file, a staged one and one that git does not know."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("ignored.txt\n")
    (tmp_path / "ignored.txt").write_text("mine")
    (tmp_path / "staged.txt").write_text("staged")
    git(tmp_path, "add", "staged.txt")
    (tmp_path / "new.txt").write_text("before")
    return tmp_path


def test_a_turn_is_kept_once(pi_harness: HarnessMaker, repository: Path) -> None:
    """The first tool of a turn keeps the folder; the next turn keeps it anew."""
    pi = pi_harness(extension, cwd=repository)
    for event in (TURN, CALL, CALL, TURN, CALL):
        pi.emit(event)
    assert len(pi.host.session.entries) == 2
    assert git(repository, "show", "refs/pi/checkpoints/1:new.txt") == "before"


def test_the_index_of_the_person_stays(pi_harness: HarnessMaker, repository: Path) -> None:
    """What was staged is staged, and what was not is not."""
    before = git(repository, "status", "--porcelain")
    pi_harness(extension, cwd=repository).emit(CALL)
    assert git(repository, "status", "--porcelain") == before


def test_restore_brings_the_files_back(pi_harness: HarnessMaker, repository: Path) -> None:
    """Changed files are as they were, new ones are gone, ignored ones are nobody's business."""
    ui = RecordingUI()
    pi = pi_harness(extension, cwd=repository, ui=ui)
    pi.emit(CALL)
    (repository / "new.txt").write_text("after")
    (repository / "later.txt").write_text("x")
    pi.run_command("restore", "1")
    assert (repository / "new.txt").read_text() == "before"
    assert not (repository / "later.txt").exists()
    assert (repository / "ignored.txt").read_text() == "mine"
    assert ui.notices[-1] == "Restored checkpoint 1."


def test_an_unknown_checkpoint_is_named(pi_harness: HarnessMaker, repository: Path) -> None:
    """The answer says how many there are."""
    ui = RecordingUI()
    pi_harness(extension, cwd=repository, ui=ui).run_command("restore", "7")
    assert ui.notices[-1] == "There is no checkpoint 7; there are 0."


def test_outside_a_repository_nothing_happens(pi_harness: HarnessMaker, tmp_path: Path) -> None:
    """The call goes on, and nothing is written into the session."""
    pi = pi_harness(extension, cwd=tmp_path)
    assert pi.emit(CALL) is None
    assert pi.host.session.entries == []
