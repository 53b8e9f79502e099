"""The terminal is the screen's alone, and is given back whatever happens."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser
from textual.events import Key

from pi_core.modes.tui.mode import STRAY_BYTES, own_terminal
from pi_core.modes.tui.terminal_keys import SEQUENCES, teach_keys
from tests.support.agent_cli import AgentCli, agent_cli
from tests.support.pseudo_terminal import on_terminal

NOISY = """
import os, subprocess
def extension(pi):
    @pi.on("session_start")
    def begin(event, ctx):
        print("STRAY print")
        os.write(1, b"STRAY descriptor\\n")
        subprocess.run(["sh", "-c", "echo STRAY child; echo STRAY error >&2"])
"""
SHUTDOWN = """
import sys
from pathlib import Path
def extension(pi):
    @pi.on("session_shutdown")
    def end(event, ctx):
        Path("ended").write_text(event.reason)
"""


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    return agent_cli(tmp_path)


def test_what_others_print_is_not_on_the_screen(pi: AgentCli) -> None:
    """It is in a log: prints, writes to descriptors, and what programs say."""
    pi.user_extension(NOISY)
    with on_terminal(pi) as terminal:
        terminal.until("Scripted")
        terminal.type("\x04")
        assert 0 == terminal.end()
        assert "STRAY" not in terminal.seen
    log = next(pi.home.rglob("output.log")).read_text(encoding="utf-8")
    assert {"STRAY print", "STRAY descriptor", "STRAY child", "STRAY error"} <= set(log.splitlines())


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_a_signal_ends_it_in_order(pi: AgentCli, number: int, code: int) -> None:
    """The terminal is as it was, and the extensions hear of the end."""
    pi.user_extension(SHUTDOWN)
    with on_terminal(pi) as terminal:
        terminal.until("Scripted")
        terminal.process.send_signal(number)
        assert code == terminal.end()
        assert "Traceback" not in terminal.seen
        assert "\x1b[?1049l" in terminal.seen
    assert "quit" == (pi.project / "ended").read_text(encoding="utf-8")


def test_a_mistake_in_the_words_is_told_without_a_screen(pi: AgentCli) -> None:
    """One line and 2."""
    with on_terminal(pi, "--no-such-thing=1", "--model") as terminal:
        assert 2 == terminal.end()
        assert "\x1b[?1049h" not in terminal.seen
        assert "--model" in terminal.seen


def test_what_keeps_it_from_opening_is_told_when_the_terminal_is_free(pi: AgentCli) -> None:
    """Behind the screen, which is gone by then."""
    with on_terminal(pi, "--model", "nobody/nothing") as terminal:
        assert 1 == terminal.end()
        assert terminal.seen.index("\x1b[?1049l") < terminal.seen.index("nobody")


ACCENT = "38;2;138;180;248"
TRUE_COLOUR = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environ", "sent", "not_sent"),
    [
        (TRUE_COLOUR, ACCENT, "38;5;"),
        ({**TRUE_COLOUR, "NO_COLOR": "1"}, "", ACCENT),
        ({"TERM": "xterm-16color", "COLORTERM": ""}, "", "38;2;"),
        ({"TERM": "xterm-256color", "COLORTERM": ""}, "38;5;", "38;2;"),
    ],
)
def test_a_terminal_gets_the_colours_that_it_has(
    pi: AgentCli, environ: dict[str, str], sent: str, not_sent: str
) -> None:
    """Sixteen, a table, all of them, or shades of grey where nobody wants colours."""
    with on_terminal(pi, size=(80, 24), **environ) as terminal:
        terminal.until("Scripted")
        terminal.type("\x04")
        terminal.end()
    assert sent in terminal.seen
    assert not_sent not in terminal.seen


def test_descriptors_are_as_they_were(tmp_path: Path) -> None:
    """Also after a failure; a log that grew too large begins anew."""
    log = tmp_path / "logs" / "output.log"
    log.parent.mkdir()
    log.write_text("x" * (STRAY_BYTES + 1), encoding="utf-8")
    program = f"""
import os, sys
from pathlib import Path
from pi_core.modes.tui.mode import own_terminal
before = sys.__stdout__, sys.__stderr__
try:
    with own_terminal(Path({str(log)!r})):
        os.write(1, b"inside")
        raise LookupError
except LookupError:
    pass
assert before == (sys.__stdout__, sys.__stderr__)
os.write(1, b"out"); os.write(2, b"err")
"""
    master, slave = pty.openpty()
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=slave, check=True)
    shown = os.read(master, 100)
    os.close(slave)
    os.close(master)
    assert (b"out", b"err", "inside") == (done.stdout, shown, log.read_text(encoding="utf-8"))
    assert callable(own_terminal)


@pytest.mark.parametrize(("sequence", "name"), SEQUENCES.items())
def test_keys_of_old_terminals_are_known(sequence: str, name: str) -> None:
    """By the names that the bindings have."""
    teach_keys()
    keys = [event.key for event in XTermParser().feed(sequence) if isinstance(event, Key)]
    assert [name] == keys
