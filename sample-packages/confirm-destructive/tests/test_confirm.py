"""Whoever would lose sight of something is asked first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pi_sample_confirm_destructive import extension

from pi_core.api import SessionBeforeFork, SessionBeforeSwitch, UserMessage
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

NEW = SessionBeforeSwitch(reason="new")


@pytest.fixture
def dirty(tmp_path: Path) -> Path:
    """A repository with one file that git does not know."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "new.txt").write_text("x")
    return tmp_path


def test_an_empty_session_is_left_without_a_question(pi_harness: HarnessMaker) -> None:
    """There is nothing to lose."""
    ui = RecordingUI()
    assert pi_harness(extension, ui=ui).emit(NEW) is None
    assert ui.asked == []


def test_a_no_stops_the_replacement(pi_harness: HarnessMaker, tmp_path: Path) -> None:
    """The question names how much was said; yes lets it happen."""
    ui = RecordingUI(confirm=[False, True])
    pi = pi_harness(extension, ui=ui, cwd=tmp_path)
    pi.host.session.add_message(UserMessage(content="hello"))
    assert pi.emit(NEW).cancel
    assert pi.emit(NEW) is None
    assert ui.asked == ["Start a new session?", "Start a new session?"]


def test_a_fork_is_a_question_only_beside_changed_files(pi_harness: HarnessMaker, dirty: Path) -> None:
    """In a clean folder a fork harms nobody."""
    ui = RecordingUI(confirm=[False])
    assert pi_harness(extension, ui=ui, cwd=dirty).emit(SessionBeforeFork(entry_id="a")).cancel


def test_nobody_is_asked_where_nobody_sits(pi_harness: HarnessMaker, dirty: Path) -> None:
    """A run without a person goes on."""
    pi = pi_harness(extension, cwd=dirty)
    pi.host.session.add_message(UserMessage(content="hello"))
    assert pi.emit(NEW) is None
