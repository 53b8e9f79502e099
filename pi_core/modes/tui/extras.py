"""What extensions hook into the keyboard and the editor: listeners, an editor's component, completions.

Touches: whatever the hooks touch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pi_core.clean import typed
from pi_core.dispatch.failing import FAILURES, pass_interrupt

InputListener: TypeAlias = Callable[[str], Any]
Failed: TypeAlias = Callable[[str, BaseException], None]

CONSUMED: Final = ""
"""What is left of an input that a listener took."""


class Extras:
    """The hooks of the extensions of the moment. What raises is reported and counts as no answer."""

    def __init__(self, failed: Failed) -> None:
        self._failed = failed
        self._listeners: list[InputListener] = []
        self.editor_factory: Callable[..., Any] | None = None
        self.editor_component: Any = None
        self.completion_factories: list[Callable[..., Any]] = []

    def clear(self) -> None:
        """The extensions go."""
        self._listeners.clear()
        self.editor_factory = self.editor_component = None
        self.completion_factories.clear()

    # raw input

    def listen(self, listener: InputListener) -> Callable[[], None]:
        """Show every key and paste to a function first; what is returned takes it off again."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    @property
    def listening(self) -> bool:
        """Whether anybody wants to see what is typed."""
        return bool(self._listeners)

    def heard(self, data: str) -> str:
        """What is left of an input once all listeners saw it; `CONSUMED` if one took it.

        A listener takes an input by True or `{"consume": True}`, and puts another in its place by
        `{"data": text}`; the next one sees that.
        """
        for listener in tuple(self._listeners):
            try:
                answer = listener(data)
            except FAILURES as error:  # a key must arrive whatever a listener does
                pass_interrupt(error)
                self._failed("on_terminal_input", error)
                continue
            if answer is True or (isinstance(answer, Mapping) and answer.get("consume")):
                return CONSUMED
            if isinstance(answer, Mapping) and isinstance(answer.get("data"), str):
                data = typed(answer["data"])
        return data

    # the editor

    def takes_key(self, key: str, editor: Any) -> bool:
        """Whether the editor's component dealt with a key."""
        handle = getattr(self.editor_component, "handle_input", None)
        if not callable(handle):
            return False
        try:
            return bool(handle(key, editor))
        except FAILURES as error:  # typing goes on without the component
            pass_interrupt(error)
            self.editor_component = self.editor_factory = None
            self._failed("set_editor_component", error)
            return False
