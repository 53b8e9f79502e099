"""Publishes what a session uses, turn by turn."""

from __future__ import annotations

from pi_core.api import AssistantMessage, ExtensionAPI, ExtensionContext, SessionStart, TurnEnd
from pi_sample_event_bus_meter.channel import CHANNEL, Reading


def extension(pi: ExtensionAPI) -> None:
    """Count from the start of each session on."""
    total = Reading()

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        nonlocal total
        total = Reading()

    @pi.on("turn_end")
    def count(event: TurnEnd, ctx: ExtensionContext) -> None:
        nonlocal total
        tokens = event.message.usage.total_tokens if isinstance(event.message, AssistantMessage) else 0
        total = total.plus(tokens=tokens, tool_calls=len(event.tool_results))
        pi.events.emit(CHANNEL, total)
