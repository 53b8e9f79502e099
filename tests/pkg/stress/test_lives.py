"""Generations over time: gone back to, held by whoever runs from them, and gone when nobody does.

Field reports ATOM 16, ENV 161, 162, 165, PLAT 35.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import time
import venv
from pathlib import Path

import pytest

from pi_pkg.install.index import current_generation, read_index
from pi_pkg.install.tags import fits_here, machine_tag, python_tag
from tests.pkg.stress.stage import EXTENSION
from tests.support.agent_cli import ROOT, AgentCli, Ran, agent_cli
from tests.support.wheels import build_wheel, install_into

TELLER = """
def extension(pi):
    @pi.on("session_start")
    def begin(event, ctx):
        open("begun", "w").close()

    @pi.on("agent_end")
    def end(event, ctx):
        from teller.part import WORD
        with open("word", "w") as file:
            file.write(WORD)
"""
WAIT = "run: while [ ! -e go ]; do sleep 0.05; done"


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    cli = agent_cli(tmp_path)
    for number in range(6):
        cli.write(f"p{number}/extensions/e{number}.py", EXTENSION)
    return cli


def sources(pi: AgentCli) -> list[str]:
    """The names of what is listed, all of it usable."""
    found = json.loads(pi.run("list", "--json").out)["observed"]
    assert {"ok"} >= {item["state"] for item in found}
    return [os.path.basename(item["source"]) for item in found]


def kept(pi: AgentCli) -> list[str]:
    return sorted(path.name for path in (pi.agent_dir / "envs").glob("0*-*"))


def test_going_back_to_every_kept_generation(pi: AgentCli) -> None:
    """By number, by name or step by step: settings and files are those of then, and forth again."""
    pi.write(str(pi.agent_dir / "settings.toml"), "# mine\n[install]\nkeep-generations = 9\n")
    for number in range(5):
        assert 0 == pi.run("install", f"./p{number}").code
    names = kept(pi)
    for number, name in [(3, names[2]), (1, names[0]), (5, names[4]), (2, names[1])]:
        word = str(number) if number % 2 else name
        assert 0 == pi.run("rollback", word).code
        assert [f"p{one}" for one in range(number)] == sources(pi)
        assert name == current_generation(pi.agent_dir / "envs")
        assert "# mine\n" in (pi.agent_dir / "settings.toml").read_text("utf-8")
    assert 0 == pi.run("rollback").code
    assert ["p0"] == sources(pi)
    done = pi.run("rollback")
    assert (1, True) == (done.code, "no older generation" in done.err)
    assert 0 == pi.run("install", "./p5").code
    assert ["p0", "p5"] == sources(pi)
    assert kept(pi)[-1] == current_generation(pi.agent_dir / "envs")


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never appeared"
        time.sleep(0.02)


def test_a_session_keeps_what_it_runs_from(pi: AgentCli, tmp_path: Path) -> None:
    """While a session lives, the generation that it imports from stays, however many come; then it goes."""
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    build_wheel(
        tmp_path / "wheels", "teller", entry_points={"pi.extensions": {"teller": "teller:extension"}},
        files={"teller/__init__.py": TELLER, "teller/part.py": "WORD = 'first'\n"},
    )  # fmt: skip
    assert 0 == pi.run("install", "pypi:teller", env=env).code
    (held,) = kept(pi)
    session = pi.start("-p", WAIT)
    wait_for(pi.project / "begun")
    assert 0 == pi.run("remove", "pypi:teller").code
    for number in range(4):
        assert 0 == pi.run("install", f"./p{number}").code
    assert held in kept(pi)
    (pi.project / "go").touch()
    _, err = session.communicate(timeout=60)
    assert (0, "first") == (session.returncode, (pi.project / "word").read_text("utf-8")), err
    assert 0 == pi.run("install", "./p4").code
    assert (False, 3) == (held in kept(pi), len(kept(pi)))


def test_a_session_that_was_killed_holds_nothing(pi: AgentCli) -> None:
    """What a dead process ran from is collected like the rest."""
    pi.run("install", "./p0")
    (held,) = kept(pi)
    pi.user_extension(
        "def extension(pi):\n    pi.on('session_start', lambda e, c: open('begun', 'w').close())\n"
    )
    session = pi.start("-p", WAIT)
    wait_for(pi.project / "begun")
    session.kill()
    session.communicate()
    (pi.project / "go").touch()
    for number in range(1, 5):
        assert 0 == pi.run("install", f"./p{number}").code
    assert held not in kept(pi)


class Machine:
    """A machine with a library beside pi, and wheels to install; `ran` tells which extensions a start ran."""

    def __init__(self, pi: AgentCli, folder: Path) -> None:
        self.pi, self.folder = pi, folder
        extension = (
            "def extension(pi):\n    pi.on('session_start', lambda e, c: open('ran-{0}', 'w').close())\n"
        )
        needs = {"careful": ["hostlib<2"], "easy": ["hostlib"], "compiled": []}
        for name, requires in needs.items():
            files = {f"{name}/__init__.py": extension.format(name)}
            files |= {f"{name}/_fast.abi3.so": "machine code"} if name == "compiled" else {}
            build_wheel(folder / "wheels", name, requires=requires, files=files,
                        entry_points={"pi.extensions": {name: f"{name}:extension"}})  # fmt: skip
        for name in ("tree", "later"):
            pi.write(f"{name}/extensions/{name}.py", extension.format(name))
        self.upgrade("1.0")

    def upgrade(self, version: str) -> None:
        """Another version of the library beside pi."""
        site = self.folder / f"host-{version}" / "site-packages"
        install_into(site, "hostlib", version)
        places = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.folder / "wheels")}
        self.env = {"PYTHONPATH": f"{ROOT}{os.pathsep}{site}", **places}

    def run(self, *words: str) -> Ran:
        return self.pi.run(*words, env=self.env)

    def ran(self) -> tuple[set[str], str]:
        """Which extensions a start ran, and what it said."""
        for marker in self.pi.project.glob("ran-*"):
            marker.unlink()
        done = self.run("-p", "hi")
        assert 0 == done.code
        return {path.name.partition("-")[2] for path in self.pi.project.glob("ran-*")}, done.err

    def retag(self, tag: str) -> None:
        """As if another interpreter had built the generation in force."""
        envs = self.pi.agent_dir / "envs"
        record = envs / (current_generation(envs) or "") / "pi-index.json"
        document = json.loads(record.read_text("utf-8"))
        record.write_text(json.dumps({**document, "python-tag": tag}), "utf-8")


@pytest.fixture
def machine(pi: AgentCli, tmp_path: Path) -> Machine:
    return Machine(pi, tmp_path)


def test_a_host_upgrade_is_survived(machine: Machine) -> None:
    """ENV 161, 165: what still works works, the rest is off, named with both sides, and comes back by itself
    once it fits again; the next change leaves it out, a repair says why."""
    assert 0 == machine.run("install", "pypi:careful", "pypi:easy", "./tree").code
    assert {"careful", "easy", "tree"} == machine.ran()[0]
    machine.upgrade("2.0")
    ran, said = machine.ran()
    reason = "careful 1.0 needs hostlib<2, but the environment that pi runs in provides hostlib 2.0"
    assert ({"easy", "tree"}, True) == (ran, reason in said)
    done = machine.run("install", "./later")
    assert (0, True) == (done.code, "'pypi:careful' was left out" in done.err)
    assert {"easy", "tree", "later"} == machine.ran()[0]
    assert (1, True) == ((done := machine.run("sync")).code, "refused pypi:careful" in done.err)
    machine.upgrade("1.0")
    assert 0 == machine.run("sync").code
    assert {"careful", "easy", "tree", "later"} == machine.ran()[0]


@pytest.mark.parametrize("words", [["install", "./later"], ["sync"], ["update"]], ids=" ".join)
def test_another_interpreter_is_told_and_repaired(machine: Machine, words: list[str]) -> None:
    """ENV 162: what was installed for another Python is named with both tags; trees go on; the next change
    of any kind builds the rest for this one."""
    assert 0 == machine.run("install", "pypi:easy", "./tree").code
    machine.retag("cpython-310")
    ran, said = machine.ran()
    assert ({"tree"}, True) == (ran, f"installed for cpython-310, this is {python_tag()}" in said)
    assert "cannot load here" in machine.run("list").out
    assert 0 == machine.run(*words).code
    assert {"easy", "tree"} <= machine.ran()[0]


def test_compiled_modules_fit_one_kind_of_machine(machine: Machine) -> None:
    """A home that two machines share: pure Python serves both, compiled modules are built for each."""
    assert 0 == machine.run("install", "pypi:easy").code
    index = read_index(machine.pi.agent_dir / "envs")
    assert (python_tag(), True) == (index.python_tag if index else None, fits_here(python_tag()))
    assert 0 == machine.run("install", "pypi:compiled").code
    index = read_index(machine.pi.agent_dir / "envs")
    assert machine_tag() == (index.python_tag if index else None)
    machine.retag(f"{python_tag()}-riscv64-linux-musl")
    ran, said = machine.ran()
    assert (set(), True) == (ran, f"this is {machine_tag()}" in said)
    assert 0 == machine.run("sync").code
    assert {"easy", "compiled"} == machine.ran()[0]


def host_environment(folder: Path) -> Path:
    """An environment with everything that pi needs, and its interpreter."""
    venv.EnvBuilder(with_pip=False, symlinks=True).create(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "pi.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n", "utf-8")
    return folder / "bin" / "python"


def test_the_environment_of_pi_may_be_made_anew(machine: Machine, tmp_path: Path) -> None:
    """ENV 162, 164, PLAT 35: packages are beside it, not in it. The interpreter that runs is the one that
    counts, whatever the shell has active."""
    one, two = host_environment(tmp_path / "one"), host_environment(tmp_path / "two")
    shell = {"VIRTUAL_ENV": str(tmp_path / "two"), "PATH": f"{two.parent}{os.pathsep}{os.environ['PATH']}"}

    def run(python: Path, *words: str) -> Ran:
        env = machine.pi.environ({**machine.env, **shell})
        done = subprocess.run(
            [python, "-m", "pi_core.cli.main", *words], cwd=machine.pi.project, env=env,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout, done.stderr)

    before = sorted(str(path) for path in tmp_path.glob("*/lib/python*/site-packages/*"))
    assert 0 == run(one, "install", "pypi:easy", "./tree").code
    assert before == sorted(str(path) for path in tmp_path.glob("*/lib/python*/site-packages/*"))
    shutil.rmtree(tmp_path / "one")
    assert 0 == run(two, "-p", "hi").code
    assert {"ran-easy", "ran-tree"} == {path.name for path in machine.pi.project.glob("ran-*")}
    assert 0 == run(two, "install", "./later").code
    assert {"easy", "tree", "later"} == machine.ran()[0]
