"""The themes of the moment: built-in ones and those that the session brought, and which one is chosen.

Touches: theme files, the user's settings file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from pi_core.modes.tui.style.builtin import builtin_palettes
from pi_core.modes.tui.style.palette import Palette

if TYPE_CHECKING:
    from pi_pkg import Diagnostic, Resource


class Wardrobe:
    """`save` keeps the name of the chosen one for the next time."""

    def __init__(self) -> None:
        self._palettes: Mapping[str, Palette] = builtin_palettes()
        self._save: Callable[[str], object] = _forget
        self.asked_for: str | None = None
        """The theme of this run, whatever the settings say."""

    def fill(self, resources: Iterable[Resource], save: Callable[[str], object]) -> tuple[Diagnostic, ...]:
        """The themes of a session, in rank order. Returns what is wrong with files."""
        from pi_core.modes.tui.style.themes import load_themes  # the screen comes before its themes

        found = load_themes(resources)
        self._palettes = found.palettes
        self._save = save
        return found.findings

    @property
    def names(self) -> list[str]:
        """All names, built-in ones first."""
        return list(self._palettes)

    def get(self, name: str) -> Palette | None:
        """A theme by its name."""
        return self._palettes.get(name)

    def remember(self, name: str) -> None:
        """It is the person's choice from now on."""
        self._save(name)


def _forget(name: str) -> None:
    """Nowhere to keep it yet."""
