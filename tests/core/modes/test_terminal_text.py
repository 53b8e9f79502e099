"""What others say drives no terminal, and reaches a pipe or a file as it is."""

from __future__ import annotations

import io
import json
import os
import select
import sys
from collections.abc import Iterator

import pytest

from hookspecs.messages import AssistantMessage, TextContent
from pi_core.clean import clean_json, is_clean
from pi_core.modes.base import Output, say, tell_finding
from pi_core.modes.print_mode import print_answer
from pi_core.session.events import DiagnosticFound
from pi_pkg import Diagnostic
from pi_pkg.cli.progress import LiveProgress, PlainProgress
from pi_pkg.install.progress import Step

HOSTILE = "a\x1b]0;title\x07b\x1b[2Jc\x9b1md\x00e\u202ef\x7f\r\n漢字 👩‍👧"
SHOWN = "a␛]0;title␇b␛[2Jc¤1md␀e¤f␡\n漢字 👩‍👧"


class Ends:
    """Both ends of something to write into."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading, self.writing = reading, writing

    def read(self) -> str:
        """All that was written so far, which a terminal gives out in pieces."""
        found = b""
        while not found or select.select([self.reading], [], [], 0)[0]:
            found += os.read(self.reading, 65536)
        return found.decode()


@pytest.fixture
def terminal() -> Iterator[Ends]:
    """A terminal that does nothing to what is written."""
    import termios

    reading, writing = os.openpty()
    settings = termios.tcgetattr(writing)
    settings[1] &= ~termios.OPOST
    termios.tcsetattr(writing, termios.TCSANOW, settings)
    yield Ends(reading, writing)
    os.close(reading)
    os.close(writing)


@pytest.fixture
def pipe() -> Iterator[Ends]:
    reading, writing = os.pipe()
    yield Ends(reading, writing)
    os.close(reading)
    os.close(writing)


def answer(text: str) -> AssistantMessage:
    return AssistantMessage(content=[TextContent(text=text)])


def test_an_answer_at_a_terminal_is_shown(terminal: Ends) -> None:
    """Control characters of a model are signs there."""
    assert 0 == print_answer(answer(HOSTILE), Output(terminal.writing))
    assert SHOWN + "\n" == terminal.read()


def test_an_answer_in_a_pipe_is_data(pipe: Ends) -> None:
    """Every character arrives as the model wrote it."""
    assert 0 == print_answer(answer(HOSTILE), Output(pipe.writing))
    assert HOSTILE + "\n" == pipe.read()


def test_records_at_a_terminal_mean_the_same(terminal: Ends) -> None:
    """What JSON does not escape by itself is escaped there."""
    Output(terminal.writing).write_json({"text": HOSTILE})
    line = terminal.read()
    assert is_clean(line)
    assert {"text": HOSTILE} == json.loads(line)


def test_records_in_a_pipe_stay(pipe: Ends) -> None:
    """Programs get the characters themselves."""
    Output(pipe.writing).write_json({"text": "\x9b\x7f"})
    assert '{"text":"\x9b\x7f"}\n' == pipe.read()


def test_characters_beyond_the_first_plane_are_escaped_as_pairs() -> None:
    """A tag character, which nobody sees, is two units of UTF-16."""
    assert '"\\udb40\\udc41é"' == clean_json('"\U000e0041é"')
    assert "\U000e0041é" == json.loads(clean_json('"\U000e0041é"'))


def test_findings_at_a_terminal_are_shown(terminal: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding quotes what an extension said, and stands on standard error."""
    with open(terminal.writing, "w", closefd=False, newline="") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        tell_finding(DiagnosticFound(diagnostic=Diagnostic("warning", "c", "s", "Odd \x1b[31mname.")))
    assert "pi: warning: Odd ␛[31mname.\n" == terminal.read()


def test_findings_in_a_file_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever keeps standard error gets the text as it is."""
    kept = io.StringIO()
    monkeypatch.setattr(sys, "stderr", kept)
    say("\x1b[31m")
    assert "\x1b[31m\n" == kept.getvalue()


@pytest.mark.parametrize("form", [LiveProgress, PlainProgress])
def test_progress_is_no_way_in(form: type[LiveProgress | PlainProgress], terminal: Ends) -> None:
    """What an installer or a server says meanwhile comes from strangers."""
    with open(terminal.writing, "w", closefd=False, newline="") as stderr:
        progress = form(stderr, 0) if form is PlainProgress else form(stderr)
        progress(Step("fetch", "fetching \x1b]0;title\x07x"))
        if isinstance(progress, PlainProgress) and progress._waiting is not None:
            progress._waiting.join()
        progress.close()
    assert "fetching \\x1b]0;title\\x07x" in terminal.read()
