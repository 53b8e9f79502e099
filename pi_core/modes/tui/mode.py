"""The interactive mode as the command line calls it: the terminal is taken, and given back whatever happens.

Touches: the terminal, standard output, standard error, the log of what is printed.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from pi_core.modes.base import STOP_S, Stopper
from pi_core.modes.tui.app import Opened, Opening, PiApp
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.terminal_keys import teach_keys

if TYPE_CHECKING:
    from pi_core.modes.tui.here import Here
    from pi_pkg import Locations

__all__ = ["Opened", "Opening", "own_terminal", "run_tui"]

STRAY_NAME: Final = "output.log"
"""Holds what extensions, libraries and their programs print while the screen belongs to us."""
STRAY_BYTES: Final = 1_000_000
"""A log that is larger begins anew."""


async def run_tui(
    opening: Opening,
    stopper: Stopper,
    *,
    locations: Locations,
    environ: Mapping[str, str],
    theme: str | None = None,
) -> int:
    """Show the application, open the session behind it, and return the exit code when the person leaves.

    `theme` is the one of this run. Raises: what `opening` raises, when the terminal is free again;
    Stopped after a signal.
    """
    with own_terminal(locations.logs_dir / STRAY_NAME) as strays:
        app = complete_app(opening, locations, environ, theme)
        app.strays = strays
        teach_keys()

        showing = asyncio.ensure_future(app.run_async())

        async def stop() -> None:
            app.quit()
            await asyncio.wait({showing}, timeout=STOP_S)  # the screen gives the terminal back itself

        code = await stopper.run(showing, on_stop=stop)
    if app.failure is not None:
        raise app.failure
    return code if code is not None else app.return_code or 0


def complete_app(
    opening: Opening, locations: Locations, environ: Mapping[str, str], theme: str | None = None
) -> PiApp:
    """The application with everything in it, which comes behind its first picture."""
    here: list[Here] = []

    async def furnished(desk: Desk) -> Opened:
        # The screen is there before the commands are loaded.
        from pi_core.modes.tui.furnish import furnish

        here.append(furnish(app, locations, environ))
        app.stage.wardrobe.asked_for = theme
        return await opening(desk)

    def opened() -> None:
        keep_what_is_loaded()
        from pi_core.modes.tui.starting import offer_sync  # as above

        app.start(offer_sync(here[0]), "install what is missing")
        if theme is not None and app.stage.wardrobe.get(theme) is None:
            app.tell(
                f"There is no theme {theme!r}; there are {', '.join(app.stage.wardrobe.names)}.", "warning"
            )

    app = PiApp(furnished, home=locations.home, when_open=opened)
    return app


def keep_what_is_loaded() -> None:
    """What there is by now stays: the collector need not look through it while somebody types."""
    gc.collect()
    gc.freeze()


@contextmanager
def own_terminal(log: Path) -> Iterator[TextIO]:
    """Keep the terminal for the screen: whatever else is printed, by whomever, lands in a log.

    It holds for `print`, for libraries written in C and for child processes, and is undone at the end.
    Yields the log. Where standard error is no terminal, it takes the log's place.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    screen = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    real: dict[str, Any] = {"__stdout__": sys.__stdout__, "__stderr__": sys.__stderr__}
    to_log = os.isatty(2)
    strays = _stray_log(log) if to_log else os.fdopen(os.dup(2), "w", encoding="utf-8", errors="replace")
    try:
        os.dup2(strays.fileno(), 1)
        os.dup2(strays.fileno(), 2)
        for name in real:
            setattr(sys, name, screen)  # that is where the screen is written
        yield strays
    finally:
        for name, stream in real.items():
            setattr(sys, name, stream)
        strays.flush()
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for descriptor in kept:
            os.close(descriptor)
        with suppress(OSError):  # the terminal was closed
            screen.close()
        strays.close()


def _stray_log(path: Path) -> TextIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        large = path.exists() and path.stat().st_size > STRAY_BYTES
        return path.open("w" if large else "a", encoding="utf-8", errors="replace", buffering=1)
    except OSError:  # the screen matters more than what would stand there
        return open(os.devnull, "w", encoding="utf-8")
