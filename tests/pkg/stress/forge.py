"""A program that runs `pi` many times in children of its own and stops each at one step of its way.

What costs most of a try, starting Python and importing pi, happens once; each child is a fork. A step is
something that a process does to the disk, told by the interpreter's own audit events. The stop is a signal,
or an error as of a disk that is full or read-only from that step on.

    python -m tests.pkg.stress.forge < job.json      # one JSON line a command, then one a try

Touches: files, processes, standard input, standard output.
"""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pi_core.cli.main import main as run_pi
from pi_pkg.cli import main as manage
from pi_pkg.locations import Locations

Stop: TypeAlias = Literal["kill", "int", "term", "full", "readonly", "never"]

_SIGNALS = {"kill": signal.SIGKILL, "int": signal.SIGINT, "term": signal.SIGTERM}
_MAKING = frozenset({"os.mkdir", "os.link", "os.symlink", "os.truncate", "os.mknod"})
_MOVING = frozenset({"os.rename", "os.remove", "os.rmdir", "os.chmod"})
_TRY_LIMIT_S = 60


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended. `steps` counts what it did to the disk; a negative code is a signal."""

    code: int
    steps: int
    said: str


@dataclass(frozen=True, slots=True)
class House:
    """A home, a project and what both need, in one folder that can be copied."""

    folder: Path

    @property
    def locations(self) -> Locations:
        home = self.folder / "home"
        return Locations(home / ".pi" / "agent", self.folder / "project", home)

    def listed(self) -> tuple[int, Any]:
        """Exit code and document of `pi list`; names of generations are left out."""
        out, err = io.StringIO(), io.StringIO()
        code = manage(
            ["list", "--json", "--all", "-a"],
            locations=self.locations,
            environ=os.environ,
            stdout=out,
            stderr=err,
        )
        text = out.getvalue() or err.getvalue()
        for generation in (path for envs in self.scopes() for path in envs.glob("0*-*")):
            text = text.replace(generation.name, "GENERATION")
        return code, json.loads(text)["observed"] if code == 0 else text

    def settings(self) -> str:
        """The settings files of both scopes as they stand."""
        files = (self.locations.user_settings, self.locations.project_settings)
        return "---\n".join(path.read_text("utf-8") for path in files if path.exists())

    def scopes(self) -> tuple[Path, Path]:
        """The folders of the generations of both scopes."""
        return self.locations.user_envs, self.locations.project_envs


def run(house: House, words: Sequence[str], stop: Stop = "never", at: int = 0) -> Ended:
    """Run `pi` in a child that is stopped at its step `at`, counted from 0."""
    reader, writer = os.pipe()
    log = house.folder / "said.txt"
    child = os.fork()
    if child == 0:
        _become_pi(house, words, log, _watch(house, stop, at, writer))
    os.close(writer)
    code = os.waitstatus_to_exitcode(_wait(child))
    with os.fdopen(reader, "rb") as told:
        counted = told.read()
    return Ended(code, len(counted), log.read_text("utf-8", "replace"))


def _wait(child: int) -> int:
    deadline = time.monotonic() + _TRY_LIMIT_S
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise TimeoutError(f"pi did not end within {_TRY_LIMIT_S} s")


def _become_pi(house: House, words: Sequence[str], log: Path, begin: Callable[[], None]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.environ["HOME"] = str(house.locations.home)
    os.chdir(house.locations.project_dir)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    code = 70
    try:
        begin()
        code = run_pi(list(words))
    finally:
        if isinstance(sys.exc_info()[1], Exception):
            sys.excepthook(*sys.exc_info())
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _watch(house: House, stop: Stop, at: int, told: int) -> Callable[[], None]:
    """What makes the process count its steps, one byte each, and stop at the given one."""
    count = 0
    top = str(house.folder)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        moves = event in _MOVING
        if not (moves or event in _MAKING or _opens_for_writing(event, arguments) or _starts(event)):
            return
        if not (_starts(event) or any(top in str(argument) for argument in arguments[:2])):
            return
        os.write(told, b".")
        step, count = count, count + 1
        if step == at and stop in _SIGNALS:
            os.kill(os.getpid(), _SIGNALS[stop])
        elif step >= at and not _starts(event):
            if stop == "readonly":
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(arguments[0]))
            if stop == "full" and not moves:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))

    return lambda: sys.addaudithook(hook)


def _opens_for_writing(event: str, arguments: tuple[Any, ...]) -> bool:
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND
    return event == "open" and len(arguments) > 2 and bool((arguments[2] or 0) & writing)


def _starts(event: str) -> bool:
    return event == "subprocess.Popen"


@dataclass(frozen=True, slots=True)
class State:
    """What a person and a program see of a house."""

    listed: tuple[int, Any]
    settings: str

    @classmethod
    def of(cls, house: House) -> State:
        return cls(house.listed(), house.settings())


def serve(job: dict[str, Any]) -> None:
    """Do every try of a job: a house, its template, and the commands with stops at shares of their way.

    A command is run to its end first, which tells its number of steps and the state it leads to.
    """
    house, template = House(Path(job["house"])), Path(job["template"])
    _warm_up(Path(job["house"]).with_name("warm"))
    for words, stops in job["tries"]:
        _restore(house, template)
        old = State.of(house)
        whole = run(house, words)
        new = State.of(house)
        tell(words=words, code=whole.code, steps=whole.steps, said=whole.said)
        for stop, share in stops:
            _restore(house, template)
            found = _one_try(house, words, stop, int(share * whole.steps), old, new)
            tell(words=words, stop=stop, **found)


def tell(**facts: Any) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")


def _one_try(
    house: House, words: Sequence[str], stop: Stop, at: int, old: State, new: State
) -> dict[str, Any]:
    ended = run(house, words, stop, at)
    seen = State.of(house)
    found: dict[str, Any] = {"at": at, "code": ended.code, "said": ended.said[-1000:]}
    found["state"] = "old" if seen == old else "new" if seen == new else [seen.listed, seen.settings]
    repaired = run(house, ["sync", "-a"])
    found |= {"repair": repaired.code, "repair_said": repaired.said[-1000:]}
    found |= {"rubbish": rubbish(house), "orphans": orphans(house)}
    wrong = [item["source"] for item in house.listed()[1] if item["state"] != "ok"]
    return {**found, "wrong": wrong}


def _restore(house: House, template: Path) -> None:
    shutil.rmtree(house.folder, ignore_errors=True)
    shutil.copytree(template, house.folder, symlinks=True)


def _warm_up(folder: Path) -> None:
    """Import in this process what every child would import for itself."""
    house = House(folder)
    for path in (house.locations.home, house.locations.project_dir / "p" / "skills"):
        path.mkdir(parents=True, exist_ok=True)
    for words in (["install", "./p"], ["update"], ["sync"], ["remove", "./p"]):
        manage(words, locations=house.locations, environ={}, stdout=io.StringIO(), stderr=io.StringIO())


def rubbish(house: House) -> list[str]:
    """What stands among the generations and belongs to none; in a scope that was never used, a later
    change clears up."""
    found: list[Path] = []
    for envs in house.scopes():
        if (envs / "current.json").exists():
            found += [path for path in envs.rglob("*") if path.name.startswith(".trash-")]
            found += envs.rglob("*.tmp")
            found += [path for path in envs.glob("0*-*") if not (path / "pi-index.json").exists()]
    return sorted(map(str, found))


def orphans(house: House) -> list[str]:
    """Packages in force that no settings declare."""
    from pi_pkg.install.index import read_index  # the stand-in for a reader that looks behind `pi list`

    declared = {item["identity"] for item in house.listed()[1]}
    indexes = [read_index(envs) for envs in house.scopes()]
    packages = [package.identity for index in indexes if index for package in index.packages]
    return [identity for identity in packages if identity not in declared]


if __name__ == "__main__":
    serve(json.load(sys.stdin))
