"""What all dialogs have in common: a frame with a title, a line of keys, and an end when time is up.

Touches: the screen, the clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from time import monotonic
from typing import ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from pi_core.clean import clean, clean_line

T = TypeVar("T")

TICK_S: Final = 0.2
LOW: Final = 18
"""A terminal of fewer rows than that has none to spare for margins."""


class Dialog(ModalScreen[T | None], inherit_bindings=False):
    """A question in a frame. None is the answer of whoever leaves it, and of time.

    `limit_s` is how long it stays; the seconds that are left are shown. A subclass gives its `body` and
    the words of its `keys`, and dismisses with the answer.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", show=False, priority=True, id="tui.select.cancel"),
        Binding("ctrl+c", "leave", "leave", show=False),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    Dialog {
        align: center middle;
        background: $background 60%;
        & > .frame {
            width: 76;
            max-width: 96%;
            height: auto;
            max-height: 92%;
            padding: 0 1;
            border: round $pi-accent;
            background: $background;
        }
        & .title { height: auto; max-height: 4; color: $pi-accent; text-style: bold; }
        & .message { height: auto; max-height: 50%; margin: 1 0 0 0; scrollbar-size-vertical: 1; }
        & .body { height: auto; margin: 1 0; }
        & .keys { height: 1; color: $pi-dim; }
        &.-low > .frame { max-height: 100%; }
        &.-low .title { max-height: 1; }
        &.-low .message { max-height: 2; margin: 0; }
        &.-low .body { margin: 0; }
    }
    """
    keys: ClassVar[str] = "escape leaves"

    def __init__(self, title: str, message: str = "", *, limit_s: float | None = None) -> None:
        super().__init__()
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]
        self._message = message
        self._ends_s = None if limit_s is None else monotonic() + limit_s
        self._hint = Static("", classes="keys", markup=False)
        self._head = Static(clean(title).strip() or "…", classes="title", markup=False)

    def compose(self) -> ComposeResult:
        """Title, what there is to say, the question itself, the keys."""
        with Vertical(classes="frame"):
            yield self._head
            if self._message.strip():
                with VerticalScroll(classes="message", can_focus=False):
                    yield Static(clean(self._message).strip("\n"), markup=False)
            with Vertical(classes="body"):
                yield from self.body()
            yield self._hint

    def body(self) -> Iterable[Widget]:
        """What is between title and keys."""
        return ()

    def on_mount(self) -> None:
        """From now on time counts."""
        self._tick()
        if self._ends_s is not None:
            self.set_interval(TICK_S, self._tick)

    def retitle(self, title: str) -> None:
        """Another title."""
        self._head.update(clean(title).strip() or "…")

    def action_leave(self) -> None:
        """No answer."""
        self.dismiss(None)

    def _tick(self) -> None:
        if self._ends_s is None:
            self._hint.update(self.keys)
            return
        left_s = self._ends_s - monotonic()
        if left_s <= 0 and self.is_current:
            self.dismiss(None)
        else:
            self._hint.update(f"{max(0, ceil(left_s))}s left · {self.keys}")


def one_line(text: str, limit: int = 200) -> str:
    """A text that keeps to a line."""
    short = clean_line(" ".join(text.split()))
    return short if len(short) <= limit else short[: limit - 1] + "…"
