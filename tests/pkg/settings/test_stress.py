"""Many programs at one settings file, and programs that die in the middle of it: nothing is lost or torn.

Touches: files, processes.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
import tomllib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.settings.edit import set_value
from pi_pkg.settings.file import TomlFile
from tests.pkg.settings import writer
from tests.support.agent_cli import BYTECODE, ROOT

BOM = b"\xef\xbb\xbf"
START = "# mine\npackages = [] # list\n\n[writers] # all\n"
PROGRAMS, CHANGES = 8, 40
"""What shows a lost change here within seconds; the report that asks for it names 20 programs, 50 changes."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(START)
    return path


def run_writer(path: Path, seed: int, count: int) -> subprocess.Popen[bytes]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    words = [sys.executable, "-m", "tests.pkg.settings.writer", str(path), str(seed), str(count)]
    return subprocess.Popen(words, env=environ, cwd=ROOT)


@pytest.mark.slow
def test_many_programs_lose_nothing(path: Path) -> None:
    """SET 41: many programs, many random changes each; afterwards the file holds what each of them left."""
    running = [run_writer(path, seed, CHANGES) for seed in range(PROGRAMS)]
    assert [0] * PROGRAMS == [process.wait(240) for process in running]
    found = tomllib.loads(path.read_text())
    every = [writer.expected(seed, CHANGES) for seed in range(PROGRAMS)]
    kept = {f"w{seed}": keys for seed, (keys, _) in enumerate(every)}
    assert kept == {name: found["writers"].get(name, {}) for name in kept}
    packages = sorted(source for _, sources in every for source in sources)
    assert packages == sorted(found["packages"])
    assert path.read_text().startswith("# mine\npackages = [")
    assert "[writers] # all\n" in path.read_text()


@pytest.mark.slow
def test_a_killed_program_leaves_the_old_or_the_new(path: Path) -> None:
    """SET 41: killed at 12 random moments, the file always parses, and the next writer goes on."""
    chance = random.Random(41)
    for _ in range(12):
        process = run_writer(path, 0, 0)
        started = time.monotonic()
        while path.read_text() == START and time.monotonic() - started < 30:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        tomllib.loads(path.read_text())
        path.write_text(START)
    TomlFile(path).edit(lambda document: set_value(document, ("a",), 1))
    assert [".settings.toml.lock", "settings.toml"] == sorted(os.listdir(path.parent))


def test_a_reader_never_waits_and_never_sees_half(path: Path) -> None:
    """While one thread writes, another always reads a whole document, without the lock."""
    done = threading.Event()
    bad: list[object] = []

    def read() -> None:
        while not done.is_set():
            try:
                assert TomlFile(path).values()["packages"] == []
            except Exception as problem:  # noqa: BLE001 - whatever it is, the test reports it
                bad.append(problem)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(60):
        TomlFile(path).edit(partial(set_value, keys=("n",), value="x" * number))
    done.set()
    reader.join()
    assert [] == bad


@pytest.mark.parametrize("step", ["open", "fsync", "chmod", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=str)
def test_a_break_at_any_step_leaves_the_old_file(
    path: Path, step: str, failure: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever step of a write fails, the bytes are the old ones and nothing stands beside them."""

    def broken(*_: object, **__: object) -> None:
        raise failure

    with monkeypatch.context() as patch:
        if step == "open":
            patch.setattr("pi_pkg.atomic.open", broken, raising=False)
        else:
            patch.setattr(os, step, broken)
        with pytest.raises(BaseException, match=r"No space left|^$"):
            TomlFile(path).edit(lambda document: set_value(document, ("a",), 1))
    assert START == path.read_text()
    assert [".settings.toml.lock", "settings.toml"] == sorted(os.listdir(path.parent))


def test_what_a_killed_writer_left_is_swept(path: Path) -> None:
    """A file aside does not stay for ever; what is not ours does."""
    for name in (".settings.toml.123.tmp", "settings.toml.bak", ".other.toml.1.tmp"):
        (path.parent / name).touch()
    TomlFile(path).edit(lambda document: set_value(document, ("a",), 1))
    left = {".other.toml.1.tmp", ".settings.toml.lock", "settings.toml", "settings.toml.bak"}
    assert left == set(os.listdir(path.parent))


lines = st.lists(
    st.sampled_from(["# c", "", "a = 1 # x", "'b c' = [ 1,2 ] ", "d.e = 'f'", "\t# tab", 'h = """q\nr"""']),
    unique=True,
)


@given(lines, st.booleans(), st.booleans(), st.sampled_from([("z",), ("y", "z"), ("d", "z")]))
def test_the_rest_of_a_file_is_never_touched(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str], bom: bool, crlf: bool, keys: tuple[str, ...]
) -> None:
    """Comments, order, blanks, line ends and the byte-order mark survive a change, and its undoing."""
    text = "\n".join(rows) + ("\n" if rows else "")
    before = (BOM if bom else b"") + text.replace("\n", "\r\n" if crlf else "\n").encode()
    path = tmp_path_factory.mktemp("s") / "settings.toml"
    path.write_bytes(before)
    TomlFile(path).edit(lambda document: set_value(document, keys, 7))
    after = path.read_bytes()
    assert bom == after.startswith(BOM)
    kept = iter(after.removeprefix(BOM).split(b"\n"))
    assert all(row in kept for row in before.removeprefix(BOM).split(b"\n") if row.strip())
    assert (after.count(b"\r\n") == after.count(b"\n")) or not (crlf and rows)
