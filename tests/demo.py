"""The whole route in a throwaway home: install three packages, use them, drive them, take them away again.

Every line of output is the output of the real command. The demo ends with exit code 1 at the first step
whose outcome is not what it promises.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.gitrepos import GitRepo
from tests.support.index import SimpleIndex

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample-packages"
BIN = Path(sys.executable).parent
WIDTH = 100
SHORT_TALK = "\n[compaction]\nkeep-recent-tokens = 1\n"
"""So that a talk of a few words is long enough to be summarised."""


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

    @contextmanager
    def rpc(self) -> Iterator[Client]:
        """A running `pi --mode rpc`, which ends when its client goes."""
        print("\n$ pi --mode rpc", flush=True)
        with subprocess.Popen(
            [str(BIN / "pi"), "--mode", "rpc"], cwd=self.project, env=self.environ,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        ) as process:  # fmt: skip
            yield Client(process)
            assert process.stdin is not None
            process.stdin.close()
            if (code := process.wait(timeout=30)) != 0:
                raise Broken(f"pi --mode rpc: exit {code}, expected 0")


@dataclass(frozen=True, slots=True)
class Client:
    """A program that talks to `pi --mode rpc`. What it says and what it waits for is shown."""

    process: subprocess.Popen[str]

    def say(self, record: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        line = json.dumps(record)
        print(f"  → {clipped(line)}", flush=True)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self, kind: str) -> dict[str, Any]:
        """The next record of a type that is no answer to a prompt; others are passed over."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            record: dict[str, Any] = json.loads(line)
            if record["type"] == kind and record.get("command") != "prompt":
                print(f"  ← {clipped(line.rstrip())}", flush=True)
                return record
        raise Broken(f"pi --mode rpc ended before it told {kind}")

    def ask(self, command: str, *, until: str, **fields: str) -> dict[str, Any]:
        self.say({"type": command, **fields})
        return self.hear(until)


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

    title("5. What extensions did, event by event")
    trace = here.project / "trace.jsonl"
    here.pi("-p", "--trace-events", trace.name, "run: rm -rf build")
    report = here.pi("trace", trace.name)
    promise("permission-gate" in report and "tool_call" in report, "the route of the refused call is told")
    trace.unlink()

    title("6. A program drives it: dialogs, a summary, a page to read")
    settings.write_text(settings.read_text(encoding="utf-8") + SHORT_TALK, encoding="utf-8")
    drive(here)

    title("7. Remove")
    here.pi("remove", "./sample-packages/permission-gate")
    here.pi("remove", git_source)
    here.pi("remove", "pypi:pi-sample-todo")
    listing = here.pi("list")
    promise("sample" not in listing and "hookimpl" not in listing, "nothing is listed any more")
    left = {path.name for path in here.home.iterdir()}
    promise(left <= {".pi", ".cache"}, "the home folder holds pi's own folder and the installer's cache")
    promise(not (here.project / ".pi").exists(), "nothing was left in the project")


def drive(here: Stage) -> None:
    """The same extensions with a client at `--mode rpc`, which answers their questions."""
    with here.rpc() as client:
        dialog = client.ask("prompt", message="run: rm -rf build", until="extension_ui_request")
        promise("rm -rf build" in json.dumps(dialog), "the gate asks whoever is there")
        client.say({"type": "extension_ui_response", "id": dialog["id"], "cancelled": True})
        client.hear("agent_settled")
        promise((here.project / "build" / "artefact.txt").is_file(), "no answer is no")
        client.ask("prompt", message="run: echo one more", until="agent_settled")
        summed = client.ask("compact", until="response")
        promise(bool(summed["success"]), "the older part of the talk is a summary now")
        page = client.ask("export_html", outputPath="talk.html", until="response")
        promise(bool(page["success"]) and (here.project / "talk.html").is_file(), "the talk is a page")
    (here.project / "talk.html").unlink()


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
