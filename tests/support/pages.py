"""A page of the documentation as files and commands, so that what it shows can be run.

A block with `title="PATH"` is a file. In a block of `console`, a line that begins with `$ ` is a command,
and what follows is what it prints; `…` stands for anything, and on a line of its own for any lines or none.

Touches: files, processes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r'^```(\w+)(?: title="(\S+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """A command and what the page says that it prints."""

    command: str
    output: str


@dataclass(frozen=True, slots=True)
class Page:
    """Files by path, and sessions at a terminal, each in the order of the page."""

    files: Mapping[str, str]
    shown: tuple[Shown, ...]


def page(name: str) -> Page:
    """The page `docs/NAME`."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    blocks = [(match[1], match[2], match[3]) for match in _BLOCK.finditer(text)]
    files = {title: body for _, title, body in blocks if title}
    return Page(files, tuple(_shown(body for kind, _, body in blocks if kind == "console")))


def _shown(bodies: Iterator[str]) -> Iterator[Shown]:
    for body in bodies:
        command, *rest = re.split(r"^\$ ", body, flags=re.MULTILINE)
        assert not command, f"a console block begins with {command!r}, not with a command"
        for part in rest:
            line, _, output = part.partition("\n")
            yield Shown(line, output)


def written(found: Page, folder: Path) -> None:
    """The files of the page in a folder."""
    for path, text in found.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def run(command: str, folder: Path, environ: Mapping[str, str]) -> str:
    """What a command prints on both streams; `python` and `pi` are those of the tests."""
    own = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, **environ, "PATH": own},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return done.stdout


def fits(output: str, shown: str) -> bool:
    """Whether an output is what the page shows."""
    escaped = re.sub(r"^…\\\n", r"(?:.*\\n)?", re.escape(shown.strip("\n")), flags=re.MULTILINE)
    pattern = escaped.replace("…", ".*")
    return re.fullmatch(pattern, output.strip("\n"), re.DOTALL) is not None
