"""The tree of a conversation to walk in: forks fold, filters choose what is shown, entries take labels.

Touches: the screen, labels in the session's file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from textual.binding import BindingType

from pi_core.history.store import SessionStore
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.questions import InputDialog
from pi_core.modes.tui.fuzzy import score
from pi_core.modes.tui.keys import bindings_for
from pi_core.modes.tui.pickers.tree_rows import (
    FILTER_NAMES,
    FILTERS,
    Filter,
    Row,
    leaf_row,
    rows_of,
    words_of,
)

MOST_DEPTH: Final = 12
"""Further to the right nobody could read."""


class TreePicker(ChoiceDialog[str], inherit_bindings=False):
    """Answers with the id of an entry. `label` sets the label of one, None takes it away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("list", priority=True),
        *bindings_for("tree", priority=True),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    TreePicker > .frame { width: 110; }
    """
    keys: ClassVar[str] = "enter goes there · ctrl+o filter · ctrl+←→ fold · shift+l label · escape leaves"
    most_shown: ClassVar[int] = 4000

    def __init__(self, store: SessionStore, label: Callable[[str, str | None], None]) -> None:
        self._store = store
        self._label = label
        self._only: Filter = "default"
        self._folded: set[str] = set()
        self._times = False
        self._rows: list[Row] = []
        super().__init__("Tree", self._choices(), search=True, start=leaf_row(self._rows))

    def fitting(self, sought: str) -> list[Choice[str]]:
        """Those that fit, where they stand in the tree."""
        return [choice for choice in self.choices if score(sought, choice.sought) is not None]

    # what keys do

    def action_only(self, wanted: Filter) -> None:
        """Another filter."""
        self._only = wanted
        self._show(self._marked())

    def action_next_filter(self, step: int) -> None:
        """The next filter, or the one before."""
        self.action_only(FILTERS[(FILTERS.index(self._only) + step) % len(FILTERS)])

    def action_fold(self) -> None:
        """Fold what is below; what is folded, or the end of a branch, leads to the fork above."""
        row = self._marked_row()
        if row is None:
            return
        if row.children and not row.folded:
            self._folded.add(row.id)
            self._show(row.id)
            return
        by_id = {other.id: other for other in self._rows}
        while row is not None and not row.begins:
            row = by_id.get(row.parent_id or "")
        above = row and (row.parent_id or row.id)
        self._show(above or self._rows[0].id)

    def action_unfold(self) -> None:
        """Unfold; where nothing is folded, go to the next fork below."""
        row = self._marked_row()
        if row is None:
            return
        if row.folded:
            self._folded.discard(row.id)
            self._show(row.id)
            return
        after = self._rows[self._rows.index(row) + 1 :]
        self._show(next((other.id for other in after if other.children > 1 or other.folded), row.id))

    def action_times(self) -> None:
        """When each entry was written."""
        self._times = not self._times
        self._show(self._marked())

    def action_edit_label(self) -> None:
        """Label the marked entry."""
        row = self._marked_row()
        if row is not None:
            self.run_worker(self._edit_label(row))

    async def _edit_label(self, row: Row) -> None:
        dialog = InputDialog("Label", message="Empty takes it away.", value=row.label or "")
        label = await self.app.push_screen_wait(dialog)
        if label is None:
            return
        self._label(row.id, label.strip() or None)
        self._show(row.id)

    # the list

    def _marked_row(self) -> Row | None:
        marked = self._marked()
        return next((row for row in self._rows if row.id == marked), None)

    def _marked(self) -> str | None:
        return None if self.current is None else self.current.value

    def _show(self, marked: str | None) -> None:
        self.refill(self._choices())
        self.mark(next((at for at, choice in enumerate(self.shown) if choice.value == marked), None))
        self.retitle(f"Tree · {FILTER_NAMES[self._only]}")

    def _choices(self) -> list[Choice[str]]:
        store = self._store
        active = [entry.id for entry in store.get_branch()]
        self._rows = rows_of(store.get_tree(), active, only=self._only, folded=self._folded)
        leaf = leaf_row(self._rows)
        return [self._choice(row, at == leaf and row.active) for at, row in enumerate(self._rows)]

    def _choice(self, row: Row, is_leaf: bool) -> Choice[str]:
        what, text = words_of(row.entry)
        indent = "  " * min(row.depth, MOST_DEPTH)
        branch = "├" if row.begins else ""
        sign = "●" if is_leaf else "│" if row.active else " "
        label = f"[{row.label}] " if row.label else ""
        details = [f"+{row.children} folded" if row.folded else "", "← you are here" if is_leaf else ""]
        if self._times:
            details.insert(0, row.entry.timestamp[:19].replace("T", " "))
        shown = f"{label}{what}: {text}" if text else f"{label}{what}"
        return Choice(shown, row.id, " · ".join(filter(None, details)), f"{sign} {indent}{branch}")
