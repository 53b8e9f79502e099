"""Whatever ends a change, and whenever: afterwards there is the old state or the new one, never a third.

Two hundred tries with fixed seeds. In most, the process is a fork that stops itself at one step it does to
the disk (`forge.py`); in the rest, a process of its own is killed from outside at some moment.

Field reports ATOM 14, 16, 17: what an interrupted installation leaves is never taken for an installation.
"""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import pytest

from pi_pkg.cli import main as manage
from tests.pkg.stress.forge import House, State, orphans, rubbish
from tests.pkg.stress.stage import Stage

UNDER_WAY = "print('under way', flush=True); from pi_core.cli.main import run; run()"


@pytest.mark.slow
@pytest.mark.xdist_group("stops-by-step")
@pytest.mark.parametrize(
    ("stop", "codes", "each"), [("kill", {-9, 0}, 8), ("int", {130, 0}, 4), ("term", {143, 0}, 1)]
)
def test_a_stop_at_any_step(stage: Stage, stop: str, codes: set[int], each: int) -> None:
    """SIGKILL, SIGINT and SIGTERM at 143 seeded steps of eleven commands; `pi sync` has nothing to repair
    that a person could see, and leaves no rubbish and no package in force that nothing declares."""
    chance = random.Random(stop)
    found = stage.forge(stop, [(words, [chance.random() for _ in range(each)]) for words in stage.commands])
    whole, tries = [one for one in found if "steps" in one], [one for one in found if "at" in one]
    assert [] == [one for one in whole if one["code"] != 0]
    assert each * len(whole) == len(tries)
    assert [] == [one for one in tries if not is_sound(one, codes)]


def is_sound(one: dict[str, Any], codes: set[int]) -> bool:
    """Whether a try ended in one of two states, and in order after a repair."""
    clean = not (one["rubbish"] or one["orphans"] or one["wrong"] or "Traceback" in one["said"])
    return one["code"] in codes and one["state"] in {"old", "new"} and one["repair"] == 0 and clean


@pytest.mark.slow
@pytest.mark.xdist_group("stops-by-time")
@pytest.mark.parametrize(
    ("number", "codes"), [(signal.SIGKILL, {-9, 0}), (signal.SIGINT, {-2, 130, 0})], ids=["kill", "int"]
)
def test_a_stop_at_any_time(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, codes: set[int]
) -> None:
    """Sixty processes are stopped at seeded shares of the time they need; a repair finds nothing to see."""
    for name, value in stage.environ.items():
        monkeypatch.setenv(name, value)
    chance, house = random.Random(int(number)), House(stage.house)
    for words in stage.commands:
        stage.restore()
        old, started = State.of(house), time.monotonic()
        assert 0 == stopped(stage, words, None)
        lasted, new = time.monotonic() - started, State.of(house)
        for _ in range(3):
            stage.restore()
            assert stopped(stage, words, number, lasted * chance.uniform(0.3, 1.0)) in codes
            assert State.of(house) in (old, new)
            assert 0 == repair(house)
            assert ([], []) == (rubbish(house), orphans(house))


def stopped(stage: Stage, words: Sequence[str], number: signal.Signals | None, after_s: float = 0) -> int:
    """The exit code of a command that gets a signal after a while, counted from its own first line.

    What comes before is Python's start, where an interrupt ends with a code of Python's.
    """
    child = subprocess.Popen(
        [sys.executable, "-c", UNDER_WAY, *words], cwd=stage.cli.project, env=stage.cli.environ(stage.environ),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert child.stdout is not None
    assert b"under way\n" == child.stdout.readline()
    if number is not None:
        time.sleep(after_s)
        child.send_signal(number)
    child.communicate(timeout=60)
    return child.returncode


def repair(house: House) -> int:
    return manage(
        ["sync", "-a"],
        locations=house.locations,
        environ=os.environ,
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
