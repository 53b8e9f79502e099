"""The interactive mode without a terminal: an application with a session of its own, and a pilot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from pi_core.bootstrap import SCRIPT_VARIABLE, RunRequest, prepare
from pi_core.modes.tui.app import Opened, PiApp
from pi_core.modes.tui.attached import Attached
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.furnish import furnish
from pi_core.modes.tui.log.block import Block
from pi_core.session.opening import StoreRequest
from pi_pkg import Locations

PATIENCE_S = 40.0


@dataclass
class Tui:
    """An application in use."""

    app: PiApp
    pilot: Pilot[Any]

    @property
    def attached(self) -> Attached:
        assert self.app.attached is not None
        return self.app.attached

    @property
    def blocks(self) -> list[Block]:
        return self.app.log_view.blocks

    @property
    def lines(self) -> list[str]:
        """Every line of the log as plain text."""
        log = self.app.log_view
        log.settle()
        return [line.rstrip() for place in range(len(log.blocks)) for line in log.places_in(place)]

    @property
    def shown(self) -> str:
        """What is on the screen, as plain text."""
        width, height = self.app.size
        rows = self.app.screen._compositor.render_strips()
        assert len(rows) <= height
        return "\n".join(strip.text[:width].rstrip() for strip in rows)

    async def until(self, holds: Callable[[], Any]) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                await self.pilot.pause()

    async def say(self, text: str) -> None:
        """Type a prompt, send it and wait until everything that follows is over."""
        self.app.editor.put(text)
        await self.pilot.press("enter")
        await self.idle()

    async def idle(self) -> None:
        """Wait until nothing goes on and everything is painted."""
        await self.pilot.pause()
        await self.attached.runtime.wait_for_idle()
        await self.until(lambda: not self.app.working.going)
        await self.pilot.pause()


@asynccontextmanager
async def tui(
    folder: Path,
    *,
    script: Sequence[str | Mapping[str, Any]] | None = None,
    size: tuple[int, int] = (100, 30),
    extension: str | None = None,
    session: Path | None = None,
) -> AsyncIterator[Tui]:
    """An application in folders of its own, its session open. `extension` is the text of a user's one."""
    project, agent = folder / "project", folder / "agent"
    project.mkdir(exist_ok=True)
    (agent / "extensions").mkdir(parents=True, exist_ok=True)
    if extension is not None:
        (agent / "extensions" / "ours.py").write_text(extension, encoding="utf-8")
    environ = {}
    if script is not None:
        file = folder / "script.json"
        file.write_text(json.dumps(list(script)), encoding="utf-8")
        environ[SCRIPT_VARIABLE] = str(file)
    request = RunRequest(
        locations=Locations(agent, project, folder),
        environ=environ,
        mode="tui",
        store=StoreRequest(session=None if session is None else str(session)),
    )

    async def opening(_: Desk) -> Opened:
        return Opened(await (await prepare(request)).begin())

    app = PiApp(opening, home=folder)
    furnish(app, request.locations, environ)
    async with app.run_test(size=size) as pilot:
        used = Tui(app, pilot)
        await used.until(lambda: app.attached is not None and app.attached.is_bound)
        await pilot.pause()
        try:
            yield used
        finally:
            runtime = used.attached.runtime
            await runtime.abort()
    await runtime.dispose()
