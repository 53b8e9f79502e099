"""The real program in a real terminal: a tmux session of its own, which types and reads the screen."""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 60.0


class Terminal:
    """One tmux session. Everything goes through a server of its own, so no other session is touched."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._name = f"pi-{uuid.uuid4().hex[:8]}"

    def begin(self, command: str, folder: Path, environ: Mapping[str, str], size: tuple[int, int]) -> None:
        """Start a command in it; the pane stays when the command ends."""
        columns, rows = size
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-s", self._name, "-x", str(columns), "-y", str(rows),
            "-c", str(folder), *(f"-e{name}={value}" for name, value in environ.items()),
            "sh", "-c", f"{command}; echo ended with $?; exec cat",
        )  # fmt: skip

    def keys(self, *names: str) -> None:
        """Press keys, by tmux's names."""
        self._tmux("send-keys", "-t", self._name, *names)

    def type(self, text: str) -> None:
        """Type a text as it is."""
        self._tmux("send-keys", "-t", self._name, "-l", text)

    def resize(self, columns: int, rows: int) -> None:
        """Another size of the window."""
        self._tmux("resize-window", "-t", self._name, "-x", str(columns), "-y", str(rows))

    @property
    def screen(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p", "-t", self._name)

    def until(self, holds: str | Callable[[str], bool]) -> str:
        """Wait until a text is on the screen, or something holds of it. Returns the screen."""
        ends = time.monotonic() + PATIENCE_S
        while True:
            screen = self.screen
            if holds in screen if isinstance(holds, str) else holds(screen):
                return screen
            assert time.monotonic() < ends, f"waited for {holds!r}, and there is:\n{screen}"
            time.sleep(0.05)

    def end(self) -> None:
        """The session and its server are gone."""
        self._tmux("kill-server", check=False)

    def _tmux(self, *words: str, check: bool = True) -> str:
        environ = {name: value for name, value in os.environ.items() if name not in ("TMUX", "TMUX_PANE")}
        done = subprocess.run(
            ["tmux", "-S", str(self._socket), *words],
            capture_output=True, text=True, check=check, env=environ,
        )  # fmt: skip
        return done.stdout


@contextmanager
def terminal(
    folder: Path, command: str, environ: Mapping[str, str], size: tuple[int, int] = (100, 30)
) -> Iterator[Terminal]:
    """A terminal in which a command runs in a folder."""
    used = Terminal(folder.parent / "tmux.socket")
    used.begin(command, folder, environ, size)
    try:
        yield used
    finally:
        used.end()
