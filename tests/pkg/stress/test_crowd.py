"""Many processes change one scope at once, and others read it meanwhile.

Field reports ATOM 15, 19: they take turns, nobody's change is lost, and a reader sees whole states only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_pkg.install.index import read_index
from tests.pkg.stress.stage import EXTENSION, offer
from tests.support.agent_cli import COMMAND, AgentCli, agent_cli

READER = """
import io, json, sys
from pathlib import Path
from pi_pkg.cli import main
from pi_pkg.locations import Locations
home, project = Path(sys.argv[1]), Path(sys.argv[2])
places = Locations(home / ".pi" / "agent", project, home)
counts = []
while not counts or counts[-1] < int(sys.argv[3]):
    out = io.StringIO()
    code = main(["list", "--json"], locations=places, environ={}, stdout=out, stderr=sys.stderr)
    found = json.loads(out.getvalue())["observed"]
    assert code == 0 and {item["state"] for item in found} <= {"ok"}, found
    counts.append(len(found))
print(json.dumps(counts))
"""


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    """A person with a folder of eight packages and three wheels."""
    cli = agent_cli(tmp_path)
    for number in range(8):
        cli.write(f"local-{number}/extensions/e{number}.py", EXTENSION)
    for number in range(3):
        offer(tmp_path / "wheels", f"wheel{number}", "1.0")
    return cli


def start(pi: AgentCli, tmp_path: Path, words: Sequence[str]) -> subprocess.Popen[str]:
    places = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    return subprocess.Popen(
        [*COMMAND, *words], cwd=pi.project, env=pi.environ(places), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def crowd(pi: AgentCli, tmp_path: Path, commands: Sequence[Sequence[str]]) -> None:
    """Run commands at once; each ends well."""
    started = [start(pi, tmp_path, words) for words in commands]
    said = [child.communicate(timeout=240) for child in started]
    assert [0] * len(commands) == [child.returncode for child in started], said


def listed(pi: AgentCli) -> set[str]:
    """The names of what is listed; all of it can be used."""
    found = json.loads(pi.run("list", "--json").out)["observed"]
    assert {"ok"} == {item["state"] for item in found}
    return {os.path.basename(item["source"]).removeprefix("pypi:") for item in found}


@pytest.mark.slow
@pytest.mark.parametrize("scope", [[], ["-l"]], ids=["user", "project"])
def test_eight_processes_install_eight_packages(pi: AgentCli, tmp_path: Path, scope: list[str]) -> None:
    """All eight are declared, listed and in force afterwards, and a project is as trusted as before."""
    sources = [f"./local-{number}" for number in range(5)] + [f"pypi:wheel{number}" for number in range(3)]
    crowd(pi, tmp_path, [["install", *scope, source] for source in sources])
    expected = {source.removeprefix("./").removeprefix("pypi:") for source in sources}
    assert expected == listed(pi)
    envs = next(pi.agent_dir.glob("projects/*/envs")) if scope else pi.agent_dir / "envs"
    index = read_index(envs)
    assert index is not None
    assert expected == {package.dist or Path(package.root).name for package in index.packages}
    assert index.generation == max(path.name for path in envs.glob("0*-*"))


@pytest.mark.slow
def test_who_reads_meanwhile_sees_whole_states(pi: AgentCli, tmp_path: Path) -> None:
    """While packages come, a reader never waits, never fails, and only ever sees more of them."""
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(pi.home), str(pi.project), "5"], env=pi.environ(), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    crowd(pi, tmp_path, [["install", f"./local-{number}"] for number in range(5)])
    out, err = reader.communicate(timeout=60)
    assert (0, "") == (reader.returncode, err)
    counts = json.loads(out)
    assert sorted(counts) == counts


@pytest.mark.slow
def test_changes_of_every_kind_take_turns(pi: AgentCli, tmp_path: Path) -> None:
    """Installing, removing, updating and repairing at once: each does what it says, in some order."""
    for number in range(4):
        assert 0 == pi.run("install", f"./local-{number}").code
    words = [["remove", f"./local-{number}"] for number in range(4)]
    words += [["install", f"./local-{number}"] for number in range(4, 8)]
    words += [["update"], ["sync"], ["install", "pypi:wheel0"], ["update", "--check"]]
    crowd(pi, tmp_path, words)
    assert {"local-4", "local-5", "local-6", "local-7", "wheel0"} == listed(pi)
