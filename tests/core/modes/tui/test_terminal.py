"""The program as a person starts it, in a real terminal."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.tmux import Terminal, terminal

ROOT = Path(__file__).parents[4]
EXTENSION = """
def extension(pi):
    @pi.command("ask", description="asks something")
    async def ask(args, ctx):
        answer = await ctx.ui.select("Which fruit?", ["apple", "pear"])
        ctx.ui.notify(f"VERSION1 {answer}")
"""
EDITOR = """#!/bin/sh
echo "written in the editor" > "$1"
"""


@contextmanager
def pi(folder: Path, *words: str, size: tuple[int, int] = (100, 30), **environ: str) -> Iterator[Terminal]:
    """The program in a project of its own, with a script that answers."""
    project, agent = folder / "project", folder / "agent"
    project.mkdir()
    (agent / "extensions").mkdir(parents=True)
    (agent / "extensions" / "ours.py").write_text(EXTENSION, encoding="utf-8")
    (folder / "script.json").write_text(json.dumps(["the **answer** is here"]), encoding="utf-8")
    command = shlex.join([sys.executable, "-m", "pi_core.cli.main", *words])
    given = {
        "HOME": str(folder),
        "PI_CODING_AGENT_DIR": str(agent),
        "PI_SCRIPT": str(folder / "script.json"),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        **environ,
    }
    with terminal(project, command, given, size) as used:
        yield used


@pytest.mark.slow
def test_a_conversation_in_a_terminal(tmp_path: Path) -> None:
    """Type, answer a dialog of an extension, reload it, resize, quit: the terminal is as it was.

    It was started by a program that leaves the size of its own terminal in the environment.
    """
    with pi(tmp_path, COLUMNS="80", LINES="24") as used:
        used.until("extensions  ours")
        used.type("hello there")
        used.keys("Enter")
        used.until("the answer is here")
        used.type("/as")
        used.until("asks something")
        used.keys("Enter")
        used.until("Which fruit?")
        used.keys("Down", "Enter")
        used.until("VERSION1 pear")
        file = tmp_path / "agent" / "extensions" / "ours.py"
        file.write_text(EXTENSION.replace("VERSION1", "VERSION2"), encoding="utf-8")
        used.type("/reload")
        used.keys("Enter")
        used.until("Reloaded: 1 extension")
        used.type("/ask ")
        used.keys("Enter")
        used.until("Which fruit?")
        used.resize(40, 10)
        used.until(lambda screen: "Which fruit?" in screen and len(screen.rstrip().splitlines()) <= 10)
        used.keys("Enter")
        used.resize(120, 40)
        used.until("VERSION2 apple")
        used.until("the answer is here")
        used.keys("C-d")
        assert "ended with 0" in used.until("ended with")
        assert "Ask anything" not in used.screen


@pytest.mark.slow
def test_a_prompt_is_written_in_the_persons_own_editor(tmp_path: Path) -> None:
    """The screen is away while it runs, and its text comes back."""
    editor = tmp_path / "editor.sh"
    editor.write_text(EDITOR, encoding="utf-8")
    editor.chmod(0o755)
    with pi(tmp_path, VISUAL=str(editor)) as used:
        used.until("extensions  ours")
        used.keys("C-g")
        used.until("written in the editor")
        used.keys("Enter")
        used.until("the answer is here")


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    """The list of conversations needs somebody who chooses: one clear line, and the code of wrong usage."""
    done = subprocess.run(
        [sys.executable, "-m", "pi_core.cli.main", "--resume"],
        capture_output=True, text=True, check=False, cwd=ROOT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert 2 == done.returncode
    assert "needs a terminal" in done.stderr
    assert 1 == len(done.stderr.strip().splitlines())
