"""One of several: a list to go through, and for a long one a line to type into.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final, Generic, TypeVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from hookspecs.values import dataclass
from pi_core.modes.tui.dialogs.dialog import Dialog, one_line
from pi_core.modes.tui.fuzzy import best, places

V = TypeVar("V")

MANY: Final = 8
"""More choices than that have a line to search in."""
PAGE: Final = 10
ROWS: Final = 16
"""The list is no higher."""
MOST_SHOWN: Final = 500
"""More rows than that are nobody's to go through: search further."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[V]):
    """One choice: its `label`, what to say beside it, and what it stands for. `mark` stands before it."""

    label: str
    value: V
    detail: str = ""
    mark: str = ""

    @property
    def sought(self) -> str:
        """What a search looks at."""
        return f"{self.label} {self.detail}"


class SearchLine(Input):
    """The line to search in. Letters that the list has a use for are the list's."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is typed into the line."""
        return key not in self.screen._bindings.key_to_bindings and super().check_consume_key(key, character)


class ChoiceDialog(Dialog[V], Generic[V]):
    """Answers with the value of a choice. `start` is the place of the one that is marked at first, `sought` a
    search to begin with."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "move(-1)", "up", show=False, priority=True, id="tui.select.up"),
        Binding("down,ctrl+n", "move(1)", "down", show=False, priority=True, id="tui.select.down"),
        Binding("pageup", "page(-1)", "a page up", show=False, priority=True, id="tui.select.pageUp"),
        Binding("pagedown", "page(1)", "a page down", show=False, priority=True, id="tui.select.pageDown"),
        Binding("enter", "choose", "choose", show=False, priority=True, id="tui.select.confirm"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    ChoiceDialog {
        & OptionList {
            height: auto;
            max-height: 16;
            border: none;
            padding: 0;
            background: $background;
            scrollbar-size-vertical: 1;
            text-wrap: nowrap;
            text-overflow: ellipsis;
            & > .option-list--option-highlighted {
                background: $pi-selected; color: $foreground; text-style: none;
            }
        }
        & OptionList:focus { border: none; }
        & Input { height: 1; border: none; padding: 0; margin: 0 0 1 0; background: $background; }
        & Input:focus { border: none; }
        &.-low Input { margin: 0; }
    }
    """
    keys: ClassVar[str] = "↑↓ choose · enter takes it · escape leaves"
    most_shown: ClassVar[int] = MOST_SHOWN

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice[V]],
        message: str = "",
        *,
        start: int = 0,
        search: bool | None = None,
        sought: str = "",
        limit_s: float | None = None,
    ) -> None:
        super().__init__(title, message, limit_s=limit_s)
        self.choices = list(choices)
        self.shown: list[Choice[V]] = self.fitting(sought)
        self._start = 0 if sought else start
        self._search = len(choices) > MANY if search is None else search
        self._sought = sought
        self._input = SearchLine(sought, placeholder="type to search", compact=True)
        self._list = OptionList(markup=False)

    def body(self) -> Iterable[Widget]:
        """The line to search in, if there is one, and the list."""
        return [self._input, self._list] if self._search else [self._list]

    def on_mount(self) -> None:
        """The list is filled; typing goes to the search."""
        self._fill()
        self._list.can_focus = not self._search
        (self._input if self._search else self._list).focus()
        if 0 <= self._start < len(self.shown):
            self._list.highlighted = self._start

    def on_resize(self) -> None:
        """The list gets the rows that everything else in the frame leaves it."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if self._list.is_attached:
            frame = self.query_one(".frame")
            above = self._list.region.y - frame.region.y
            below = 2 if self.has_class("-low") else 3  # the keys, the frame, and a margin
            room = self.size.height * (100 if self.has_class("-low") else 92) // 100
            self._list.styles.max_height = max(2, min(ROWS, room - above - below))

    @property
    def current(self) -> Choice[V] | None:
        """The choice that is marked."""
        at = self._list.highlighted
        return self.shown[at] if at is not None and at < len(self.shown) else None

    def action_move(self, step: int) -> None:
        """One up or down, round the ends."""
        self._list.action_cursor_up() if step < 0 else self._list.action_cursor_down()

    def action_page(self, step: int) -> None:
        """A page up or down."""
        at = (self._list.highlighted or 0) + step * PAGE
        self._list.highlighted = max(0, min(at, len(self.shown) - 1))

    def action_tab(self) -> None:
        """Most lists have nothing else to show."""

    def action_choose(self) -> None:
        """Answer with the marked one."""
        self._search_anew()
        choice = self.current
        if choice is not None:
            self.take(choice.value)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click answers, too."""
        event.stop()
        self.take(self.shown[event.option_index].value)

    def take(self, value: V) -> None:
        """Answer with a value."""
        self.dismiss(value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another search."""
        event.stop()
        self._search_anew()

    def _search_anew(self) -> None:
        """Bring the list up to what is typed, if it is not yet: enter may be faster than the line tells."""
        if self._sought != self._input.value:
            self._sought = self._input.value
            self.shown = self.fitting(self._sought)
            self._fill()

    def fitting(self, sought: str) -> list[Choice[V]]:
        """The choices that fit a search, the best first."""
        return best(sought, self.choices, lambda choice: choice.sought)

    def refill(self, choices: Sequence[Choice[V]]) -> None:
        """Other choices; what is sought stays, and the mark where it was if it can."""
        at = self._list.highlighted
        self.choices = list(choices)
        self._sought = self._input.value
        self.shown = self.fitting(self._sought)
        self._fill()
        if at is not None and self.shown:
            self._list.highlighted = min(at, len(self.shown) - 1)

    def mark(self, at: int | None) -> None:
        """Mark the row at a place; None leaves the mark where it is."""
        if at is not None:
            self._list.highlighted = at

    def _fill(self) -> None:
        self._list.clear_options()
        rows = [Option(self._row(choice)) for choice in self.shown[: self.most_shown]]
        if not rows:
            rows = [Option(Text("nothing fits"), disabled=True)]
        self._list.add_options(rows)
        if self.shown:
            self._list.highlighted = 0

    def _row(self, choice: Choice[V]) -> Text:
        """A line of the list, the letters that were sought marked."""
        label = one_line(choice.label)
        row = Text(f"{choice.mark} " if choice.mark else "", no_wrap=True, overflow="ellipsis")
        shown = Text(label)
        for place in places(self._input.value, label):
            shown.stylize(Style(bold=True, underline=True), place, place + 1)
        row.append_text(shown)
        if choice.detail:
            row.append(f"  {one_line(choice.detail)}", Style(dim=True))
        return row
