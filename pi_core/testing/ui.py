"""A person made of prepared answers, who remembers everything that was said and shown.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any

from hookspecs.ui import Placement, Severity
from hookspecs.values import dataclass
from pi_core.extensions.headless import HeadlessUI


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a method of the UI: its name and its arguments as they came."""

    method: str
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


class RecordingUI(HeadlessUI):
    """Answers dialogs from lists, the first item first; with nothing left, as a person who cancels.

    An answer may be a function of the dialog's title. `calls` holds every call in order; `statuses`
    and `widgets` what stands in the keyed slots; `editor_text` the text of the prompt.
    """

    def __init__(
        self,
        *,
        select: Iterable[Any] = (),
        confirm: Iterable[Any] = (),
        input: Iterable[Any] = (),
        editor: Iterable[Any] = (),
        custom: Iterable[Any] = (),
    ) -> None:
        super().__init__("tui")
        self.calls: list[Call] = []
        self.statuses: dict[str, str] = {}
        self.widgets: dict[str, Any] = {}
        self.title: str | None = None
        self.editor_text = ""
        self.tools_expanded = False
        self._editor_component: Callable[..., Any] | None = None
        self._listeners: list[Callable[[str], Any]] = []
        self._answers = {
            "select": list(select),
            "confirm": list(confirm),
            "input": list(input),
            "editor": list(editor),
            "custom": list(custom),
        }

    def can(self, method: str) -> bool:
        """Everything works."""
        return True

    @property
    def notices(self) -> list[str]:
        """The texts of all notices, in order."""
        return [call.args[0] for call in self.calls if call.method == "notify"]

    @property
    def asked(self) -> list[str]:
        """The titles of all dialogs, in order."""
        return [call.args[0] for call in self.calls if call.method in self._answers and call.args]

    def _note(self, method: str, *args: Any, **options: Any) -> None:
        self.calls.append(Call(method, args, options))

    def _answer(self, method: str, title: Any, default: Any) -> Any:
        waiting = self._answers[method]
        answer = waiting.pop(0) if waiting else default
        return answer(title) if callable(answer) else answer

    async def select(self, title: str, options: Sequence[str], **how: Any) -> str | None:
        """The next prepared choice."""
        self._note("select", title, list(options), **how)
        chosen: str | None = self._answer("select", title, None)
        return chosen

    async def confirm(self, title: str, message: str = "", **how: Any) -> bool:
        """The next prepared yes or no."""
        self._note("confirm", title, message, **how)
        return bool(self._answer("confirm", title, False))

    async def input(self, title: str, placeholder: str | None = None, **how: Any) -> str | None:
        """The next prepared line."""
        self._note("input", title, placeholder, **how)
        typed: str | None = self._answer("input", title, None)
        return typed

    async def editor(self, title: str, prefill: str = "", *, strict: bool = False) -> str | None:
        """The next prepared text."""
        self._note("editor", title, prefill)
        written: str | None = self._answer("editor", title, None)
        return written

    async def custom(self, factory: Callable[..., Any], **options: Any) -> Any:
        """The next prepared result; the factory is not called."""
        self._note("custom", factory, **options)
        return self._answer("custom", factory, None)

    def notify(self, message: str, level: Severity = "info") -> None:
        """Remember a notice."""
        self._note("notify", message, level)

    def set_status(self, key: str, text: str | None) -> None:
        """Fill or clear a slot of the footer."""
        self._note("set_status", key, text)
        if text is None:
            self.statuses.pop(key, None)
        else:
            self.statuses[key] = text

    def set_widget(self, key: str, content: Any, *, placement: Placement = "above") -> None:
        """Fill or clear a widget."""
        self._note("set_widget", key, content, placement=placement)
        if content is None:
            self.widgets.pop(key, None)
        else:
            self.widgets[key] = content

    def set_title(self, title: str) -> None:
        """Remember the title."""
        self._note("set_title", title)
        self.title = title

    def set_editor_text(self, text: str) -> None:
        """Replace the prompt's text."""
        self._note("set_editor_text", text)
        self.editor_text = text

    def paste_to_editor(self, text: str) -> None:
        """Add to the prompt's text."""
        self._note("paste_to_editor", text)
        self.editor_text += text

    def get_editor_text(self) -> str:
        """The prompt's text."""
        return self.editor_text

    def set_header(self, factory: Callable[..., Any] | None) -> None:
        """Remember what makes the header."""
        self._note("set_header", factory)

    def set_footer(self, factory: Callable[..., Any] | None) -> None:
        """Remember what makes the footer."""
        self._note("set_footer", factory)

    def set_working_message(self, message: str | None = None) -> None:
        """Remember the words."""
        self._note("set_working_message", message)

    def set_working_visible(self, visible: bool) -> None:
        """Remember whether it is shown."""
        self._note("set_working_visible", visible)

    def set_working_indicator(self, options: Any = None) -> None:
        """Remember the frames."""
        self._note("set_working_indicator", options)

    def set_hidden_thinking_label(self, label: str | None = None) -> None:
        """Remember the word."""
        self._note("set_hidden_thinking_label", label)

    def add_autocomplete_provider(self, factory: Callable[..., Any]) -> None:
        """Remember what proposes."""
        self._note("add_autocomplete_provider", factory)

    def set_editor_component(self, factory: Callable[..., Any] | None) -> None:
        """Remember what makes the component."""
        self._note("set_editor_component", factory)
        self._editor_component = factory

    def get_editor_component(self) -> Callable[..., Any] | None:
        """The factory in force."""
        return self._editor_component

    def on_terminal_input(self, handler: Callable[[str], Any]) -> Callable[[], None]:
        """Remember a listener; `type` lets it hear."""
        self._note("on_terminal_input", handler)
        self._listeners.append(handler)
        return lambda: self._listeners.remove(handler) if handler in self._listeners else None

    def type(self, *keys: str) -> None:
        """Let the listeners of the terminal hear keys."""
        for key in keys:
            for listener in tuple(self._listeners):
                listener(key)

    def set_theme(self, theme: Any) -> Any:
        """Remember the theme; it is there."""
        self._note("set_theme", theme)
        return {"success": True}

    def get_tools_expanded(self) -> bool:
        """Whether tool output is unfolded."""
        return self.tools_expanded

    def set_tools_expanded(self, expanded: bool) -> None:
        """Unfold or fold tool output."""
        self._note("set_tools_expanded", expanded)
        self.tools_expanded = expanded
