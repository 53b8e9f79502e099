"""How extensions show their own: their renderers are asked, and one that fails is reported and passed over.

Touches: whatever the renderers touch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rich.console import RenderableType

from hookspecs.definitions import ToolResult
from hookspecs.messages import CustomMessage
from pi_core.history.entries import CustomEntry
from pi_core.modes.tui.blocks.rendering import RenderOptions
from pi_core.modes.tui.slots import shown
from pi_core.modes.tui.style.palette import Palette
from pi_core.session.session import Session

Failed = Callable[[str, Exception], None]


class ExtensionRenderers:
    """Implements `Renderers` for one session. `failed` hears once of every renderer that fails."""

    def __init__(self, session: Session, failed: Failed) -> None:
        self._session = session
        self._failed = failed
        self._given_up: set[str] = set()

    def call(self, name: str, args: Any, palette: Palette) -> RenderableType | None:
        """The row of a call."""
        render = self._of_tool(name, "render_call")
        return self._tried(f"the renderer of calls of {name}", render, args, palette, self._context())

    def result(
        self, name: str, result: ToolResult, options: RenderOptions, palette: Palette
    ) -> RenderableType | None:
        """What a tool answered."""
        render = self._of_tool(name, "render_result")
        return self._tried(f"the renderer of {name}", render, result, options, palette, self._context())

    def message(
        self, message: CustomMessage, options: RenderOptions, palette: Palette
    ) -> RenderableType | None:
        """A message of an extension."""
        render = self._session.parts.runner.registry.message_renderer(message.custom_type)
        return self._tried(f"the renderer of {message.custom_type}", render, message, options, palette)

    def entry(self, entry: CustomEntry, options: RenderOptions, palette: Palette) -> RenderableType | None:
        """An entry of an extension."""
        render = self._session.parts.runner.registry.entry_renderer(entry.custom_type)
        return self._tried(f"the renderer of {entry.custom_type}", render, entry, options, palette)

    def _context(self) -> Any:
        return self._session.parts.runner.context()

    def _of_tool(self, name: str, slot: str) -> Callable[..., Any] | None:
        """What the resolvers say of a tool, the first by rank first; else what its definition brings."""
        registry = self._session.parts.runner.registry
        resolvers = registry.tool_renderers()

        def ask(place: int, tool: str) -> Any:
            if place < len(resolvers):
                return resolvers[place](tool, lambda other=tool: ask(place + 1, other))
            found = registry.find_tool(tool)
            return None if found is None else found.value

        try:
            chosen = ask(0, name)
        except Exception as error:  # noqa: BLE001 - the usual way is taken
            self._give_up(f"a resolver of renderers for {name}", error)
            return None
        render = chosen.get(slot) if isinstance(chosen, Mapping) else getattr(chosen, slot, None)
        return render if callable(render) else None

    def _tried(self, what: str, render: Callable[..., Any] | None, *args: Any) -> RenderableType | None:
        if render is None or what in self._given_up:
            return None
        try:
            made = render(*args)
            return None if made is None else shown(made)
        except Exception as error:  # noqa: BLE001 - the usual way is taken
            self._give_up(what, error)
            return None

    def _give_up(self, what: str, error: Exception) -> None:
        if what not in self._given_up:
            self._given_up.add(what)
            self._failed(what, error)
