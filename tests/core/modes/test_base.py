"""The way to standard output, and the orderly end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from pi_core.modes.base import Output, Stopped, Stopper, finding_line, json_line, protected_stdout
from pi_pkg import Diagnostic


@pytest.mark.parametrize(
    "value",
    [{"a": "line\u2028separator\nfeed"}, {"a": "\ud800"}, {"ä": [1, None]}],
    ids=["separators", "lone surrogate", "letters"],
)
def test_a_record_is_one_line(value: Any) -> None:
    """Only the last byte is a line feed, and the record reads back as it was."""
    line = json_line(value)
    assert (1, value) == (line.encode("utf-8").count(b"\n"), json.loads(line))


def test_a_value_that_json_does_not_know_is_written_as_text() -> None:
    """An extension may put any object into its details; the stream goes on."""
    assert '{"details":"{1}"}\n' == json_line({"details": {1}})


def test_the_reader_that_goes_away_is_told_once() -> None:
    """After the pipe breaks, `on_closed` was called once and later text is dropped."""
    reader, writer = os.pipe()
    os.close(reader)
    told: list[int] = []
    output = Output(writer)
    output.on_closed = lambda: told.append(1)
    output.write("a")
    output.write("b")
    os.close(writer)
    assert ([1], True) == (told, output.closed)


def test_only_answers_reach_standard_output() -> None:
    """Prints, writes to descriptor 1 and child processes land on standard error until the end."""
    script = (
        "import os, subprocess, sys\n"
        "from pi_core.modes.base import protected_stdout\n"
        "with protected_stdout() as output:\n"
        "    print('print'); os.write(1, b'raw\\n')\n"
        "    subprocess.run([sys.executable, '-c', 'print(\"child\")'])\n"
        "    output.write('answer\\n')\n"
        "print('after')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "answer\nafter\n" == done.stdout
    assert {"print", "raw", "child"} == set(done.stderr.split())


def test_the_descriptor_is_handed_back(capfd: pytest.CaptureFixture[str]) -> None:
    """Inside one process, standard output works again after the protection."""
    with protected_stdout() as output:
        output.write("in\n")
    print("out", flush=True)  # noqa: T201 - the print is what is tested
    assert "in\nout\n" == capfd.readouterr().out


async def test_work_that_is_not_stopped_returns_its_result() -> None:
    """Without a signal, the stopper is not felt."""
    stopper = Stopper(asyncio.get_running_loop())
    assert 3 == await stopper.run(asyncio.sleep(0, 3))


async def test_a_signal_lets_the_work_finish_by_itself() -> None:
    """SIGTERM calls `on_stop`; the work ends in its own way and the code is 143."""
    stopper = Stopper(asyncio.get_running_loop())
    asked = asyncio.Event()
    ended: list[str] = []

    async def work() -> None:
        await asked.wait()
        ended.append("well")

    async def on_stop() -> None:
        asked.set()
        await asyncio.sleep(0)

    with stopper.signals():
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGTERM)
        with pytest.raises(Stopped) as stopped:
            await stopper.run(work(), on_stop=on_stop)
    assert (143, ["well"]) == (stopped.value.code, ended)


async def test_work_that_does_not_finish_is_cancelled() -> None:
    """Without `on_stop`, or if it did not help, the work is cancelled."""
    stopper = Stopper(asyncio.get_running_loop())
    asyncio.get_running_loop().call_soon(stopper.stop, 130)
    work = asyncio.ensure_future(asyncio.Event().wait())
    with pytest.raises(Stopped):
        await stopper.run(work)
    assert work.cancelled()


def test_a_stuck_process_ends_after_the_grace() -> None:
    """A handler that never returns cannot hold the process: it ends with the signal's code."""
    script = (
        "import asyncio, os, signal\n"
        "from pi_core.modes.base import Stopper\n"
        "async def main():\n"
        "    stopper = Stopper(asyncio.get_running_loop(), grace_s=0.2)\n"
        "    with stopper.signals():\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        while True: pass\n"
        "asyncio.run(main())\n"
    )
    assert 143 == subprocess.run([sys.executable, "-c", script], check=False, timeout=20).returncode


def test_output_that_cannot_be_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """A descriptor that takes nothing is a failure, told once in a sentence."""
    reader, writer = os.pipe()
    os.close(writer)
    output = Output(reader)  # no end to write to
    output.write("a")
    output.write("b")
    os.close(reader)
    assert (True, "Bad file descriptor") == (output.closed, output.failure)
    assert "pi: cannot write to standard output: Bad file descriptor.\n" == capsys.readouterr().err


@pytest.mark.parametrize(
    ("message", "hint", "expected"),
    [
        ("no luck", None, "pi: error: a.py: no luck"),
        ("no luck", "Try again.", "pi: error: a.py: no luck. Try again."),
        ("no luck.", "Try again.", "pi: error: a.py: no luck. Try again."),
        ("a.py has no luck", None, "pi: error: a.py has no luck"),
    ],
)
def test_a_finding_is_a_line_of_sentences(message: str, hint: str | None, expected: str) -> None:
    """The place is said once, and what to do follows the end of what it is."""
    assert expected == finding_line(Diagnostic("error", "x", "load", message, path="a.py", hint=hint))
