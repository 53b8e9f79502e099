"""Measured calls, kept apart from the hooks, so that they can be tested without a host."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Timing:
    """One tool call. Times are seconds; `total_s` is None while the tool runs."""

    tool_name: str
    started_s: float
    guards_s: float = 0.0
    total_s: float | None = None
    refused: bool = False

    def line(self) -> str:
        total = "running" if self.total_s is None else f"{self.total_s * 1000:.1f} ms"
        word = "refused after" if self.refused else "took"
        return f"{self.tool_name} {word} {total} (guards {self.guards_s * 1000:.1f} ms)"


@dataclass(slots=True)
class Clock:
    """All calls of a session by tool call id, in the order in which they started."""

    now: Callable[[], float] = time.perf_counter
    calls: dict[str, Timing] = field(default_factory=dict)

    def start(self, call_id: str, tool_name: str) -> None:
        self.calls[call_id] = Timing(tool_name, self.now())

    def guarded(self, call_id: str, seconds: float, refused: bool) -> None:
        if (timing := self.calls.get(call_id)) is not None:
            timing.guards_s = seconds
            timing.refused = refused

    def end(self, call_id: str) -> Timing | None:
        timing = self.calls.get(call_id)
        if timing is not None:
            timing.total_s = self.now() - timing.started_s
        return timing

    def take_lines(self) -> list[str]:
        """The lines of all calls so far; they are forgotten afterwards."""
        lines = [timing.line() for timing in self.calls.values()]
        self.calls.clear()
        return lines
