"""The port through which extensions show their own tools, messages and entries.

Pure.
"""

from __future__ import annotations

from typing import Any, Protocol

from rich.console import RenderableType

from hookspecs.definitions import ToolResult
from hookspecs.messages import CustomMessage
from hookspecs.values import dataclass
from pi_core.history.entries import CustomEntry
from pi_core.modes.tui.style.palette import Palette


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """What a renderer is told beside the thing. A partial result is one of a tool that still runs."""

    expanded: bool = False
    is_partial: bool = False


class Renderers(Protocol):
    """Answers None where nobody wants to show a thing, or where that failed: the usual way is taken then."""

    def call(self, name: str, args: Any, palette: Palette) -> RenderableType | None: ...

    def result(
        self, name: str, result: ToolResult, options: RenderOptions, palette: Palette
    ) -> RenderableType | None: ...

    def message(
        self, message: CustomMessage, options: RenderOptions, palette: Palette
    ) -> RenderableType | None: ...

    def entry(
        self, entry: CustomEntry, options: RenderOptions, palette: Palette
    ) -> RenderableType | None: ...


class NoRenderers:
    """Nobody shows anything in a way of their own."""

    def call(self, name: str, args: Any, palette: Palette) -> RenderableType | None:
        """The usual way."""
        return None

    def result(
        self, name: str, result: ToolResult, options: RenderOptions, palette: Palette
    ) -> RenderableType | None:
        """The usual way."""
        return None

    def message(
        self, message: CustomMessage, options: RenderOptions, palette: Palette
    ) -> RenderableType | None:
        """The usual way."""
        return None

    def entry(self, entry: CustomEntry, options: RenderOptions, palette: Palette) -> RenderableType | None:
        """The usual way."""
        return None
