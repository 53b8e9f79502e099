"""The tutorial is true for a stranger: an empty environment, the built wheel, and nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.docs.playing import Saved, Shell, steps
from tests.support.pages import ROOT, fits
from tests.support.wheelhouse import closure, own_wheel, wheelhouse

BROUGHT = ("pytest", "hatchling")
"""What the page has the reader install beside pi."""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A machine with Python, a new home, and a package index that holds what the reader asks for."""
    needed = [name for name in closure(["pi-pluggy", *BROUGHT]) if name != "pi-pluggy"]
    index = wheelhouse(tmp_path / "index", needed)
    own_wheel(index)
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{Path(sys.base_prefix, "bin", "python3")}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    ours = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {
        **kept,
        "PATH": f"{python.parent}:/usr/local/bin:/usr/bin:/bin",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(index),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_COMPILE": "1",  # most of it is never imported here
    }


@pytest.mark.slow
def test_a_stranger_gets_what_the_page_shows(tmp_path: Path, environ: dict[str, str]) -> None:
    """Every file is saved, every command typed, in order; each ends well and prints what stands there."""
    folder = tmp_path / "work"
    folder.mkdir()
    typed = 0
    with Shell(folder, environ) as shell:
        for step in steps((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")):
            if isinstance(step, Saved):
                (folder / step.path).write_text(step.text, encoding="utf-8")
                continue
            output, code = shell.type(step.command)
            assert code == 0, f"$ {step.command}\n{output}"
            assert fits(output, step.output), f"$ {step.command}\n{output}\nthe page says:\n{step.output}"
            typed += 1
    assert typed > 15


def test_a_page_is_played_in_order(tmp_path: Path) -> None:
    """The shell remembers the folder, and a file that is shown twice is the second one at last."""
    page = '```sh title="a"\none\n```\n```console\n$ cd /\n$ pwd\n/\n```\n```sh title="a"\ntwo\n```\n'
    done = list(steps(page))
    assert [Saved("a", "one\n"), Saved("a", "two\n")] == [step for step in done if isinstance(step, Saved)]
    with Shell(tmp_path, os.environ) as shell:
        assert ("", 0) == shell.type("cd /")
        assert ("/\n", 0) == shell.type("pwd")
        assert ("oh\n", 3) == shell.type("echo oh >&2; (exit 3)")
