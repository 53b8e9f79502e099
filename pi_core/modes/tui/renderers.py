"""How extensions show their own: their renderers are asked, and one that fails is reported and passed over.

What a renderer answers is drawn later, and may fail or dawdle then: a sentence stands in its place until
it is laid out the next time, in the usual way.

Touches: whatever the renderers touch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.protocol import is_renderable
from rich.segment import Segment
from rich.text import Text
from textual.widget import Widget

from hookspecs.definitions import ToolResult
from hookspecs.messages import CustomMessage
from pi_core.clean import clean_line
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.history.entries import CustomEntry
from pi_core.modes.tui.blocks.rendering import RenderOptions
from pi_core.modes.tui.budget import Budget, in_time
from pi_core.modes.tui.component import drawable
from pi_core.modes.tui.style.palette import Palette
from pi_core.session.session import Session

Failed = Callable[[str, BaseException], None]


class ExtensionRenderers:
    """Implements `Renderers` for one session. `failed` hears once of every renderer that fails."""

    def __init__(self, session: Session, failed: Failed) -> None:
        self._session = session
        self._failed = failed
        self._given_up: set[str] = set()
        self._budgets: defaultdict[str, Budget] = defaultdict(Budget)

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
        except FAILURES as error:  # the usual way is taken
            pass_interrupt(error)
            self._give_up(f"a resolver of renderers for {name}", error)
            return None
        render = chosen.get(slot) if isinstance(chosen, Mapping) else getattr(chosen, slot, None)
        return render if callable(render) else None

    def _tried(self, what: str, render: Callable[..., Any] | None, *args: Any) -> RenderableType | None:
        if render is None or what in self._given_up:
            return None
        began = perf_counter()
        try:
            made = render(*args)
            self._budgets[what].spend(perf_counter() - began)
            content = None if made is None else _content(made)
        except FAILURES as error:  # the usual way is taken
            pass_interrupt(error)
            self._give_up(what, error)
            return None
        return content if content is None or isinstance(content, Text) else _Watched(self, what, content)

    def draw(
        self, what: str, content: RenderableType, console: Console, options: ConsoleOptions
    ) -> list[Segment]:
        """What a renderer made, or a sentence in its place."""
        began = perf_counter()
        try:
            drawn = list(in_time(console.render(content, options)))
            self._budgets[f"what is drawn by {what}"].spend(perf_counter() - began)
            return drawn
        except FAILURES as error:  # the others are drawn whatever this one does
            pass_interrupt(error)
            self._give_up(what, error)
            said = clean_line(f"{what} cannot be shown: {type(error).__name__}: {error}")
            return list(console.render(Text(said), options))

    def _give_up(self, what: str, error: BaseException) -> None:
        if what not in self._given_up:
            self._given_up.add(what)
            self._failed(what, error)


class _Watched:
    """What a renderer made, to be drawn under guard."""

    def __init__(self, renderers: ExtensionRenderers, what: str, content: RenderableType) -> None:
        self._renderers = renderers
        self._what = what
        self._content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        return self._renderers.draw(self._what, self._content, console, options)


class _Component:
    """An object with `render(width)`, as components are elsewhere."""

    def __init__(self, component: Any) -> None:
        self._component = component

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[RenderableType]:
        yield drawable(self._component.render(options.max_width))


def _content(made: Any) -> RenderableType:
    """What a renderer answered, as rich can show it. Raises: TypeError for a widget."""
    if isinstance(made, Widget):
        raise TypeError("a renderer answers with lines, a text or what rich can show; the log has no widgets")
    if callable(getattr(made, "render", None)) and not is_renderable(made):
        return _Component(made)
    return drawable(made)
