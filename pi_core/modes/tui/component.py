"""Components of extensions on the screen: drawn under guard, so that one that fails harms nobody else.

A component is a Textual widget; or an object with `render(width)`, which returns lines, a text or anything
that rich can show, and perhaps `handle_input(key)` and `dispose()`; or what rich can show itself.

Touches: the screen, and whatever the component touches.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, ClassVar, Final

from rich.console import RenderableType
from rich.protocol import is_renderable
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from pi_core.clean import clean_line
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.modes.tui.budget import Budget, cut, in_time
from pi_core.modes.tui.slots import shown
from pi_core.modes.tui.style.look import Look

MAX_ROWS: Final = 200
"""A component draws no more rows than that."""

Failed = Callable[[str, BaseException], None]


class Handle:
    """What a factory is handed of the screen: ask to be drawn again, and how much room there is."""

    def __init__(self) -> None:
        self._widget: Widget | None = None

    def attach(self, widget: Widget) -> None:
        """The widget that stands for the component."""
        self._widget = widget

    def request_render(self) -> None:
        """Draw the component anew, soon. May be called from anywhere in the event loop."""
        if self._widget is not None and self._widget.is_attached:
            self._widget.refresh(layout=True)

    @property
    def width(self) -> int:
        """Columns of the terminal; 80 before the component is on the screen."""
        return self._widget.app.size.width if self._widget is not None and self._widget.is_attached else 80

    @property
    def height(self) -> int:
        """Rows of the terminal; 24 before the component is on the screen."""
        return self._widget.app.size.height if self._widget is not None and self._widget.is_attached else 24


class Drawn(Widget):
    """An object with `render(width)` on the screen; keys go to its `handle_input`."""

    DEFAULT_CSS: ClassVar[str] = """
    Drawn { height: auto; width: 1fr; }
    """

    def __init__(self, name: str, component: Any, look: Look, failed: Failed) -> None:
        super().__init__()
        self.component = component
        self.can_focus = callable(getattr(component, "handle_input", None))
        self._label = name
        self._look = look
        self._failed = failed
        self._broken: BaseException | None = None
        self._budget = Budget()
        self._laid: tuple[int, int, list[Strip]] | None = None
        self._drawing = 0

    def refresh(
        self, *regions: Any, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Any:
        """What was drawn before counts no more."""
        self._drawing += 1
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as it draws."""
        return max(1, len(self._lines(width)))

    def render_line(self, y: int) -> Strip:
        """One of its rows."""
        lines = self._lines(self.size.width)
        strip = lines[y] if y < len(lines) else Strip([])
        return strip.crop_extend(0, self.size.width, None).apply_style(self.rich_style)

    def on_key(self, event: events.Key) -> None:
        """A key that nobody took before."""
        if self.can_focus and self._broken is None:
            event.stop()
            event.prevent_default()
            self.give(key_name(event))

    def give(self, key: str) -> None:
        """Hand the component a key."""
        try:
            self.component.handle_input(key)
        except FAILURES as error:  # a component may do anything
            pass_interrupt(error)
            self._break(error)
        self.refresh(layout=True)

    def on_unmount(self) -> None:
        """It is gone from the screen; what its `dispose` raises is nobody's trouble."""
        dispose = getattr(self.component, "dispose", None)
        if callable(dispose):
            try:
                dispose()
            except FAILURES as error:  # it is gone whatever it does
                pass_interrupt(error)

    def _lines(self, width: int) -> list[Strip]:
        key = (width, self._look.version + self._drawing)
        if self._laid is None or self._laid[:2] != key:
            self._laid = (*key, self._draw(width))
        return self._laid[2]

    def _draw(self, width: int) -> list[Strip]:
        if self._broken is None:
            began = perf_counter()
            try:
                lines = self._look.lines(drawable(self.component.render(width)), width, in_time=in_time)
                self._budget.spend(perf_counter() - began)
                return self._cut(lines, width)
            except FAILURES as error:  # the others are drawn whatever this one does
                pass_interrupt(error)
                self._break(error)
        return self._placeholder(width)

    def _cut(self, lines: list[Strip], width: int) -> list[Strip]:
        if len(lines) <= MAX_ROWS:
            return lines
        more = Text(f"… {len(lines) - MAX_ROWS} more rows", self._look.palette["dim"])
        return [*lines[:MAX_ROWS], *self._look.lines(more, width)]

    def _break(self, error: BaseException) -> None:
        self._broken = error
        self._failed(self._label, error)

    def _placeholder(self, width: int) -> list[Strip]:
        error = self._broken
        said = clean_line(f"{self._label} cannot be shown: {type(error).__name__}: {error}")
        return self._look.lines(Text(said, self._look.palette["error"], overflow="ellipsis"), width)


class Foreign(Vertical):
    """A Textual widget of an extension. If it fails, `give_up` puts a sentence in its place."""

    DEFAULT_CSS: ClassVar[str] = """
    Foreign { height: auto; width: 1fr; }
    """

    def __init__(self, name: str, widget: Widget, look: Look, failed: Failed) -> None:
        super().__init__()
        self.inner = widget
        self._label = name
        self._look = look
        self._failed = failed
        self._given_up = False

    def compose(self) -> ComposeResult:
        """The widget itself."""
        yield self.inner

    def give_up(self, error: BaseException) -> None:
        """It failed: a sentence that names it stands there from now on."""
        if self._given_up:
            return
        self._given_up = True
        self._failed(self._label, error)
        self.call_later(self._replace, error)

    def _replace(self, error: BaseException) -> None:
        """A widget that failed does not hear any more that it is to go, so it is taken out by force."""
        for widget in reversed(list(self.inner.walk_children(Widget, with_self=True))):
            self.app._unregister(widget)
            if widget._task is not None:
                widget._task.cancel()
        self.mount(Drawn(self._label, _Sentence(self._label, error, self._look), self._look, self._failed))


class _Sentence:
    """Says what cannot be shown."""

    def __init__(self, name: str, error: BaseException, look: Look) -> None:
        self._text = clean_line(f"{name} cannot be shown: {type(error).__name__}: {error}")
        self._look = look

    def render(self, width: int) -> Text:
        return Text(self._text, self._look.palette["error"], overflow="ellipsis")


class _Still:
    """Something that rich can show, as a component that never changes."""

    def __init__(self, content: Any) -> None:
        self._content = content

    def render(self, width: int) -> Any:
        return self._content


def drawable(content: Any) -> RenderableType:
    """What a component draws, as rich can show it; of a list of lines not many more than can be seen."""
    if isinstance(content, list | tuple) and all(isinstance(line, str) for line in content):
        hidden = len(content) - MAX_ROWS
        lines = [clean_line(cut(line)) for line in content[:MAX_ROWS]]
        return Text("\n".join([*lines, *([f"… {hidden} more rows"] if hidden > 0 else [])]))
    return shown(content)


def widget_for(name: str, made: Any, look: Look, failed: Failed) -> Widget:
    """The guarded widget that stands for what a factory made."""
    if isinstance(made, Widget):
        return Foreign(name, made, look, failed)
    draws = callable(getattr(made, "render", None)) and not is_renderable(made)
    component = made if draws else _Still(made)
    return Drawn(name, component, look, failed)


def owner_of(pump: Any) -> Foreign | None:
    """The frame of an extension's widget in which something happened; None if it was none of theirs."""
    while pump is not None:
        if isinstance(pump, Foreign):
            return pump
        pump = getattr(pump, "_parent", None)
    return None


_NAMES: Final = {
    "pageup": "pageUp",
    "pagedown": "pageDown",
    "space": "space",
}


def key_name(event: events.Key) -> str:
    """A key as authors of components know it: the character, or a name such as `up` or `ctrl+c`."""
    if event.character is not None and event.is_printable and event.character != " ":
        return event.character
    *modifiers, last = event.key.split("+")
    return "+".join([*modifiers, _NAMES.get(last, last)])
