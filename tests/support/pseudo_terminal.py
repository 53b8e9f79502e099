"""The real command on a pseudo terminal: every byte that it writes is seen.

Touches: processes, pseudo terminals.
"""

from __future__ import annotations

import os
import pty
import select
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from termios import TIOCSWINSZ
from time import monotonic
from typing import Final

from tests.support.agent_cli import COMMAND, AgentCli

PATIENCE_S: Final = 60.0


class Terminal:
    """A terminal with a program on it."""

    def __init__(self, master: int, process: subprocess.Popen[str]) -> None:
        self.master = master
        self.process = process
        self.seen = ""
        self._before = ""

    def until(self, sign: str) -> None:
        """Read until the program has written a sign."""
        ends = monotonic() + PATIENCE_S
        while sign not in self.seen:
            assert monotonic() < ends, f"no {sign!r} in {self.seen[-2000:]!r}"
            if not select.select([self.master], [], [], 1)[0]:
                continue
            self.seen += os.read(self.master, 65536).decode("utf-8", "replace")

    def seen_from_here(self) -> None:
        """What was written so far is looked at no more; see `everything`."""
        self._before += self.seen
        self.seen = ""

    @property
    def everything(self) -> str:
        """All that was written."""
        return self._before + self.seen

    def type(self, keys: str) -> None:
        """As a keyboard would send it."""
        data = keys.encode()
        while data:
            data = data[os.write(self.master, data[:4096]) :]

    def end(self) -> int:
        """Read to the end, and return the exit code."""
        try:
            while piece := os.read(self.master, 65536):
                self.seen += piece.decode("utf-8", "replace")
        except OSError:
            pass  # the other side is closed
        return self.process.wait(30)


@contextmanager
def on_terminal(
    pi: AgentCli, *words: str, size: tuple[int, int] = (80, 24), **environ: str
) -> Iterator[Terminal]:
    """`pi` on a terminal of so many columns and rows."""
    master, slave = pty.openpty()
    ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    process = subprocess.Popen(
        [*COMMAND, *words],
        cwd=pi.project,
        env=pi.environ(environ),
        text=True,
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    terminal = Terminal(master, process)
    try:
        yield terminal
    finally:
        process.kill()
        process.wait(30)
        os.close(master)
