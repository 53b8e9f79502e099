"""Who holds up the loop: a look from outside, since a blocked loop cannot look itself.

While dispatches go on, a thread looks every few milliseconds at what the loop's thread is
doing. If it finds the same handler again and again, and the loop has not gone round in
between, that handler holds up everything. Handlers themselves pay nothing for it.

Touches: threads.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final, Protocol

from hookspecs.values import dataclass
from pi_core.dispatch.flow import dispatch
from pi_core.dispatch.plan import Handler, Wrapper
from pi_core.dispatch.timing import Running
from pi_core.dispatch.wrapping import surround
from pi_core.extensions.reports import is_ours

PERIOD_S: Final = 0.025
"""How often the thread looks; a stall is found when it lasts one period longer than the limit."""
QUIET_LOOKS: Final = 4
"""After so many looks at a loop that neither goes round nor is in a handler, it is taken for gone."""
_DISPATCHING: Final = (dispatch.__code__, surround.__code__)


@dataclass(frozen=True, slots=True)
class Stall:
    """A handler or wrapper that held up the loop for at least `seconds`; `where` is `file:line`, if known."""

    handler: Handler | Wrapper
    seconds: float
    where: str | None = None


class StallWatch(Protocol):
    """Finds stalls between `begin` and `end`; all methods are called in the loop's thread."""

    def begin(self) -> None:
        """Look at the thread that calls this, from now on."""
        ...

    def beat(self) -> list[Stall]:
        """The loop goes round. Returns what held it up since the last time, oldest first."""
        ...

    def end(self) -> None:
        """Look no more."""
        ...


class _Seen:
    """A handler that was found at work, from its first look to its last."""

    __slots__ = ("first", "handler", "last", "running", "where")

    def __init__(self, running: Running, handler: Handler | Wrapper, where: str | None, now: float) -> None:
        self.running = running
        self.handler = handler
        self.where = where
        self.first = self.last = now


class StallSampler:
    """A `StallWatch` with a thread of its own, which lives from `begin` to `end` and holds no process.

    It ends by itself when the loop falls silent, as a loop may be closed without a word, and comes
    back with the next beat.

    `owns` tells whether a dispatch is one of ours, as several sessions may share a loop.
    """

    def __init__(
        self, block_s: Callable[[], float], owns: Callable[[Running], bool], period_s: float = PERIOD_S
    ) -> None:
        self._block_s = block_s
        self._owns = owns
        self._period_s = period_s
        self._lock = threading.Lock()
        self._seen: _Seen | None = None
        self._stalls: list[Stall] = []
        self._ended: threading.Event | None = None
        self._quiet_looks = 0

    def begin(self) -> None:
        """Start the thread, unless it runs."""
        if self._ended is not None and not self._ended.is_set():
            return
        self._quiet_looks = 0
        self._ended = ended = threading.Event()
        watched = threading.get_ident()
        thread = threading.Thread(target=self._run, args=(watched, ended), name="pi-stalls", daemon=True)
        thread.start()

    def end(self) -> None:
        """Let the thread go; it ends within a period."""
        if self._ended is not None:
            self._ended.set()
            self._ended = None

    def beat(self) -> list[Stall]:
        """What was seen since the last beat is over; what of it lasted long enough is returned."""
        with self._lock:
            self._close()
            stalls, self._stalls = self._stalls, []
            self._quiet_looks = 0
        if self._ended is not None:
            self.begin()
        return stalls

    def _run(self, watched: int, ended: threading.Event) -> None:
        while not ended.wait(self._period_s):
            frame = sys._current_frames().get(watched)
            found = None if frame is None else at_work(frame)
            del frame  # or the frames of the loop's thread live on while this one sleeps
            now = time.perf_counter()
            with self._lock:
                self._note(found, now)
                self._quiet_looks = 0 if found is not None else self._quiet_looks + 1
                if self._quiet_looks > QUIET_LOOKS:
                    ended.set()
            del found

    def _note(self, found: tuple[Running, Handler | Wrapper, str | None] | None, now: float) -> None:
        seen = self._seen
        if found is not None and seen is not None and seen.running is found[0] and seen.handler is found[1]:
            seen.last = now
            return
        self._close()
        if found is not None and self._owns(found[0]):
            self._seen = _Seen(*found, now)

    def _close(self) -> None:
        seen, self._seen = self._seen, None
        if seen is not None and seen.last - seen.first >= self._block_s():
            self._stalls.append(Stall(seen.handler, seen.last - seen.first, seen.where))


def at_work(frame: FrameType) -> tuple[Running, Handler | Wrapper, str | None] | None:
    """The innermost dispatch on a stack, its running handler, and the line at which that stands."""
    authors: FrameType | None = None
    caller: FrameType | None = frame
    while caller is not None:
        if caller.f_code in _DISPATCHING:
            running = caller.f_locals.get("running")
            if not isinstance(running, Running) or running.handler is None:
                return None
            return running, running.handler, _place_of(authors)
        if not is_ours(caller.f_code.co_filename):
            authors = caller
        caller = caller.f_back
    return None


def _place_of(frame: FrameType | None) -> str | None:
    return None if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
