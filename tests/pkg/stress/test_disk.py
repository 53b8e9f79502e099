"""A disk that is full, or read-only, for any single step of a change: one sentence, and nothing changed.

Field reports ATOM 16, 17.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pkg.stress.disks import read_only, small_disk
from tests.pkg.stress.stage import EXTENSION, Stage
from tests.support.agent_cli import AgentCli, Ran, agent_cli
from tests.support.wheels import build_wheel

REASONS = {"full": "No space left", "readonly": "Read-only file system"}


@pytest.mark.slow
def test_a_disk_that_fails_at_any_step(stage: Stage) -> None:
    """Full from every sixth step on that an installation does to the disk, read-only from every 18th, and
    each from one step of every other change: exit 1, the reason of the system, the old state; with room
    again, a repair finds all in order."""
    install, *others = stage.commands
    every = [("full", (number + 0.5) / 9) for number in range(9)]
    every += [("readonly", (number + 0.5) / 3) for number in range(3)]
    some = [("full", 0.1), ("readonly", 0.6)]
    found = stage.forge([(install, every), *((words, some) for words in others)])
    tries = [one for one in found if "at" in one]
    assert len(every) + len(some) * len(others) == len(tries)
    assert [] == [one for one in tries if not is_told(one, REASONS[one["stop"]])]


def is_told(one: dict[str, Any], reason: str) -> bool:
    """Whether a try ended well, or was refused for the right reason; in order after a repair either way."""
    clean = not (one["rubbish"] or one["orphans"] or one["wrong"] or "Traceback" in one["said"])
    refused = one["code"] == 1 and one["state"] == "old" and reason in one["said"]
    return clean and one["repair"] == 0 and (refused or (one["code"], one["state"]) == (0, "new"))


@pytest.fixture
def pi(tmp_path: Path) -> Iterator[AgentCli]:
    """A person whose home is on a disk of two megabytes, where one can be had, with one package."""
    with small_disk(tmp_path / "home", "2m"):
        (tmp_path / "project").mkdir()
        cli = AgentCli(tmp_path / "home", tmp_path / "project")
        cli.write("a/extensions/a.py", EXTENSION)
        assert 0 == cli.run("install", "./a").code
        yield cli


def install_large(pi: AgentCli, wheels: Path) -> Ran:
    """Install a wheel of half a megabyte."""
    files = {f"large/part{number}.py": "#" * 50_000 for number in range(10)}
    build_wheel(wheels, "large", files={"large/__init__.py": EXTENSION, **files})
    places = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "UV_CACHE_DIR": str(wheels / "cache")}
    return pi.run("install", "pypi:large", env=places)


@pytest.mark.parametrize("free", [0, 8, 40, 300], ids=lambda free: f"{free}k")
def test_a_disk_that_really_is_full(pi: AgentCli, tmp_path: Path, free: int) -> None:
    """With so many kilobytes left, one sentence says what could not be written; with room, it goes in.

    Where no small disk can be had, only the second half is tried."""
    settings, before = pi.agent_dir / "settings.toml", pi.run("list")
    old = settings.read_bytes()
    if os.path.ismount(pi.home):
        ballast = fill(pi.home, leave_kb=free)
        done = install_large(pi, tmp_path / "wheels")
        assert (1, old, before) == (done.code, settings.read_bytes(), pi.run("list"))
        assert "No space left on device" in done.err
        assert "Traceback" not in done.err
        ballast.unlink()
    done = install_large(pi, tmp_path / "wheels")
    assert (0, "installed pypi:large 1.0\n") == (done.code, done.out)


def fill(disk: Path, leave_kb: int) -> Path:
    """Fill a disk up but for some kilobytes, and return the file that does it."""
    ballast = disk / "ballast"
    room = os.statvfs(disk)
    with open(ballast, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, room.f_bavail * room.f_frsize - leave_kb * 1024))
    return ballast


@pytest.mark.parametrize("words", [["install", "./b"], ["remove", "./a"], ["update"], ["rollback"], ["sync"]])
def test_a_folder_that_cannot_be_written(tmp_path: Path, words: list[str]) -> None:
    """Listing and starting work as before; a change is refused, names the place, and changes nothing."""
    pi = agent_cli(tmp_path)
    for name in ("a", "b"):
        pi.write(f"{name}/extensions/{name}.py", EXTENSION)
    for name in ("./a", "./b"):
        pi.run("install", name)
    pi.run("remove", "./b")
    before = pi.run("list")
    with read_only(pi.agent_dir) as cannot_write:
        if cannot_write:
            done = pi.run(*words)
            assert (1, before) == (done.code, pi.run("list"))
            assert str(pi.agent_dir) in done.err
            assert "Traceback" not in done.err
    assert before == pi.run("list")
    assert 0 == pi.run(*words).code
