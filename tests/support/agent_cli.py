"""The real command in a child process, with a home and a project of its own.

Touches: files, processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.warm_runs import AGENT, warm_runs

COMMAND = [sys.executable, "-m", "pi_core.cli.main"]
ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60.0
BYTECODE = Path(tempfile.gettempdir()) / "pi-test-bytecode"
"""Shared by all runs: compiling everything anew would take most of their time."""


def python_environ() -> dict[str, str]:
    """The environment of this process for a Python that may keep what it compiles."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**known, "PYTHONPYCACHEPREFIX": str(BYTECODE)}


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines, split at line feeds only."""
        return [json.loads(line) for line in self.out.split("\n") if line]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["type"] == kind]


@dataclass(frozen=True, slots=True)
class AgentCli:
    """`pi` as a person at `project` would run it, whose home is `home`."""

    home: Path
    project: Path
    imports: tuple[str, ...] = AGENT
    """What a run finds imported already."""

    @property
    def agent_dir(self) -> Path:
        return self.home / ".pi" / "agent"

    def run(self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ran:
        """Run to the end, at most a minute."""
        environ = self.environ(env)
        warm = warm_runs(ROOT, environ, self.imports)
        done = warm.run(words, self.project, environ, stdin.encode(), TIMEOUT_S) if warm else None
        if done is None:
            return self.run_cold(*words, stdin=stdin, env=env)
        code, out, err = done
        return Ran(code, _text(out), _text(err))

    def run_cold(self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ran:
        """The same in a process that imports everything anew."""
        done = subprocess.run(
            [*COMMAND, *words], cwd=self.project, env=self.environ(env), input=stdin,
            capture_output=True, text=True, encoding="utf-8", check=False, timeout=TIMEOUT_S,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout, done.stderr)

    def start(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        """Start and return at once; nothing is piped in and both outputs are, unless told otherwise."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            [*COMMAND, *words], cwd=self.project, env=self.environ(), text=True, **{**pipes, **options}
        )

    def environ(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**python_environ(), "HOME": str(self.home), "PYTHONPATH": str(ROOT), **(extra or {})}

    def write(self, path: str, text: str) -> Path:
        """A file below the project, its text without common indentation."""
        target = self.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")
        return target

    def user_extension(self, text: str, name: str = "ext.py") -> Path:
        """An extension that the user's folder brings to every run."""
        return self.write(str(self.agent_dir / "extensions" / name), text)

    def sessions(self) -> list[Path]:
        """The stored conversations, by name."""
        return sorted((self.agent_dir / "sessions").rglob("*.jsonl"))


def agent_cli(folder: Path, imports: tuple[str, ...] = AGENT) -> AgentCli:
    """A fresh home and project below `folder`."""
    for name in ("home", "project"):
        (folder / name).mkdir()
    return AgentCli(folder / "home", folder / "project", imports)


def _text(data: bytes) -> str:
    """As `subprocess` reads text."""
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
