"""What is wrong with one settings file, each finding with the line it is about.

Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.settings.model import LayerScope

if TYPE_CHECKING:
    from pi_pkg.settings.places import Steps

_LONGEST: Final = 60


class Findings(list[Diagnostic]):
    """Collects warnings in the order in which they are found."""

    def __init__(self, path: str, scope: LayerScope, text: str | None = None) -> None:
        """`text` is the document, whose lines are named; None if it is not at hand."""
        super().__init__()
        self.path = path
        self.scope = scope
        self._text = text
        self._places: dict[Steps, tuple[int, int]] | None = None

    def warn(
        self, code: str, message: str, at: Steps, *, source: str | None = None, hint: str | None = None
    ) -> None:
        """Add a warning about the value that the steps lead to."""
        place = self._place(at)
        said = message if place is None else f"{self.path}:{place[0]}:{place[1]}: {message}"
        self.append(Diagnostic("warning", code, "settings", said, source, self.scope, self.path, hint))

    def _place(self, at: Steps) -> tuple[int, int] | None:
        if self._places is None:
            from pi_pkg.settings.places import places  # start-up time: most files have no findings

            try:
                self._places = {} if self._text is None else places(self._text)
            except RecursionError:  # nested as deeply as the parser allows; the finding counts without it
                self._places = {}
        return self._places.get(at)


def shown(value: Any) -> str:
    """A value as messages show it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
