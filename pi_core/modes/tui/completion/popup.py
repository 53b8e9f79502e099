"""The list of proposals above the editor, and the keys that it takes while it is there.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pi_core.clean import clean_line
from pi_core.modes.tui.completion.proposal import Proposal
from pi_core.modes.tui.style.look import Look

ROWS: Final = 8


class Popup(Widget, can_focus=False):
    """Shows proposals over the conversation, one of them marked. It takes no room of its own."""

    DEFAULT_CSS: ClassVar[str] = """
    Popup {
        overlay: screen;
        display: none;
        height: 1;
        width: 1fr;
        margin: 0 2;
        background: $surface;
        color: $foreground;
    }
    """

    class Chosen(Message):
        """A proposal was clicked."""

    def __init__(self, look: Look) -> None:
        super().__init__(id="proposals")
        self._look = look
        self.proposals: Sequence[Proposal] = ()
        self.at = 0

    @property
    def is_open(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self.proposals)

    @property
    def marked(self) -> Proposal:
        """The proposal that enter takes."""
        return self.proposals[self.at]

    def fill(self, proposals: Sequence[Proposal]) -> None:
        """Other proposals; the mark stays where it was if that is still there. None close the list."""
        before = self.marked.value if self.proposals else None
        self.proposals = proposals
        values = [proposal.value for proposal in proposals]
        self.at = values.index(before) if before in values and self.at else 0
        rows = min(ROWS, len(proposals))
        self.display = bool(rows)
        if rows:
            self.styles.height = rows
            self.styles.offset = (0, -rows)
        self.refresh()

    def move(self, step: int) -> None:
        """Mark another one, round the ends."""
        self.at = (self.at + step) % len(self.proposals)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One of the rows that are in sight."""
        first = max(0, min(self.at - ROWS + 1, len(self.proposals) - ROWS)) if self.at >= ROWS else 0
        place = first + y
        width = self.size.width
        if place >= len(self.proposals):
            return Strip.blank(width, self.rich_style)
        proposal = self.proposals[place]
        palette = self._look.palette
        ground = palette["selectedBg"] if place == self.at else Style.null()
        label = palette["accent" if place == self.at else "text"] + ground
        segments = [Segment(f" {proposal.shown}", label)]
        if proposal.detail:
            detail = clean_line(" ".join(proposal.detail.split()))
            segments.append(Segment(f"  {detail}", palette["dim"] + ground))
        strip = Strip(segments).crop(0, width)
        return strip.extend_cell_length(width, ground).apply_style(self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """A click marks and takes."""
        first = self.at - ROWS + 1 if self.at >= ROWS else 0
        place = first + event.y
        if place < len(self.proposals):
            self.at = place
            self.post_message(self.Chosen())
