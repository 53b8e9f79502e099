"""A list of things to switch: enter or space switches one, and the list stays.

Touches: the screen, and whatever switching touches.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType

from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog

V = TypeVar("V")

Rows = Callable[[], Sequence[Choice[V]]]
Switch = Callable[[V], Awaitable[None] | None]

ON, OFF = "●", "○"


class ToggleDialog(ChoiceDialog[V], Generic[V]):
    """`rows` gives the choices as they are, `switch` changes what one stands for. It answers None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "switch", show=False),
    ]
    keys: ClassVar[str] = "↑↓ choose · enter switches · escape leaves"

    def __init__(
        self,
        title: str,
        rows: Rows[V],
        switch: Switch[V],
        message: str = "",
        *,
        search: bool | None = None,
    ) -> None:
        super().__init__(title, list(rows()), message, search=search)
        self._rows = rows
        self._switch = switch

    def take(self, value: V) -> None:
        """Switch what was chosen; the list stays."""
        self.run_worker(self.switch(value), exclusive=True)

    async def switch(self, value: V) -> None:
        """Switch it, and show everything as it is then."""
        done = self._switch(value)
        if done is not None:
            await done
        if self.is_attached:
            self.refill(self._rows())
