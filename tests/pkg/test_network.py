"""Without a network, or with one that says no: nothing hangs, nothing asks; field reports NET.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_core.resources.loader import ResourceLoader, ResourceRequest
from pi_pkg.cli.progress import SilentProgress
from pi_pkg.install.progress import Step
from tests.support.agent_cli import COMMAND, AgentCli, agent_cli
from tests.support.gitrepos import GitRepo
from tests.support.index import SimpleIndex
from tests.support.package_cli import PackageCli

NOWHERE = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple"}


@pytest.fixture
def agent(tmp_path: Path) -> AgentCli:
    return agent_cli(tmp_path)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SimpleIndex]:
    """Offers `pi-ext`, an extension that knows a flag."""
    code = "def extension(pi):\n    pi.register_flag('from-ext', type='boolean')\n"
    points = {"pi.extensions": {"ext": "pi_ext:extension"}}
    with SimpleIndex(tmp_path / "index") as index:
        index.wheel("pi-ext", files={"pi_ext.py": code}, entry_points=points)
        yield index


def test_a_start_asks_no_index(agent: AgentCli, index: SimpleIndex) -> None:
    """NET 30, NOOP 7: a package that is missing is reported with its repair; no index is waited for."""
    (agent.agent_dir).mkdir(parents=True)
    (agent.agent_dir / "settings.toml").write_text('packages = ["pypi:missing"]\n')
    done = agent.run("-p", "hi", env={**NOWHERE, "PIP_INDEX_URL": index.url})
    assert (0, []) == (done.code, index.requests)
    assert (
        "'pypi:missing' is left out: it is not installed. Install what the settings name: pi sync" in done.err
    )


@pytest.mark.parametrize("mode", [["-p"], ["--mode", "json"]], ids=["print", "json"])
def test_every_mode_prepares_packages_alike(agent: AgentCli, index: SimpleIndex, mode: list[str]) -> None:
    """ENV 166, 167, D7: in each mode what is installed loads, its flag is known, what is missing is told."""
    env = {"PIP_INDEX_URL": index.url}
    assert 0 == agent.run("install", "pypi:pi-ext", env=env).code
    settings = agent.agent_dir / "settings.toml"
    settings.write_text(settings.read_text().replace("[", '["pypi:missing",', 1))
    done = agent.run(*mode, "--from-ext", "hi", env=NOWHERE)
    assert (0, True) == (done.code, "pypi:missing" in done.err)
    assert 2 == agent.run(*mode, "--from-xet", "hi", env=NOWHERE).code


def test_a_source_of_the_command_line_is_brought_and_kept(agent: AgentCli, index: SimpleIndex) -> None:
    """SRC 27: `-e` takes what install takes; once it was here, a run needs no index."""
    (agent.project / "pi-ext").mkdir()
    first = agent.run("-e", "pypi:pi-ext", "--from-ext", "-p", "hi", env={"PIP_INDEX_URL": index.url})
    again = agent.run("-e", "pypi:pi-ext", "--from-ext", "-p", "hi", env=NOWHERE)
    offline = agent.run("-e", "pypi:pi-ext", "--from-ext", "--offline", "-p", "hi", env=NOWHERE)
    assert [0, 0, 0] == [first.code, again.code, offline.code]
    assert not (agent.agent_dir / "settings.toml").exists()


async def test_bringing_a_source_here_tells_what_it_does(pi: PackageCli, index: SimpleIndex) -> None:
    """Every step goes to whoever the host named, and the display is taken down at the end."""
    told: list[str] = []

    class Display(SilentProgress):
        def __call__(self, step: Step) -> None:
            told.append(step.stage)

        def close(self) -> None:
            told.append("closed")

    request = ResourceRequest(sources=("pypi:pi-ext",), progress=Display())
    environ = {**pi.full_environ, "PIP_INDEX_URL": index.url}
    found = await ResourceLoader(pi.locations, request, environ=environ).load()
    await found.runtime.close(0.1)
    assert "install" in told
    assert "closed" == told[-1]


def test_a_repository_of_the_command_line(agent: AgentCli, tmp_path: Path) -> None:
    """SRC 27: from a folder that has one of the same name, the repository is meant."""
    repo = GitRepo(tmp_path.resolve() / "remotes", "ext")
    repo.commit({"extensions/far.py": "def extension(pi):\n    pi.register_flag('far', type='boolean')\n"})
    (agent.project / "ext.git").mkdir()
    assert 0 == agent.run("-e", f"git:{repo.url}", "--far", "-p", "hi").code


def test_a_source_that_cannot_be_had_ends_the_run(agent: AgentCli, index: SimpleIndex) -> None:
    """Exit 1, the source is named, and nothing is asked of a model."""
    done = agent.run("-e", "pypi:no-such-thing", "-p", "hi", env={"PIP_INDEX_URL": index.url})
    assert (1, "") == (done.code, done.out)
    assert "cannot load pypi:no-such-thing: there is no no-such-thing on" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("words", [["-e", "pypi:pi-ext", "-p", "hi"], ["update"]], ids=["-e", "update"])
@pytest.mark.parametrize("backend", ["uv", "pip"])
def test_an_interruption_ends_what_waits_for_an_index(
    agent: AgentCli, index: SimpleIndex, words: list[str], backend: str
) -> None:
    """Ctrl-C while nothing comes: the command ends at once, and no installer is left."""
    env = {"PIP_INDEX_URL": index.url, "PIP_TIMEOUT": "600"}
    agent.run("install", "pypi:pi-ext", env=env)
    settings = agent.agent_dir / "settings.toml"
    settings.write_text(settings.read_text() + f'[install]\nbackend = "{backend}"\n')
    index.requests.clear()
    index.moving.clear()
    child = subprocess.Popen(
        [*COMMAND, *words], cwd=agent.project, env=agent.environ(env), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while not index.requests:
        time.sleep(0.02)
    child.send_signal(2)
    child.communicate(timeout=45)  # less than any time limit that would end it
    assert 130 == child.returncode
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(agent.home) not in listed


def test_an_extension_that_finds_no_network_is_left_out(agent: AgentCli) -> None:
    """NET 31: the host starts; the finding names the file."""
    agent.user_extension(
        """
        import asyncio
        async def extension(pi):
            await asyncio.open_connection("127.0.0.1", 9)
        """
    )
    done = agent.run("-p", "hi")
    assert (0, True) == (done.code, "ext.py" in done.err)


def test_a_repository_that_wants_a_password_fails_at_once(pi: PackageCli, tmp_path: Path) -> None:
    """NET 32: nobody is asked, the sentence says what is needed, exit 1 within seconds."""
    with SimpleIndex(tmp_path / "closed", password="secret") as closed:
        start = time.monotonic()
        done = pi.run("install", f"git:http://127.0.0.1:{closed.port}/o/r")
    assert (1, True) == (done.code, time.monotonic() - start < 45)
    assert "It needs credentials" in done.err


def test_an_index_that_wants_a_password_is_named_without_it(pi: PackageCli, tmp_path: Path) -> None:
    """NET 29: the index in force is asked, and no message shows what is secret."""
    with SimpleIndex(tmp_path / "closed", password="secret") as closed:
        closed.wheel("pi-ext", entry_points={"pi.extensions": {"ext": "pi_ext:extension"}})
        pi.environ["PIP_INDEX_URL"] = closed.url
        assert 0 == pi.run("install", "pypi:pi-ext").code
        closed.wheel("pi-ext", "1.1", entry_points={"pi.extensions": {"ext": "pi_ext:extension"}})
        assert "pypi:pi-ext 1.0 → 1.1" in pi.run("update").out
        pi.environ["PIP_INDEX_URL"] = closed.url.replace("secret", "wrong")
        done = pi.run("update", "--json")
    assert (1, False) == (done.code, "wrong" in json.dumps(done.document))
