"""The line that says that something goes on: since when, how to stop it, and what waits.

Touches: the screen, the clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import ClassVar, Final

from rich.text import Text
from textual.timer import Timer
from textual.widgets import Static

from pi_core.clean import clean_line
from pi_core.modes.tui.style.palette import Palette

WORKING: Final = "Working…"
FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_S: Final = 0.1
QUEUED_CHARS: Final = 60
"""So much is shown of a message that waits."""


class Working(Static):
    """Shown while something goes on. Extensions may change its words and its sign, or hide it."""

    DEFAULT_CSS: ClassVar[str] = """
    Working { height: auto; padding: 0 2; margin: 1 0 0 0; display: none; }
    """

    def __init__(self, palette: Palette, stop_key: str, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.palette = palette
        self.message: str | None = None
        self.visible_to_person = True
        self.frames: Sequence[str] = FRAMES
        self.frame_s = FRAME_S
        self._stop_key = stop_key
        self._what = WORKING
        self._since_s: float | None = None
        self._waiting: Sequence[str] = ()
        self._timer: Timer | None = None

    @staticmethod
    def usual_frames() -> tuple[Sequence[str], float]:
        """The frames of the sign, and the seconds for which each of them stands."""
        return FRAMES, FRAME_S

    @property
    def going(self) -> bool:
        """Whether something goes on."""
        return self._since_s is not None

    def begin(self, what: str = WORKING) -> None:
        """Something goes on from now on: what it is, in a word."""
        self._what = what
        if self._since_s is None:
            self._since_s = monotonic()
            self._timer = self.set_interval(self.frame_s, self.show)
        self.show()

    def end(self) -> None:
        """It is over."""
        self._since_s = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.show()

    def queue(self, waiting: Sequence[str]) -> None:
        """What the person still waits for, oldest first."""
        self._waiting = waiting
        self.show()

    def reset(self) -> None:
        """What extensions changed is as it was."""
        self.message, self.visible_to_person = None, True
        self.frames, self.frame_s = self.usual_frames()
        self.show()

    def show(self) -> None:
        """Bring it to the screen as it is now."""
        lines = []
        if self._since_s is not None and self.visible_to_person:
            lines.append(self.words(monotonic() - self._since_s))
        lines += [self._queued(text) for text in self._waiting]
        self.display = bool(lines)
        if lines:
            self.update(Text("\n").join(lines))

    def words(self, elapsed_s: float) -> Text:
        """The line after so many seconds."""
        palette = self.palette
        line = Text(no_wrap=True, overflow="ellipsis")
        if self.frames:
            frame = self.frames[int(elapsed_s / self.frame_s) % len(self.frames)]
            line.append(clean_line(frame) + " ", palette["accent"])
        line.append(clean_line(self.message) if self.message else self._what, palette["muted"])
        line.append(f"  {elapsed(elapsed_s)}", palette["dim"])
        if self._stop_key:
            line.append(f" · {self._stop_key} stops", palette["dim"])
        return line

    def _queued(self, text: str) -> Text:
        first = clean_line(text[: QUEUED_CHARS * 2].strip().partition("\n")[0])
        short = first if len(first) <= QUEUED_CHARS else first[: QUEUED_CHARS - 1] + "…"
        return Text(f"↳ {short}", self.palette["muted"], no_wrap=True, overflow="ellipsis")


def elapsed(seconds: float) -> str:
    """`7s`, `2m 05s`, `1h 02m`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02}m"
