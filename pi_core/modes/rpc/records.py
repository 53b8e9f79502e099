"""Records on their way to the client: written by a thread, so that one that does not read holds nobody up.

What waits is bounded. A run goes no further while there is no `room`; whoever cannot wait for room may
still write up to `MOST_WAITING`, and a client that is further behind than that is taken for gone.

Touches: standard output.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from pi_core.modes.base import Output, json_line

ENOUGH_WAITING: Final = 1024 * 1024
"""Characters that may wait before producers have to."""
MOST_WAITING: Final = 64 * 1024 * 1024
"""Characters that may wait at all, one record in excess."""
PATIENCE_S: Final = 2.0
"""How long the end waits for a client that reads nothing."""
_PIECE: Final = 64 * 1024


class Records:
    """The one way to the client, for one event loop. `on_flood` is called once, when it is too much."""

    def __init__(
        self,
        output: Output,
        on_flood: Callable[[], None],
        *,
        enough: int = ENOUGH_WAITING,
        most: int = MOST_WAITING,
    ) -> None:
        self._output = output
        self._on_flood = on_flood
        self._enough = enough
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._moved = asyncio.Event()
        self._done = asyncio.Event()
        self._free = False
        self._lost = False
        self._lock = threading.Condition()
        self._texts: deque[str] = deque()
        self._waiting = 0
        self._ended = False
        self._thread = threading.Thread(target=self._write_all, name="pi-rpc-output", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many characters the client has not taken yet."""
        return self._waiting

    @property
    def is_full(self) -> bool:
        """Whether whoever can wait should wait."""
        return self._waiting > self._enough and not self._free

    @property
    def is_crowded(self) -> bool:
        """Whether nothing more should be asked for that has an answer."""
        return self._waiting > self._most // 2 and not self._free

    def write(self, record: Mapping[str, Any]) -> None:
        """Put one record behind all others; never waits."""
        self.write_line(json_line(record))

    def write_line(self, line: str) -> None:
        """The same with the text of a record, its line feed included."""
        if self._lost or self._output.closed:
            return
        if self._waiting > self._most:
            self._lost = True
            self._on_flood()
            return
        with self._lock:
            self._texts.extend(line[start : start + _PIECE] for start in range(0, len(line), _PIECE))
            self._waiting += len(line)
            self._lock.notify()

    async def room(self) -> None:
        """Return when little enough waits."""
        while self.is_full and not self._output.closed:
            self._moved.clear()
            await self._moved.wait()

    def set_free(self) -> None:
        """Nobody has to wait any more: the end has come."""
        self._free = True
        self._moved.set()

    async def finish(self, patience_s: float = PATIENCE_S) -> None:
        """Write what waits, as long as the client goes on reading, and stop."""
        self.set_free()
        with self._lock:
            self._ended = True
            self._lock.notify()
        taken = -1
        while not self._done.is_set() and taken != self._waiting:
            taken = self._waiting
            try:
                async with asyncio.timeout(patience_s):
                    await self._done.wait()
            except TimeoutError:
                pass  # once more, if the client has read something meanwhile
        self._output.closed = True  # a write that still waits is the last one

    # the thread

    def _write_all(self) -> None:
        while text := self._next():
            self._output.write_document(text)
            with self._lock:
                self._waiting -= len(text)
            if self._waiting <= self._enough:
                self._tell(self._moved)
        self._tell(self._done)

    def _next(self) -> str:
        """Waiting records up to a piece; empty at the end."""
        with self._lock:
            while not self._texts:
                if self._ended:
                    return ""
                self._lock.wait()
            texts = [self._texts.popleft()]
            size = len(texts[0])
            while self._texts and size + len(self._texts[0]) <= _PIECE:
                texts.append(self._texts.popleft())
                size += len(texts[-1])
            return "".join(texts)

    def _tell(self, event: asyncio.Event) -> None:
        try:
            self._loop.call_soon_threadsafe(event.set)
        except RuntimeError:
            pass  # the loop has ended, and nobody waits
