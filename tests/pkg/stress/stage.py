"""A house with packages of every kind, and the commands that are stopped in it.

Touches: files, processes (git, uv).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.agent_cli import ROOT, AgentCli
from tests.support.gitrepos import GitRepo
from tests.support.wheels import build_wheel

EXTENSION = "def extension(pi): ...\n"
Commands = Sequence[tuple[str, ...]]
Tries = Sequence[tuple[Sequence[str], Sequence[tuple[str, float]]]]
"""Commands with kinds of stop, each with the share of the way at which it comes."""


@dataclass(frozen=True, slots=True)
class Stage:
    """`house` holds a home and a project; `template` is a copy of it as it was set up."""

    folder: Path
    environ: Mapping[str, str]
    """What a command needs in its environment beside a home."""
    remote: GitRepo

    @property
    def house(self) -> Path:
        return self.folder / "house"

    @property
    def template(self) -> Path:
        return self.folder / "template"

    @property
    def cli(self) -> AgentCli:
        return AgentCli(self.house / "home", self.house / "project")

    @property
    def commands(self) -> Commands:
        """One of each way to change a scope, all of which succeed on the template."""
        url = self.remote.url
        return (
            ("install", "./b"), ("install", "pypi:x"), ("install", "pypi:w@1.0"), ("install", "pypi:w@2.0"),
            ("install", f"git:{url}@v1"), ("install", "./b", "pypi:x", "./a"),
            ("remove", "./a"), ("remove", "pypi:w"), ("rollback",), ("update",),
            ("install", "-l", "./b", "pypi:x"),
        )  # fmt: skip

    def restore(self) -> None:
        """The house as it was set up."""
        shutil.rmtree(self.house, ignore_errors=True)
        shutil.copytree(self.template, self.house, symlinks=True)

    def forge(self, tries: Tries) -> list[dict[str, Any]]:
        """What `forge.py` has to tell about commands that are stopped at shares of their way."""
        job = {"house": str(self.house), "template": str(self.template), "tries": tries}
        done = subprocess.run(
            [sys.executable, "-m", "tests.pkg.stress.forge"], input=json.dumps(job), capture_output=True,
            text=True, cwd=ROOT, env=self.cli.environ(self.environ), check=True,
        )  # fmt: skip
        return [json.loads(line) for line in done.stdout.splitlines()]


def set_up(folder: Path) -> Stage:
    """A house with a tree, a wheel and a repository installed in two steps, each with news waiting."""
    wheels, project = folder / "wheels", folder / "house" / "project"
    (folder / "house" / "home").mkdir(parents=True)
    for name in ("a", "b"):
        (project / name / "extensions").mkdir(parents=True)
        (project / name / "extensions" / f"{name}.py").write_text(EXTENSION, "utf-8")
    for name, version in (("w", "1.0"), ("x", "1.0")):
        offer(wheels, name, version)
    remote = GitRepo(folder)
    remote.commit({"extensions/g.py": EXTENSION})
    remote.tag("v1")
    caches = {"UV_CACHE_DIR": str(folder / "uv"), "PIP_CACHE_DIR": str(folder / "pip")}
    places = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    sealed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    stage = Stage(folder, {**caches, **places, **sealed}, remote)
    for words in (["./a"], ["./a", "pypi:w", f"git:{remote.url}"]):
        done = stage.cli.run("install", *words, env=stage.environ)
        assert 0 == done.code, done
    offer(wheels, "w", "2.0")
    remote.commit({"extensions/g.py": f"{EXTENSION}# newer\n"})
    shutil.copytree(stage.house, stage.template, symlinks=True)
    return stage


def offer(wheels: Path, name: str, version: str) -> None:
    """A wheel with one extension and a few modules, so that its installation takes several steps."""
    files = {f"{name}/part{number}.py": f"N = {number}\n" for number in range(5)}
    build_wheel(
        wheels, name, version, files={f"{name}/__init__.py": EXTENSION, **files},
        entry_points={"pi.extensions": {name: f"{name}:extension"}},
    )  # fmt: skip
