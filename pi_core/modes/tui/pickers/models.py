"""The models that one key switches through: which, and in which order.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from hookspecs.definitions import Model
from pi_core.modes.tui.dialogs.choice import Choice
from pi_core.modes.tui.dialogs.toggles import OFF, ON, ToggleDialog
from pi_core.modes.tui.keys import bindings_for
from pi_core.providers.selection import Choice as Chosen


class Scope:
    """All models in an order, and those of them that are switched through."""

    def __init__(self, models: Sequence[Model], chosen: Sequence[Chosen]) -> None:
        self._levels = {key_of(choice.model): choice.thinking for choice in chosen}
        self._on = set(self._levels)
        first = [choice.model for choice in chosen]
        self.models = [*first, *(model for model in models if key_of(model) not in self._on)]

    def has(self, model: Model) -> bool:
        """Whether one is switched to."""
        return key_of(model) in self._on

    def switch(self, models: Iterable[Model], on: bool) -> None:
        """Take some in, or out."""
        keys = {key_of(model) for model in models}
        self._on = self._on | keys if on else self._on - keys

    def move(self, model: Model, step: int) -> None:
        """Earlier or later in the order."""
        at = self.models.index(model)
        to = max(0, min(at + step, len(self.models) - 1))
        self.models.insert(to, self.models.pop(at))

    def patterns(self) -> list[str]:
        """As the settings name them."""
        named = [(model, self._levels.get(key_of(model))) for model in self.models if self.has(model)]
        return [f"{m.provider}/{m.id}" + (f":{level}" if level else "") for m, level in named]


def key_of(model: Model) -> tuple[str, str]:
    """What tells models apart."""
    return model.provider, model.id


class ScopePicker(ToggleDialog[Model], inherit_bindings=False):
    """Every change is told to `changed`; `keep` is called to have it for the next times, too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("list", priority=True),
        *bindings_for("models", priority=True),
        Binding("space", "choose", "switch", show=False),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    ScopePicker > .frame { width: 96; }
    """
    keys: ClassVar[str] = (
        "enter switches · ctrl+a all · ctrl+x none · ctrl+p provider · alt+↑↓ order · ctrl+s keeps it"
    )

    def __init__(self, scope: Scope, changed: Callable[[], None], keep: Callable[[], None]) -> None:
        self._scope = scope
        self._changed = changed
        self._keep = keep
        super().__init__("Models to switch through", self._choices, self._flip, search=True)

    def _choices(self) -> list[Choice[Model]]:
        return [
            Choice(model.id, model, model.provider, ON if self._scope.has(model) else OFF)
            for model in self._scope.models
        ]

    def _flip(self, model: Model) -> None:
        self._scope.switch([model], not self._scope.has(model))
        self._changed()

    # what keys do

    def action_enable_all(self) -> None:
        """All that the search shows."""
        self._set([choice.value for choice in self.shown], True)

    def action_clear_all(self) -> None:
        """None of those."""
        self._set([choice.value for choice in self.shown], False)

    def action_toggle_provider(self) -> None:
        """All models of the marked one's provider; none, if all are in."""
        choice = self.current
        if choice is not None:
            models = [model for model in self._scope.models if model.provider == choice.value.provider]
            self._set(models, not all(self._scope.has(model) for model in models))

    def action_reorder(self, step: int) -> None:
        """The marked one earlier, or later; the mark goes with it."""
        choice = self.current
        if choice is not None:
            self._scope.move(choice.value, step)
            self._told()
            self.mark([shown.value for shown in self.shown].index(choice.value))

    def action_save(self) -> None:
        """Keep it."""
        self._keep()
        self.retitle("Models to switch through · kept")

    def _set(self, models: Sequence[Model], on: bool) -> None:
        self._scope.switch(models, on)
        self._told()

    def _told(self) -> None:
        self._changed()
        self.refill(self._choices())
