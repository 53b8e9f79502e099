"""A package command that is asked to end ends what it started, cleans up, and says by its code what ended it.

Field reports ATOM 17, NET 32: no installer and no git is left behind, and nothing half-made.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.pkg.stress.stage import EXTENSION
from tests.support.agent_cli import COMMAND, AgentCli, agent_cli
from tests.support.index import SimpleIndex

PATIENCE_S = 45
"""Less than a silent git or look-up is given; installers are told to wait longer (`FOR_EVER`)."""
FOR_EVER = {"PIP_TIMEOUT": "600"}
ENDINGS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    """A person with one package."""
    cli = agent_cli(tmp_path)
    cli.write("a/extensions/a.py", EXTENSION)
    assert 0 == cli.run("install", "./a").code
    return cli


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SimpleIndex]:
    """An index that takes requests and answers none of them, until it is let."""
    with SimpleIndex(tmp_path / "index") as served:
        served.wheel("slow")
        served.moving.clear()
        yield served


@contextmanager
def silent_server() -> Iterator[tuple[str, Callable[[], bool]]]:
    """Address of a server that takes connections and never says a word, and whether somebody came."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        came: list[socket.socket] = []

        def visited() -> bool:
            try:
                came.append(server.accept()[0])
            except BlockingIOError:
                pass
            return bool(came)

        yield f"http://127.0.0.1:{server.getsockname()[1]}", visited
        for connection in came:
            connection.close()


def ended(
    pi: AgentCli,
    words: Sequence[str],
    env: dict[str, str],
    busy: Callable[[], object],
    number: signal.Signals,
) -> int:
    """Exit code of a command that gets a signal once it is busy, and ends long before its time limits."""
    with open(told(pi), "wb") as err:
        child = subprocess.Popen(
            [*COMMAND, *words], cwd=pi.project, env=pi.environ(env),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
        )  # fmt: skip
    deadline = time.monotonic() + 60
    while not busy():
        assert time.monotonic() < deadline, "it never got that far"
        time.sleep(0.01)
    child.send_signal(number)
    code = child.wait(PATIENCE_S)
    assert "Traceback" not in told(pi).read_text("utf-8")
    return code


def told(pi: AgentCli) -> Path:
    """What the command that is ended said on standard error."""
    return pi.project / "said.txt"


def running(mark: str) -> list[str]:
    """Command lines of other programs that hold a text, or whose working folder does."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            where = os.readlink(process / "cwd")
        except OSError:
            continue  # it ended meanwhile
        if int(process.name) != os.getpid() and mark in f"{line} {where}/":
            found.append(line)
    return found


def is_gone(mark: str, within_s: float = 30) -> bool:
    """Whether soon no program is about a text any more."""
    deadline = time.monotonic() + within_s
    while running(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not running(mark)


@pytest.mark.parametrize(
    ("backend", "number"),
    [*(("uv", number) for number in ENDINGS), ("pip", signal.SIGINT), ("pip", signal.SIGKILL)],
    ids=lambda value: getattr(value, "name", value),
)
def test_an_installer_ends_with_its_command(
    pi: AgentCli, index: SimpleIndex, tmp_path: Path, backend: str, number: signal.Signals
) -> None:
    """However the command ends, its installer is gone at once and the packages are as they were."""
    settings, before = pi.agent_dir / "settings.toml", pi.run("list").out
    pi.write(str(settings), settings.read_text() + f'[install]\nbackend = "{backend}"\n')
    old = settings.read_bytes()
    env = {"PIP_INDEX_URL": index.url, **FOR_EVER}
    code = ended(pi, ["install", "pypi:slow"], env, lambda: index.requests, number)
    assert ENDINGS[number] == code
    assert is_gone(f"{tmp_path}/")
    assert (old, before) == (settings.read_bytes(), pi.run("list").out)
    index.moving.set()
    assert 0 == pi.run("install", "pypi:slow", env=env).code
    assert 2 == len(list((pi.agent_dir / "envs").glob("*-*")))


@pytest.mark.parametrize("number", ENDINGS, ids=lambda number: number.name)
def test_git_ends_with_its_command(pi: AgentCli, tmp_path: Path, number: signal.Signals) -> None:
    """A remote that never says a word cannot hold a git that nobody waits for any more."""
    with silent_server() as (url, visited):
        source = f"git:{url}/o/r"
        code = ended(pi, ["install", source], {"TMPDIR": str(tmp_path)}, visited, number)
        assert ENDINGS[number] == code
        assert is_gone(url)
    left = [
        path.name for path in (pi.agent_dir / "checkouts").glob("*") if not path.name.startswith(".trash")
    ]
    assert [] == left


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_look_up_ends_with_its_command(
    pi: AgentCli, index: SimpleIndex, tmp_path: Path, number: signal.Signals
) -> None:
    """What asks in the background for newer versions ends too."""
    env = {"PIP_INDEX_URL": index.url, **FOR_EVER}
    index.moving.set()
    assert 0 == pi.run("install", "pypi:slow", env=env).code
    index.moving.clear()
    index.requests.clear()
    code = ended(pi, ["update"], env, lambda: index.requests, number)
    assert ENDINGS[number] == code
    assert is_gone(f"{tmp_path}/")


def test_a_command_that_waits_for_another_can_be_ended(
    pi: AgentCli, index: SimpleIndex, tmp_path: Path
) -> None:
    """Whoever waits for its turn goes away without having changed anything; the one at work goes on."""
    env = {"PIP_INDEX_URL": index.url, **FOR_EVER}
    first = subprocess.Popen(
        [*COMMAND, "install", "pypi:slow"], cwd=pi.project, env=pi.environ(env),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while not index.requests:
        time.sleep(0.01)
    code = ended(pi, ["remove", "./a"], env, lambda: b"waiting" in told(pi).read_bytes(), signal.SIGTERM)
    assert 143 == code
    index.moving.set()
    out, err = first.communicate(timeout=60)
    assert (0, b"installed pypi:slow 1.0\n") == (first.returncode, out), err
    assert "./a" in pi.run("list").out.replace("../../../project", ".")
