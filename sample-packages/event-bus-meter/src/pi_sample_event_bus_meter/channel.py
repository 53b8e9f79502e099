"""What the two packages agree on: the channel, and the value that is told on it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

CHANNEL = "meter:reading"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a session used so far."""

    turns: int = 0
    tokens: int = 0
    tool_calls: int = 0

    def plus(self, *, tokens: int, tool_calls: int) -> Reading:
        """The reading after one more turn."""
        return Reading(self.turns + 1, self.tokens + tokens, self.tool_calls + tool_calls)
