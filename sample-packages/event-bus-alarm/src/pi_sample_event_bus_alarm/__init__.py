"""Warns when the meter reads more than the settings allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_sample_event_bus_meter.channel import CHANNEL, Reading

from pi_core.api import ExtensionAPI, ExtensionContext, SessionStart

LIMITS = {"tokens": 50_000, "tool-calls": 100}


def extension(pi: ExtensionAPI) -> None:
    """Listen to the meter; say each thing once a session."""
    told: set[str] = set()
    screen: ExtensionContext | None = None

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        nonlocal screen
        screen = ctx
        told.clear()

    def hear(reading: Reading) -> None:
        for name, warning in passed(reading, pi.get_settings()).items():
            if name not in told and screen is not None:
                told.add(name)
                screen.ui.notify(warning, "warning")

    pi.events.on(CHANNEL, hear)


def passed(reading: Reading, settings: Mapping[str, Any]) -> dict[str, str]:
    """A sentence for each limit that the reading has passed, by the name of the limit."""
    table = settings.get("alarm")
    own = table if isinstance(table, Mapping) else {}
    used = {"tokens": reading.tokens, "tool-calls": reading.tool_calls}
    found = {}
    for name, default in LIMITS.items():
        limit = own.get(name, default)
        if isinstance(limit, int) and used[name] > limit:
            found[name] = (
                f"This session has used {used[name]} {name.replace('-', ' ')}; the limit is {limit}."
            )
    return found
