"""The chat log: a column of blocks of which only what is in sight is laid out.

It follows the end until somebody scrolls up, and then what is in sight stays where it is whatever
is added or measured elsewhere. Changes are collected: it is laid out and painted at most 30 times a
second, and less often when that takes long.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from pi_core.clean import clean_line
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.modes.tui.log.block import INDENT, Block
from pi_core.modes.tui.log.heights import Heights
from pi_core.modes.tui.log.laid import LaidOut
from pi_core.modes.tui.log.marking import chosen, dedented, marked
from pi_core.modes.tui.style.look import Look

FRAME_S: Final = 1 / 30
"""The shortest time between two layouts."""
TYPING_FRAME_S: Final = 1 / 12
"""The same while somebody types: keys come first."""
TYPING_S: Final = 0.3
"""So long after a key somebody is still typing."""
SHARE: Final = 3
"""After a layout, at least so many times its duration belongs to others."""
WHEEL_LINES: Final = 3
MARK: Final = Style(reverse=True)


class ChatLog(ScrollView, can_focus=False):
    """Shows blocks. `append` and `touch` may be called any number of times; they cost next to nothing.

    `failed` is told of a block that cannot be laid out, and a sentence stands in its place; `moved` that
    the log begins to follow its end, or ceases to.
    """

    DEFAULT_CSS: ClassVar[str] = """
    ChatLog {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    """

    def __init__(
        self,
        look: Look,
        *,
        failed: Callable[[Block, BaseException], None] | None = None,
        moved: Callable[[bool], None] | None = None,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._failed = failed
        self._moved = moved
        self.look = look
        self.blocks: list[Block] = []
        self.following = True
        self.found = ""
        """What is searched for, in lower case; its places are marked."""
        self._heights = Heights()
        self._laid = LaidOut()
        self._changed: set[int] = set()
        self._anchor = (0, 0)
        """The block at the upper edge and the line of it that is there, while the end is not followed."""
        self._settling = False
        self._shown_lines = 0
        """How many lines the column had when it was laid out last."""
        self._width = 80
        self._planned = False
        self._next_s = 0.0
        self._typed_s = -TYPING_S

    # what is in it

    def append(self, block: Block) -> None:
        """Put a block at the end."""
        block.place = len(self.blocks)
        self.blocks.append(block)
        self._heights.append(self._guess(block))
        self.plan()

    def extend(self, blocks: list[Block]) -> None:
        """Put many at the end."""
        for block in blocks:
            self.append(block)

    def touch(self, block: Block) -> None:
        """A block has changed."""
        self._changed.add(block.place)
        self.plan()

    def restyle(self) -> None:
        """The look has changed: all is laid out anew."""
        self.plan()

    def fold_all(self) -> None:
        """What holds for all holds for each."""
        for block in self.blocks:
            block.expanded = None

    def clear(self) -> None:
        """Nothing is in it any more."""
        self.blocks.clear()
        self._heights.replace(())
        self._laid.clear()
        self._changed.clear()
        self._anchor = (0, 0)
        self._follow(True)
        self.plan()

    # painting

    def plan(self) -> None:
        """See to it that the changes come to the screen soon."""
        if self._planned or not self.is_attached:
            return
        self._planned = True
        wait_s = self._next_s - perf_counter()
        if wait_s > 0:
            self.set_timer(wait_s, self._flush)
        else:
            self.call_later(self._flush)

    def _flush(self) -> None:
        self._planned = False
        started = perf_counter()
        top, total = self.scroll_offset.y, self._shown_lines
        changed = self.settle()
        if self.scroll_offset.y != top or changed is None:
            self.refresh()
        else:  # nothing moved: only what is below the first change is painted
            self._paint_from(min(changed, total))
        now = perf_counter()
        frame_s = TYPING_FRAME_S if now - self._typed_s < TYPING_S else FRAME_S
        self._next_s = now + max(frame_s, SHARE * (now - started))

    def give_way(self) -> None:
        """Somebody types: what is shown there matters more for a moment."""
        self._typed_s = perf_counter()

    def _paint_from(self, line: int) -> None:
        width, height = self.size
        first = max(0, line - self.scroll_offset.y)
        if first < height:
            self.refresh(Region(0, first, width, height - first))

    def settle(self) -> int | None:
        """Lay out what is in sight, and put it where it belongs.

        Returns the first line that is not as it was, None if all may be different.
        """
        width, height = self.size
        if not width or not height:
            return None
        self._width = width
        as_before = self._laid.fits(width, self.look.version)
        if not as_before:
            self._heights.replace(self._guess(block) for block in self.blocks)
        first = self._heights.total
        for place in sorted(self._changed, reverse=True):  # from below, so that sums above stay known
            first = min(first, self._lay_out_again(place))
        self._changed.clear()
        top = self._lay_out_end(height) if self.following else self._lay_out_from_anchor(height)
        self._settling = True
        try:
            self._resize_column(width)
            self._shown_lines = self._heights.total
            self.scroll_to(y=top, animate=False, force=True, immediate=True)
        finally:
            self._settling = False
        return first if as_before else None

    def _lay_out_again(self, place: int) -> int:
        """A block has changed. Returns the first line that is another; lines that are not stay the same."""
        start, before = self._heights.start(place), self._laid.get(place)
        self._laid.drop(place)
        if before is None:
            self._heights[place] = self._guess(self.blocks[place])
            return start
        after = self._lines(place)
        same = 0
        for old, new in zip(before, after, strict=False):
            if old != new:
                break
            after[same] = old
            same += 1
        return start + same

    def _resize_column(self, width: int) -> None:
        """Tell the scrollbar how long the column is. Nothing moves by that, so no layout is asked for."""
        size = Size(width, self._heights.total)
        if self.virtual_size != size:
            self.set_reactive(ChatLog.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height
            self.vertical_scrollbar.window_size = self.container_size.height

    def _lay_out_end(self, height: int) -> int:
        place, seen = len(self.blocks), 0
        while place > 0 and seen < height:
            place -= 1
            seen += len(self._lines(place))
        return max(0, self._heights.total - height)

    def _lay_out_from_anchor(self, height: int) -> int:
        place, line = self._anchor
        if place >= len(self.blocks):
            return self._lay_out_end(height)
        line = max(0, min(line, len(self._lines(place)) - 1))
        seen = -line
        while place < len(self.blocks) and seen < height:
            seen += len(self._lines(place))
            place += 1
        if seen < height:
            return self._lay_out_end(height)
        return self._heights.start(self._anchor[0]) + line

    def _guess(self, block: Block) -> int:
        return block.rows(self._width) + block.gap

    def _lines(self, place: int) -> list[Strip]:
        """The lines of a block, the gap among them; its height is known from then on."""
        lines = self._laid.get(place)
        if lines is None:
            block = self.blocks[place]
            lines = self._make(block)
            if lines and block.gap:
                lines = [Strip([]), *lines]
            width, style = self.size.width, self.rich_style
            lines = [strip.crop_extend(0, width, None).apply_style(style) for strip in lines]
            self._laid.put(place, lines)
        self._heights[place] = len(lines)
        return lines

    def _make(self, block: Block) -> list[Strip]:
        try:
            return block.lines(self.size.width, self.look)
        except FAILURES as error:  # whatever it is, the others are shown
            pass_interrupt(error)
            if self._failed is not None:
                self._failed(block, error)
            said = clean_line(f"{type(block).__name__} cannot be shown: {type(error).__name__}: {error}")
            return [
                Strip([Segment(" " * INDENT + said, self.look.palette["error"])]).crop(0, self.size.width)
            ]

    def line(self, number: int) -> Strip:
        """A line of the whole column, as wide as that; a blank one where nothing is."""
        if not self.blocks or not 0 <= number < self._heights.total:
            return Strip.blank(self.size.width, self.rich_style)
        place = self._heights.at(number)
        lines = self._lines(place)
        inside = number - self._heights.start(place)
        return lines[inside] if inside < len(lines) else Strip.blank(self.size.width, self.rich_style)

    def render_line(self, y: int) -> Strip:
        """A line of what is in sight."""
        number = self.scroll_offset.y + y
        strip = self.line(number)
        if self.found:
            strip = marked(strip, self.found, MARK)
        selection = self.text_selection
        span = selection.get_span(number) if selection is not None else None
        if span is not None:
            strip = chosen(strip, span, self.look.palette["selectedBg"])
        return strip.apply_offsets(0, number)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, without the blanks at the edges."""
        last = self._heights.total - 1
        start = 0 if selection.start is None else selection.start.y
        end = last if selection.end is None else min(last, selection.end.y)
        taken = []
        for number in range(start, end + 1):
            span = selection.get_span(number)
            if span is not None:
                text = self.line(number).text
                taken.append(text[span[0] : None if span[1] == -1 else span[1]].rstrip())
        return "\n".join(dedented(taken)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint what is selected now."""
        self.refresh()

    # moving

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody scrolled: what is in sight now stays in sight."""
        super().watch_scroll_y(old_value, new_value)
        if self._settling or not self.blocks or round(old_value) == round(new_value):
            return
        self._follow(round(new_value) >= self.max_scroll_y)
        line = int(new_value)
        place = self._heights.at(line)
        start, guessed = self._heights.start(place), self._heights[place]
        exact = len(self._lines(place))
        inside = line - start
        if new_value < old_value:  # what was at the upper edge stays under what comes in above it
            inside = max(0, exact - (guessed - inside))
        self._anchor = (place, max(0, min(inside, exact - 1)))
        self.settle()
        self.refresh()

    def show_end(self) -> None:
        """Go to the end and follow it."""
        self._follow(True)
        self.plan()

    def show_block(self, place: int, line: int = 0, *, above: int = 0) -> None:
        """Bring a line of a block to the upper edge, with so many lines above it."""
        number = self._heights.start(place) + max(0, min(line, len(self._lines(place)) - 1))
        top = max(0, number - above)
        self._follow(False)
        at = self._heights.at(top)
        self._anchor = (at, top - self._heights.start(at))
        self.plan()

    def move(self, lines: int) -> None:
        """Scroll down, or up if negative."""
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False, force=True, immediate=True)

    def _follow(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            if self._moved is not None:
                self._moved(following)

    @property
    def top_place(self) -> int:
        """The block at the upper edge."""
        return self._heights.at(self.scroll_offset.y) if self.blocks else 0

    def block_at(self, y: int) -> Block | None:
        """The block in a line of what is in sight."""
        number = self.scroll_offset.y + y
        return self.blocks[self._heights.at(number)] if 0 <= number < self._heights.total else None

    def places_in(self, place: int) -> list[str]:
        """The lines of a block as plain text, the gap among them."""
        return [strip.text for strip in self._lines(place)]

    # the person's hands

    def on_resize(self) -> None:
        """Another width: other lines."""
        self.settle()
        self.refresh()

    def on_mount(self) -> None:
        """What came before there was a screen is shown now."""
        self.plan()

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -WHEEL_LINES)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, WHEEL_LINES)

    def _wheel(self, event: events.MouseEvent, lines: int) -> None:
        event.stop()
        event.prevent_default()
        self.move(lines)

    def on_click(self, event: events.Click) -> None:
        """A click unfolds or folds, unless it ended a selection."""
        block = self.block_at(event.y)
        if block is not None and not self.screen.get_selected_text() and block.toggle(self.look):
            self.touch(block)
