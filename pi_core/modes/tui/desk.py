"""What commands and other rooms may ask of the interactive mode, whatever class it is.

Pure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hookspecs.ui import Severity

if TYPE_CHECKING:
    from textual.screen import Screen

    from pi_core.modes.tui.style.palette import Palette
    from pi_core.session.runtime import SessionRuntime

T = TypeVar("T")


class Desk(Protocol):
    """The application as its rooms see it."""

    @property
    def runtime(self) -> SessionRuntime:
        """The session and its replacements."""
        ...

    def tell(self, message: str, level: Severity = "info") -> None:
        """Say something to the person, in the log."""
        ...

    def open_dialog(self, screen: Screen[T]) -> Awaitable[T | None]:
        """Put a screen on top and wait for its answer."""
        ...

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        """Begin some work; what it raises is shown to the person."""
        ...

    def set_title(self, title: str) -> None:
        """The title of the terminal's window; clean text."""
        ...

    def use_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        ...

    def quit(self) -> None:
        """End the program in order."""
        ...
