"""What an extension can ask of the person and show to them, the same in every mode.

Where there is no screen, or a dialog is cancelled, times out or is aborted,
`confirm` answers False and the other dialogs None; displays do nothing. With
`strict=True` a dialog raises `UIUnavailable` where nobody can be asked.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

Severity: TypeAlias = Literal["info", "warning", "error"]
Placement: TypeAlias = Literal["above", "below"]


class UIUnavailable(RuntimeError):
    """A dialog was asked for with `strict=True` where nobody can answer it."""

    def __init__(self, method: str, mode: str) -> None:
        self.method = method
        self.mode = mode
        super().__init__(
            f"ui.{method} needs a person and this session runs in {mode} mode; ask ui.can({method!r}) first"
        )


class Dialogs(Protocol):
    """The four dialogs and the notice: all that a trust handler gets. Times are in seconds."""

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None: ...

    async def confirm(
        self,
        title: str,
        message: str = "",
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> bool: ...

    async def input(
        self,
        title: str,
        placeholder: str | None = None,
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None: ...

    def notify(self, message: str, level: Severity = "info") -> None: ...


class UI(Dialogs, Protocol):
    """The whole user interface. Keyed slots: the same key replaces, None clears."""

    def can(self, method: str) -> bool:
        """Whether this method does something in the present mode."""
        ...

    async def editor(self, title: str, prefill: str = "", *, strict: bool = False) -> str | None: ...

    async def custom(self, factory: Callable[..., Any], **options: Any) -> Any: ...

    def set_status(self, key: str, text: str | None) -> None: ...

    def set_widget(self, key: str, content: Any, *, placement: Placement = "above") -> None: ...

    def set_header(self, factory: Callable[..., Any] | None) -> None: ...

    def set_footer(self, factory: Callable[..., Any] | None) -> None: ...

    def set_title(self, title: str) -> None: ...

    def set_working_message(self, message: str | None = None) -> None: ...

    def set_working_visible(self, visible: bool) -> None: ...

    def set_working_indicator(self, options: Any = None) -> None: ...

    def set_hidden_thinking_label(self, label: str | None = None) -> None: ...

    def paste_to_editor(self, text: str) -> None: ...

    def set_editor_text(self, text: str) -> None: ...

    def get_editor_text(self) -> str: ...

    def add_autocomplete_provider(self, factory: Callable[..., Any]) -> None: ...

    def set_editor_component(self, factory: Callable[..., Any] | None) -> None: ...

    def get_editor_component(self) -> Callable[..., Any] | None: ...

    def on_terminal_input(self, handler: Callable[[str], Any]) -> Callable[[], None]: ...

    @property
    def theme(self) -> Any: ...

    def get_all_themes(self) -> Sequence[Any]: ...

    def get_theme(self, name: str) -> Any: ...

    def set_theme(self, theme: Any) -> Any: ...

    def get_tools_expanded(self) -> bool: ...

    def set_tools_expanded(self, expanded: bool) -> None: ...
