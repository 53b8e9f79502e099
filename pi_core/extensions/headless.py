"""The user interface of a run without a person: displays do nothing, dialogs answer no.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hookspecs.context import Mode
from hookspecs.ui import Placement, Severity, UIUnavailable


class HeadlessUI:
    """Answers every dialog at once: `confirm` with False, the others with None."""

    theme: Any = None

    def __init__(self, mode: Mode = "print") -> None:
        self._mode = mode

    def can(self, method: str) -> bool:
        """Nothing here reaches a person."""
        return False

    def _refuse(self, method: str, strict: bool) -> None:
        if strict:
            raise UIUnavailable(method, self._mode)

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None:
        """None: nobody chose."""
        self._refuse("select", strict)
        return None

    async def confirm(
        self,
        title: str,
        message: str = "",
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> bool:
        """False: nobody agreed."""
        self._refuse("confirm", strict)
        return False

    async def input(
        self,
        title: str,
        placeholder: str | None = None,
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None:
        """None: nobody typed."""
        self._refuse("input", strict)
        return None

    async def editor(self, title: str, prefill: str = "", *, strict: bool = False) -> str | None:
        """None: nobody wrote."""
        self._refuse("editor", strict)
        return None

    async def custom(self, factory: Callable[..., Any], **options: Any) -> Any:
        """None: there is no screen for it; the factory is not called."""
        self._refuse("custom", bool(options.get("strict")))
        return None

    def notify(self, message: str, level: Severity = "info") -> None:
        """Nobody reads it."""

    def set_status(self, key: str, text: str | None) -> None:
        """No footer."""

    def set_widget(self, key: str, content: Any, *, placement: Placement = "above") -> None:
        """No screen."""

    def set_header(self, factory: Callable[..., Any] | None) -> None:
        """No screen."""

    def set_footer(self, factory: Callable[..., Any] | None) -> None:
        """No screen."""

    def set_title(self, title: str) -> None:
        """No terminal."""

    def set_working_message(self, message: str | None = None) -> None:
        """No screen."""

    def set_working_visible(self, visible: bool) -> None:
        """No screen."""

    def set_working_indicator(self, options: Any = None) -> None:
        """No screen."""

    def set_hidden_thinking_label(self, label: str | None = None) -> None:
        """No screen."""

    def paste_to_editor(self, text: str) -> None:
        """No editor."""

    def set_editor_text(self, text: str) -> None:
        """No editor."""

    def get_editor_text(self) -> str:
        """No editor, no text."""
        return ""

    def add_autocomplete_provider(self, factory: Callable[..., Any]) -> None:
        """No editor."""

    def set_editor_component(self, factory: Callable[..., Any] | None) -> None:
        """No editor."""

    def get_editor_component(self) -> Callable[..., Any] | None:
        """No editor."""
        return None

    def on_terminal_input(self, handler: Callable[[str], Any]) -> Callable[[], None]:
        """No terminal; what is returned does nothing."""
        return lambda: None

    def get_all_themes(self) -> Sequence[Any]:
        """No themes."""
        return ()

    def get_theme(self, name: str) -> Any:
        """No themes."""
        return None

    def set_theme(self, theme: Any) -> Any:
        """Says why nothing happened."""
        return {"success": False, "error": "UI not available"}

    def get_tools_expanded(self) -> bool:
        """Nothing is shown."""
        return False

    def set_tools_expanded(self, expanded: bool) -> None:
        """Nothing is shown."""
