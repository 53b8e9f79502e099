"""The lines at the foot: where one is, what was used, who answers, and what extensions want to say there.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from hookspecs.values import dataclass
from pi_core.clean import clean_line
from pi_core.modes.tui.style.palette import Palette

if TYPE_CHECKING:
    from hookspecs.context import ContextUsage
    from pi_core.session.stats import TokenCounts

NEARLY_FULL: Final = 70.0
FULL: Final = 90.0
"""From so many percent of the window on, its use is shown as a warning, and as an error."""

STATUS_CHARS: Final = 1000
"""Of a status, no more is looked at: no terminal is wider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the footer tells. `place` is the folder with `~`, `thinking` empty for a model without levels."""

    place: str = ""
    branch: str = ""
    name: str = ""
    model: str = ""
    thinking: str = ""
    tokens: TokenCounts | None = None
    cost: float = 0.0
    context: ContextUsage | None = None


class Footer(Static):
    """Two lines: facts, and the statuses of extensions if there are any."""

    DEFAULT_CSS: ClassVar[str] = """
    Footer { height: auto; padding: 0 2; }
    """

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.palette = palette
        self.facts = Facts()
        self.statuses: dict[str, str] = {}

    def tell(self, facts: Facts) -> None:
        """Other facts."""
        self.facts = facts
        self.show()

    def set_status(self, key: str, text: str | None) -> None:
        """What one extension wants to say; None takes it away."""
        if text is None:
            self.statuses.pop(key, None)
        else:
            self.statuses[key] = text
        self.show()

    def show(self) -> None:
        """Bring it to the screen as it is now."""
        width = max(1, self.size.width or 80)
        line = facts_line(self.facts, self.palette, width)
        status = status_line(self.statuses, self.palette)
        status.truncate(width, overflow="ellipsis")
        self.update(line if not status else Text("\n").join([line, status]))

    def on_resize(self) -> None:
        """What there is room for depends on the width."""
        self.show()


def facts_line(facts: Facts, palette: Palette, width: int) -> Text:
    """Where at the left, what was used and who answers at the right; what has no room is left out."""
    left = _where(facts, palette)
    for right in (_right(facts, palette), _model(facts, palette)):
        room = width - cell_len(left.plain) - cell_len(right.plain)
        if room >= 2:
            return left + Text(" " * room) + right
    right = _model(facts, palette)
    left.truncate(max(0, width - cell_len(right.plain) - 2), overflow="ellipsis")
    room = width - cell_len(left.plain) - cell_len(right.plain)
    line = left + Text(" " * max(1, room)) + right
    line.truncate(width, overflow="ellipsis")
    return line


def status_line(statuses: Mapping[str, str], palette: Palette) -> Text:
    """The statuses by key, in alphabetical order."""
    said = [clean_line(statuses[key][:STATUS_CHARS]) for key in sorted(statuses)]
    return Text("  ".join(text for text in said if text), palette["muted"], no_wrap=True, overflow="ellipsis")


def _where(facts: Facts, palette: Palette) -> Text:
    text = Text(clean_line(facts.place), palette["muted"], no_wrap=True)
    if facts.branch:
        text.append(f" ({clean_line(facts.branch)})", palette["dim"])
    if facts.name:
        text.append(f" · {clean_line(facts.name)}", palette["dim"])
    return text


def _right(facts: Facts, palette: Palette) -> Text:
    parts = [_usage(facts, palette), _context(facts, palette), _model(facts, palette)]
    return Text("   ").join(part for part in parts if part.plain)


def _usage(facts: Facts, palette: Palette) -> Text:
    tokens = facts.tokens
    if tokens is None:
        return Text()
    counts = [("↑", tokens.input), ("↓", tokens.output), ("R", tokens.cache_read), ("W", tokens.cache_write)]
    said = [f"{sign}{short(count)}" for sign, count in counts if count]
    if facts.cost:
        said.append(f"${facts.cost:.3f}" if facts.cost < 1 else f"${facts.cost:.2f}")
    return Text(" ".join(said), palette["dim"])


def _context(facts: Facts, palette: Palette) -> Text:
    context = facts.context
    if context is None or context.percent is None:
        return Text()
    percent = context.percent
    token = "dim" if percent < NEARLY_FULL else "warning" if percent < FULL else "error"
    return Text(f"{percent:.0f}% of {short(context.context_window)}", palette[token])


def _model(facts: Facts, palette: Palette) -> Text:
    text = Text(clean_line(facts.model), palette["muted"])
    if facts.thinking:
        text.append(f" · {facts.thinking}", palette["dim"])
    return text


def short(count: int) -> str:
    """`950`, `1.2k`, `34k`, `1.2M`."""
    if count < 1000:
        return str(count)
    if count < 10_000:
        return f"{count / 1000:.1f}k"
    return f"{count // 1000}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"
