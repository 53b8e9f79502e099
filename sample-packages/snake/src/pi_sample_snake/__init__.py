"""The command, and the component that shows the game of `game.py`."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from pi_core.api import CommandContext, ExtensionAPI
from pi_sample_snake.game import Game, begun, moved, picture, steered

STEP_S = 0.12
KEYS = {
    "up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0),
    "w": (0, -1), "s": (0, 1), "a": (-1, 0), "d": (1, 0),
}  # fmt: skip
ENTRY = "snake"


class SnakeScreen:
    """A component: draws the game, steers it by keys, and ends with the score."""

    def __init__(self, tui: Any, theme: Any, done: Callable[[int], None], best: int, seed: int) -> None:
        self._tui, self._theme, self._done, self._best = tui, theme, done, best
        self._random = random.Random(seed)
        self.game: Game = begun(self._random)
        self.paused = False

    def tick(self) -> None:
        """Time passes."""
        if not self.paused and not self.game.over:
            self.game = moved(self.game, self._random)
            self._tui.request_render()

    def render(self, width: int) -> list[str]:
        said = (
            "game over · enter again · q leaves" if self.game.over else "arrows steer · p pauses · q leaves"
        )
        best = max(self._best, self.game.score)
        return [
            *picture(self.game),
            f"score {self.game.score} · best {best} · {'paused' if self.paused else said}",
        ]

    def handle_input(self, key: str) -> None:
        if key in ("q", "escape"):
            self._done(max(self._best, self.game.score))
        elif key == "p":
            self.paused = not self.paused
        elif key == "enter" and self.game.over:
            self._best = max(self._best, self.game.score)
            self.game = begun(self._random)
        elif key in KEYS:
            self.game = steered(self.game, KEYS[key])


def extension(pi: ExtensionAPI) -> None:
    """Register the command."""

    @pi.command("snake", description="Play")
    async def snake(args: str, ctx: CommandContext) -> None:
        if not ctx.ui.can("custom"):
            ctx.ui.notify("The game needs a terminal: run pi without -p.", "warning")
            return
        seed = int(args) if args.strip().isdigit() else random.randrange(1 << 30)
        clock: list[Any] = []

        def factory(tui: Any, theme: Any, keys: Any, done: Callable[[int], None]) -> SnakeScreen:
            screen = SnakeScreen(tui, theme, done, best_of(ctx), seed)
            clock.append(pi.every(STEP_S, screen.tick))
            return screen

        try:
            best = await ctx.ui.custom(factory, overlay=True, overlay_options={"width": 46})
        finally:
            for ticking in clock:
                ticking()
        if isinstance(best, int) and best > best_of(ctx):
            pi.append_entry(ENTRY, {"best": best})


def best_of(ctx: CommandContext) -> int:
    """The best score that the session knows."""
    entries = ctx.session.get_entries()
    return max((int(e.data["best"]) for e in entries if getattr(e, "custom_type", None) == ENTRY), default=0)
