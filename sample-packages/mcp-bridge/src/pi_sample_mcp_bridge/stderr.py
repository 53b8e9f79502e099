"""What a program writes on its standard error: read all the time, and only the end of it kept.

Touches: a pipe, and a thread that reads it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

KEPT = 500
JOIN_S = 0.2
"""How long the last words are waited for, where a program is gone and its children hold the pipe."""


class Tail:
    """`file` is what the program gets; a flood costs no memory and no disk."""

    def __init__(self) -> None:
        self._end, write = os.pipe()
        self.file = os.fdopen(write, "w")
        self._kept = b""
        self._more = False
        self._reader = threading.Thread(target=self._read, name="mcp-stderr", daemon=True)
        self._reader.start()

    def told(self) -> str:
        """The end of it, for a sentence; nothing more is written by us from now on."""
        self.close()
        self._reader.join(JOIN_S)
        text = self._kept.decode(errors="replace").strip()
        return f"; it wrote: {'…' * self._more}{text}" if text else ""

    def close(self) -> None:
        """The thread ends with the last program that holds the pipe."""
        self.file.close()

    def _read(self) -> None:
        while data := os.read(self._end, 65536):
            text = self._kept + data
            self._more = self._more or len(text) > KEPT
            self._kept = text[-KEPT:]
        os.close(self._end)


@contextmanager
def reading() -> Iterator[Tail]:
    """A tail that is closed at the end of the block."""
    tail = Tail()
    try:
        yield tail
    finally:
        tail.close()
