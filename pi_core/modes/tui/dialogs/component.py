"""A component of an extension that has the keyboard until it is done.

Touches: the screen, and whatever the component touches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget

Across: TypeAlias = Literal["left", "center", "right"]
Down: TypeAlias = Literal["top", "middle", "bottom"]

_ANCHORS: Final[Mapping[str, tuple[Across, Down]]] = {
    "center": ("center", "middle"),
    "top-left": ("left", "top"),
    "top-center": ("center", "top"),
    "top-right": ("right", "top"),
    "left-center": ("left", "middle"),
    "right-center": ("right", "middle"),
    "bottom-left": ("left", "bottom"),
    "bottom-center": ("center", "bottom"),
    "bottom-right": ("right", "bottom"),
}


class ComponentScreen(ModalScreen[Any], inherit_bindings=False):
    """Holds one component. `overlay` shows the conversation around it; without, it stands at the foot.

    `place` may have `width`, `height` and `max_height` (cells, or a text such as "50%"), and `anchor`.
    ctrl+c leaves whatever the component does; escape does where it reads no keys.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", "leave", show=False, priority=True),
        Binding("escape", "leave", "leave", show=False),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    ComponentScreen {
        align: center bottom;
        background: $background 0%;
        & > #holder { width: 100%; height: auto; max-height: 92%; background: $background; padding: 0 1; }
        & > #holder.-overlay { width: 80; max-width: 96%; border: round $pi-accent; }
    }
    """

    def __init__(
        self, widget: Widget, *, overlay: bool = False, place: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        self._widget = widget
        self._overlay = overlay
        self._place = {_snake(key): value for key, value in (place or {}).items()}

    def compose(self) -> ComposeResult:
        """The component in its place."""
        holder = Vertical(self._widget, id="holder", classes="-overlay" if self._overlay else "")
        yield holder

    def on_mount(self) -> None:
        """Its size, and the keyboard."""
        holder = self.query_one("#holder")
        for name in ("width", "height", "max_height"):
            size = self._place.get(name)
            if isinstance(size, int | str) and not isinstance(size, bool):
                setattr(holder.styles, name, size)
        if self._overlay:
            self._align(str(self._place.get("anchor", "center")))
        for widget in self._widget.walk_children(Widget, with_self=True):
            if widget.can_focus:
                widget.focus()
                break

    def _align(self, anchor: str) -> None:
        across, down = _ANCHORS.get(anchor, _ANCHORS["center"])
        self.styles.align_horizontal, self.styles.align_vertical = across, down

    def action_leave(self) -> None:
        """No answer."""
        self.dismiss(None)


def _snake(key: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
