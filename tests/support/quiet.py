"""Waiting until an application has nothing to do, however fast the machine is and whatever it does beside.

Textual's own pilot sleeps at least 40 ms after every key, and guesses from the processor's time whether
all is done: a busy machine makes it wait a second, or not long enough.

Touches: the screen.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest
from textual.app import App
from textual.pilot import Pilot

TURNS_AT_MOST: Final = 2000
"""Something that begins anew for ever is not waited for."""
PAINTS: Final = 3
"""What follows from a paint is painted too, and what follows from that."""


async def quiet() -> None:
    """Wait until nothing is ready to run: what is left waits for a time, a thread or the world outside."""
    ready: Any = vars(asyncio.get_running_loop())["_ready"]  # it has no public name
    for _ in range(TURNS_AT_MOST):
        await asyncio.sleep(0)
        if not ready:
            return


async def settled(app: App[Any]) -> None:
    """Wait until all that is due is done and painted, without waiting for the next frame to be due."""
    await quiet()
    for _ in range(PAINTS):
        if app._resize_timer is not None:
            app._check_resize()
            await quiet()
        app.screen._on_timer_update()
        await quiet()


async def _quiet(min_sleep: float = 0, max_sleep: float = 1) -> None:
    await quiet()


async def _pause(self: Pilot[Any], delay: float | None = None) -> None:
    if delay is not None:
        await asyncio.sleep(delay)
    await settled(self.app)


async def _press(self: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await self.app._press_keys([key])
        await settled(self.app)


def without_waits(patch: pytest.MonkeyPatch) -> None:
    """From now on the pilot waits for the application instead of the clock, and nothing glides."""
    patch.setattr("textual.app.wait_for_idle", _quiet)
    patch.setattr(Pilot, "pause", _pause)
    patch.setattr(Pilot, "press", _press)
    patch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")
