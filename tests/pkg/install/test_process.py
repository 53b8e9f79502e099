"""Programs are run with a limit and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_pkg.install.process import Finished, ended_by_signals, find_program, run_process


def python(
    code: str, cwd: Path, timeout_s: float = 20, on_line: Callable[[str], None] | None = None
) -> Finished:
    argv = [sys.executable, "-I", "-c", code]
    return run_process(argv, env=dict(os.environ), cwd=cwd, timeout_s=timeout_s, on_line=on_line)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int, within_s: float = 30) -> bool:
    deadline = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


# Starts a grandchild that outlives it, tells its id, and goes on as `rest` says.
FAMILY = (
    "import subprocess, sys, time, pathlib\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "pathlib.Path('pid').write_text(str(child.pid))\n"
    "{rest}\n"
)


def test_output_and_code_are_returned(tmp_path: Path) -> None:
    """Both streams and the exit status come back."""
    done = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", tmp_path)
    assert ("out", "err", 3, False) == (done.stdout, done.stderr, done.code, done.timed_out)


def test_there_is_no_standard_input(tmp_path: Path) -> None:
    """A program that asks gets the end of the file at once."""
    assert (
        "''" == python("print(repr(input() if False else __import__('sys').stdin.read()))", tmp_path).stdout
    )


def test_the_folder_is_the_one_asked_for(tmp_path: Path) -> None:
    """A program starts in the folder that the caller names."""
    assert str(tmp_path.resolve()) == python("import os; print(os.path.realpath('.'))", tmp_path).stdout


def test_lines_are_told_as_they_come(tmp_path: Path) -> None:
    """Progress is passed on line by line."""
    seen: list[str] = []
    python("print('a'); print('b')", tmp_path, on_line=seen.append)
    assert ["a", "b"] == seen


def test_undecodable_output_is_text(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 never raise."""
    assert "\ufffd" == python("import sys; sys.stdout.buffer.write(b'\\xff')", tmp_path).stdout


def test_a_time_limit_ends_the_whole_family(tmp_path: Path) -> None:
    """What a program started dies with it when the limit passes."""
    done = python(FAMILY.format(rest="time.sleep(60)"), tmp_path, timeout_s=2)
    assert done.timed_out
    assert gone(int((tmp_path / "pid").read_text("utf-8")))


def test_a_finished_program_leaves_no_family(tmp_path: Path) -> None:
    """A grandchild that holds the pipes open neither delays the end nor outlives it."""
    started = time.monotonic()
    python(FAMILY.format(rest="print('done')"), tmp_path)
    assert gone(int((tmp_path / "pid").read_text("utf-8")))
    assert time.monotonic() - started < 45


def test_ctrl_c_ends_the_family_and_is_raised_again(tmp_path: Path) -> None:
    """An interrupt reaches the caller, and the program's group is gone."""

    def interrupt() -> None:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text("utf-8"):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        python(FAMILY.format(rest="time.sleep(60)"), tmp_path)
    assert gone(int((tmp_path / "pid").read_text("utf-8")))


CALLER = """
import os, sys
from pathlib import Path
from pi_pkg.install.process import Terminated, ended_by_signals, run_process
argv = [sys.executable, "-I", "-c", sys.argv[1]]
try:
    with ended_by_signals():
        run_process(argv, env=dict(os.environ), cwd=Path.cwd(), timeout_s=60)
except Terminated as ended:
    sys.exit(ended.code)
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)]
)
def test_whoever_started_it_ends_it_when_it_is_ended(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """A program and its family go with us, whether we are asked to end or killed outright."""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", CALLER, FAMILY.format(rest="time.sleep(60)")]
    child = subprocess.Popen(command, cwd=tmp_path, env=env)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text("utf-8"):
        time.sleep(0.01)
    child.send_signal(number)
    assert code == child.wait(45)
    assert gone(int((tmp_path / "pid").read_text("utf-8")))


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """Under nohup a package command goes on when its terminal is gone."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_by_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.SIG_IGN is signal.getsignal(signal.SIGHUP)
            assert signal.SIG_DFL is not signal.getsignal(signal.SIGTERM)
        assert signal.SIG_DFL is signal.getsignal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    """No signal reaches another thread, and Python would not let it ask."""
    seen = []

    def look() -> None:
        with ended_by_signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert [signal.SIG_DFL] == seen


def test_a_missing_program_says_so(tmp_path: Path) -> None:
    """A program that is not there is an error of its own kind."""
    with pytest.raises(FileNotFoundError):
        run_process([str(tmp_path / "absent")], env={}, cwd=tmp_path, timeout_s=5)


def test_a_program_is_found_on_absolute_folders_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first absolute folder that has it counts; the working folder never does."""
    for folder in ("here", "one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tool").touch(0o755)
    monkeypatch.chdir(tmp_path / "here")
    path = os.pathsep.join([".", "", str(tmp_path / "absent"), str(tmp_path / "two"), str(tmp_path / "one")])
    assert str(tmp_path / "two" / "tool") == find_program("tool", {"PATH": path})
    assert find_program("tool", {"PATH": "."}) is None
    assert find_program("tool", {}) is None
