"""The whole route in a throwaway home: install three packages, use them, take them away again.

Every line of output is the output of the real command. The demo ends with exit code 1 at the first step
whose outcome is not what it promises.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.gitrepos import GitRepo
from tests.support.index import SimpleIndex

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample-packages"
BIN = Path(sys.executable).parent
WIDTH = 100


class Broken(Exception):
    """A step did not do what it promises."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the demo plays: a home, a project with a `build` folder, and the environment of every command."""

    home: Path
    project: Path
    environ: dict[str, str]

    def pi(self, *arguments: str, expect: int = 0) -> str:
        """Run `pi`, show command and output, and return what it said on both streams."""
        shown = " ".join(f'"{word}"' if " " in word else word for word in arguments)
        print(f"\n$ pi {shown}", flush=True)
        done = subprocess.run(
            [str(BIN / "pi"), *arguments], cwd=self.project, env=self.environ, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        print("".join(f"  {clipped(line)}\n" for line in done.stdout.splitlines()), end="", flush=True)
        if done.returncode != expect:
            raise Broken(f"pi {shown}: exit {done.returncode}, expected {expect}")
        return done.stdout


def clipped(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def promise(kept: bool, words: str) -> None:
    """Say that something holds, or stop."""
    if not kept:
        raise Broken(words)
    print(f"  ✓ {words}", flush=True)


def title(words: str) -> None:
    print(f"\n── {words} " + "─" * max(0, WIDTH - len(words) - 4), flush=True)


def quiet_environ(home: Path, index_url: str) -> dict[str, str]:
    """The environment of the demo: nothing of the machine's package or git settings, no real home."""
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TERM", "TMPDIR") if name in os.environ
    }
    return {
        **kept,
        "HOME": str(home),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": index_url,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


@contextmanager
def stage() -> Iterator[tuple[Stage, str]]:
    """A fresh stage and the address of its git repository; everything is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="pi-demo-") as folder,
        SimpleIndex(Path(folder, "index")) as index,
    ):
        top = Path(folder).resolve()
        home, project = top / "home", top / "project"
        (project / "build").mkdir(parents=True)
        (project / "build" / "artefact.txt").write_text("precious\n", encoding="utf-8")
        home.mkdir()
        shutil.copytree(SAMPLES, project / "sample-packages", ignore=shutil.ignore_patterns("__pycache__"))
        build_wheel(SAMPLES / "todo", index.folder)
        repo = GitRepo(top / "remotes", "hookimpl-plugin")
        shutil.copytree(
            SAMPLES / "hookimpl-plugin",
            repo.work,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        repo.commit_all("the first version")
        repo.tag("v1")
        yield Stage(home, project, quiet_environ(home, index.url)), f"git:{repo.url}@v1"


def build_wheel(source: Path, target: Path) -> None:
    """Build the real wheel of a sample package."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=source, check=True, capture_output=True,
    )  # fmt: skip


def play(here: Stage, git_source: str) -> None:
    title("1. Install: a folder, a git tag, a wheel from an index")
    here.pi("install", "./sample-packages/permission-gate")
    here.pi("install", git_source)
    here.pi("install", "pypi:pi-sample-todo")
    settings = here.home / ".pi" / "agent" / "settings.toml"
    promise(settings.is_file(), "settings were written, last")

    title("2. What is installed")
    listing = here.pi("list")
    for name in ("permission-gate", "hookimpl-plugin", "pi-sample-todo"):
        promise(name in listing, f"{name} is listed")

    title("3. The model asks for a destructive command")
    answer = here.pi("-p", "run: rm -rf build")
    promise((here.project / "build" / "artefact.txt").is_file(), "the folder is still there")
    promise("refused" in answer, "the model was told why")

    title("4. What is harmless runs; tools of packages work")
    promise("hello" in here.pi("-p", "run: echo hello"), "the command ran")
    stream = here.pi("--mode", "json", "-p", "run: echo hello")
    promise('"type":"tool_execution_end"' in stream.replace(" ", ""), "every event is a line of JSON")
    promise("buy milk" in here.pi("-p", "todo: buy milk"), "the tool of the index package answered")

    title("5. Remove")
    here.pi("remove", "./sample-packages/permission-gate")
    here.pi("remove", git_source)
    here.pi("remove", "pypi:pi-sample-todo")
    listing = here.pi("list")
    promise("sample" not in listing and "hookimpl" not in listing, "nothing is listed any more")
    left = {path.name for path in here.home.iterdir()}
    promise(left <= {".pi", ".cache"}, "the home folder holds pi's own folder and the installer's cache")
    promise(not (here.project / ".pi").exists(), "nothing was left in the project")


def main() -> int:
    """Play the demo; 0 if every promise held."""
    try:
        with stage() as (here, git_source):
            play(here, git_source)
    except Broken as broken:
        print(f"\nThe demo failed: {broken}", file=sys.stderr)
        return 1
    print("\nEverything above was real. Next: README.md, “A first extension”.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
