"""A page that is played from its first block to its last, in one shell, as a reader would.

A block with `title="PATH"` is saved where the reader began, a later one in place of an earlier; a line of a
`console` block that begins with `$ ` is typed.

Touches: files, processes.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, TypeAlias

_BLOCK: Final = re.compile(r'^```(\w+)(?: title="(\S+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_END: Final = "\x1e"


@dataclass(frozen=True, slots=True)
class Saved:
    """A file that the reader saves."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Typed:
    """A command, and what the page says that it prints."""

    command: str
    output: str


Step: TypeAlias = Saved | Typed


def steps(text: str) -> Iterator[Step]:
    """What a reader does, in order."""
    for kind, title, body in _BLOCK.findall(text):
        if title:
            yield Saved(title, body)
        elif kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield Typed(command, output)


class Shell:
    """One shell that keeps its folder and its variables from command to command."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=folder, env=dict(environ), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def __enter__(self) -> Shell:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        self._shell.stdin.close()
        self._shell.wait()
        self._shell.stdout.close()

    def type(self, command: str) -> tuple[str, int]:
        """What a command prints on both streams, and its exit code."""
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        self._shell.stdin.write(f"{{ {command}\n}} </dev/null; printf '{_END}%s\\n' \"$?\"\n")
        self._shell.stdin.flush()
        output = ""
        for line in self._shell.stdout:
            before, end, code = line.partition(_END)
            output += before
            if end:
                return output, int(code)
        raise AssertionError(f"the shell ended at: {command}\n{output}")
