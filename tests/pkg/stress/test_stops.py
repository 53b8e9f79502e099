"""Whatever ends a change, and whenever: afterwards there is the old state or the new one, never a third.

Seventy-seven tries with fixed seeds. In most, the process is a fork that stops itself at one step it does to
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
CODES = {"kill": -9, "int": 130, "term": 143}
ENDINGS = {signal.SIGKILL: {-9, 0}, signal.SIGINT: {-2, 130, 0}}


@pytest.mark.slow
def test_a_stop_at_any_step(stage: Stage) -> None:
    """SIGKILL, SIGINT and SIGTERM at 55 seeded steps of eleven commands; `pi sync` has nothing to repair
    that a person could see, and leaves no rubbish and no package in force that nothing declares."""
    chance, stops = random.Random(17), ("kill", "kill", "kill", "int", "term")
    found = stage.forge([(words, [(stop, chance.random()) for stop in stops]) for words in stage.commands])
    whole, tries = [one for one in found if "steps" in one], [one for one in found if "at" in one]
    assert [] == [one for one in whole if one["code"] != 0]
    assert len(stops) * len(whole) == len(tries)
    assert [] == [one for one in tries if not is_sound(one)]


def is_sound(one: dict[str, Any]) -> bool:
    """Whether a try ended in one of two states, and in order after a repair."""
    clean = not (one["rubbish"] or one["orphans"] or one["wrong"] or "Traceback" in one["said"])
    codes = {0, CODES[one["stop"]]}
    return one["code"] in codes and one["state"] in {"old", "new"} and one["repair"] == 0 and clean


@pytest.mark.slow
def test_a_stop_at_any_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eleven processes a signal are stopped at seeded shares of the time they need, spread over all of it;
    a repair finds nothing to see."""
    for name, value in stage.environ.items():
        monkeypatch.setenv(name, value)
    chance, house, count = random.Random(9), House(stage.house), len(stage.commands)
    parts = [chance.sample(range(count), count) for _ in ENDINGS]
    for words, *places in zip(stage.commands, *parts, strict=True):
        stage.restore()
        old = State.of(house)
        code, lasted_s = stopped(stage, words, None)
        assert 0 == code
        new = State.of(house)
        for (number, codes), place in zip(ENDINGS.items(), places, strict=True):
            stage.restore()
            after_s = lasted_s * (place + chance.random()) / count
            assert stopped(stage, words, number, after_s)[0] in codes
            assert State.of(house) in (old, new)
            assert 0 == repair(house)
            assert ([], []) == (rubbish(house), orphans(house))


def stopped(
    stage: Stage, words: Sequence[str], number: signal.Signals | None, after_s: float = 0
) -> tuple[int, float]:
    """The exit code of a command that gets a signal after a while, and how long it lasted.

    Both times are counted from its own first line: what comes before is Python's start, where an interrupt
    ends with a code of Python's.
    """
    command, environ = [sys.executable, "-c", UNDER_WAY, *words], stage.cli.environ(stage.environ)
    child = subprocess.Popen(
        command, cwd=stage.cli.project, env=environ,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert child.stdout is not None
    assert b"under way\n" == child.stdout.readline()
    started = time.monotonic()
    if number is not None:
        time.sleep(after_s)
        child.send_signal(number)
    child.communicate(timeout=60)
    return child.returncode, time.monotonic() - started


def repair(house: House) -> int:
    return manage(
        ["sync", "-a"],
        locations=house.locations,
        environ=os.environ,
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
