"""The user interface that extensions are handed: dialogs on top of the conversation, displays in its slots.

Everything that an extension puts there is gone when it goes; see `Stage.reset`.

Touches: the screen.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textual.widget import Widget

from hookspecs.ui import Placement, Severity
from pi_core.clean import clean_line
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.modes.tui.budget import cut
from pi_core.modes.tui.component import Handle, widget_for
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.component import ComponentScreen
from pi_core.modes.tui.dialogs.questions import ConfirmDialog, InputDialog
from pi_core.modes.tui.dialogs.writing import EditorDialog
from pi_core.modes.tui.stage import Stage
from pi_core.modes.tui.style.palette import Palette

FRAME_MS = 80
"""How long a frame of an indicator stands where its author says nothing."""


class TuiUI:
    """Implements `UI` over the application."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def can(self, method: str) -> bool:
        """Everything works here that there is."""
        return not method.startswith("_") and callable(getattr(type(self), method, None))

    # dialogs

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None:
        """One of the options; None if nobody chose in time."""
        offered = [str(option) for option in options]
        if not offered or _over(timeout_s):
            return None
        choices = [Choice(option, option) for option in offered]
        return await self._stage.asking.ask(
            ChoiceDialog(cut(title), choices, limit_s=timeout_s), signal=signal
        )

    async def confirm(
        self,
        title: str,
        message: str = "",
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> bool:
        """True only if the person says so."""
        if _over(timeout_s):
            return False
        dialog = ConfirmDialog(cut(title), cut(message), limit_s=timeout_s)
        return await self._stage.asking.ask(dialog, signal=signal) is True

    async def input(
        self,
        title: str,
        placeholder: str | None = None,
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None:
        """A line, which may be empty; None if nobody sent one."""
        if _over(timeout_s):
            return None
        return await self._stage.asking.ask(InputDialog(title, placeholder, limit_s=timeout_s), signal=signal)

    async def editor(self, title: str, prefill: str = "", *, strict: bool = False) -> str | None:
        """The text as it was sent; None if it was left."""
        return await self._stage.asking.ask(EditorDialog(title, prefill))

    async def custom(self, factory: Callable[..., Any], **options: Any) -> Any:
        """Let a component have the keyboard until it calls `done(answer)`.

        The factory is called as `factory(tui, theme, keybindings, done)`, may be a coroutine function, and
        returns a component; see `pi_core.modes.tui.component`. With `overlay=True` it stands over the
        conversation, placed by `overlay_options`. Raises what the factory raises.
        """
        handle = Handle()
        screens: list[ComponentScreen] = []
        early: list[Any] = []

        def done(answer: Any = None) -> None:
            if screens and screens[0].is_attached and screens[0].is_current:
                screens[0].dismiss(answer)
            elif not early:
                early.append(answer)

        made = await _awaited(factory(handle, self.theme, self._stage.keys, done))
        if early:
            return early[0]
        widget = widget_for("ui.custom", made, self._stage.look, self._stage.failed)
        handle.attach(widget)
        place = options.get("overlay_options") or options.get("overlayOptions")
        screen = ComponentScreen(
            widget,
            overlay=bool(options.get("overlay")),
            place=place if isinstance(place, Mapping) else None,
        )
        screens.append(screen)
        return await self._stage.asking.ask(screen)

    # words and places

    def notify(self, message: str, level: Severity = "info") -> None:
        """A sentence in the log."""
        self._stage.desk.tell(cut(str(message)), level)

    def set_status(self, key: str, text: str | None) -> None:
        """A status in the footer."""
        self._stage.footer.set_status(key, None if text is None else cut(str(text)))

    def set_widget(self, key: str, content: Any, *, placement: Placement = "above") -> None:
        """Something above or below the editor; the same key moves with its place.

        Lines, a text, anything that rich can show, a Textual widget, or a factory `(tui, theme)`.
        """
        slots = self._stage.slots
        for place in ("above", "below"):
            if place != placement or content is None:
                slots.set(place, key, None)
        if content is not None:
            slots.set(placement, key, self._made(f"the widget {key}", content))

    def set_header(self, factory: Callable[..., Any] | None) -> None:
        """Something above the conversation; None takes it away."""
        self._stage.slots.set("header", "header", self._made("the header", factory))

    def set_footer(self, factory: Callable[..., Any] | None) -> None:
        """Something in place of the footer; None brings that back."""
        self._stage.slots.set("footer", "footer", self._made("the footer", factory))
        self._stage.footer.display = factory is None

    def set_title(self, title: str) -> None:
        """The title of the terminal's window."""
        self._stage.desk.set_title(clean_line(cut(str(title))))

    def _made(self, name: str, content: Any) -> Any:
        """What a factory makes, under guard; other content as it is. A factory that fails is a sentence."""
        if isinstance(content, Widget):
            return widget_for(name, content, self._stage.look, self._stage.failed)
        if content is None or not callable(content):
            return content
        handle = Handle()
        try:
            made = content(handle, self.theme)
        except FAILURES as error:  # reported, and named where it would stand
            pass_interrupt(error)
            self._stage.failed(name, error)
            return f"{name} cannot be shown: {type(error).__name__}: {error}"
        widget = widget_for(name, made, self._stage.look, self._stage.failed)
        handle.attach(widget)
        return widget

    # while something goes on

    def set_working_message(self, message: str | None = None) -> None:
        """Other words while something goes on; None brings the usual ones back."""
        self._stage.working.message = None if message is None else str(message)
        self._stage.working.show()

    def set_working_visible(self, visible: bool) -> None:
        """Whether it is shown at all that something goes on."""
        self._stage.working.visible_to_person = bool(visible)
        self._stage.working.show()

    def set_working_indicator(self, options: Any = None) -> None:
        """Other frames: `{"frames": […], "interval_ms": 80}`, an empty list for none; None is the usual."""
        working = self._stage.working
        if not isinstance(options, Mapping):
            working.frames, working.frame_s = type(working).usual_frames()
        else:
            working.frames = [str(frame) for frame in options.get("frames") or ()]
            interval = options.get("interval_ms", options.get("intervalMs", FRAME_MS))
            working.frame_s = max(20, interval if isinstance(interval, int | float) else FRAME_MS) / 1000
        working.show()

    def set_hidden_thinking_label(self, label: str | None = None) -> None:
        """What stands for thoughts that are folded; None is the usual word."""
        self._stage.look.label_thinking(label)
        self._stage.log.restyle()

    # the editor

    def paste_to_editor(self, text: str) -> None:
        """At the cursor."""
        self._stage.editor.paste_text(text)

    def set_editor_text(self, text: str) -> None:
        """In place of what stands there."""
        self._stage.editor.put(text)

    def get_editor_text(self) -> str:
        """With the pastes in it."""
        return self._stage.editor.whole_text

    def add_autocomplete_provider(self, factory: Callable[..., Any]) -> None:
        """Propose more while the person types. `factory(proposals)` gets the function that proposes so far,
        `(text, cursor) -> list`, and returns one of the same kind in its place."""
        self._stage.extras.completion_factories.append(factory)

    def set_editor_component(self, factory: Callable[..., Any] | None) -> None:
        """Let an object see every key first: `factory(tui, theme, keybindings)` returns one with
        `handle_input(key, editor) -> bool`, True for a key that it dealt with. None takes it away."""
        extras = self._stage.extras
        extras.editor_factory = factory
        extras.editor_component = None
        if factory is not None:
            handle = Handle()
            handle.attach(self._stage.editor)
            try:
                extras.editor_component = factory(handle, self.theme, self._stage.keys)
            except FAILURES as error:  # typing goes on without it
                pass_interrupt(error)
                extras.editor_factory = None
                self._stage.failed("set_editor_component", error)

    def get_editor_component(self) -> Callable[..., Any] | None:
        """The factory in force."""
        return self._stage.extras.editor_factory

    def on_terminal_input(self, handler: Callable[[str], Any]) -> Callable[[], None]:
        """Show every key and paste to a function first; see `Extras.heard` for what it may answer."""
        return self._stage.extras.listen(handler)

    # the look

    @property
    def theme(self) -> Any:
        """The colours in force; `theme.fg(token, text)` is a text in one of them."""
        return self._stage.look.palette

    def get_all_themes(self) -> Sequence[Any]:
        """The names of all themes, built-in ones first."""
        return tuple(self._stage.wardrobe.names)

    def get_theme(self, name: str) -> Any:
        """A theme by its name, or None."""
        return self._stage.wardrobe.get(name)

    def set_theme(self, theme: Any) -> Any:
        """Use a theme, by its name or as `get_theme` gave it. A name is remembered for the next time."""
        palette = theme if isinstance(theme, Palette) else self._stage.wardrobe.get(str(theme))
        if palette is None:
            known = ", ".join(self._stage.wardrobe.names)
            return {"success": False, "error": f"There is no theme {theme!r}; there are {known}."}
        self._stage.desk.use_palette(palette)
        if not isinstance(theme, Palette):
            self._stage.wardrobe.remember(palette.name)
        return {"success": True}

    def get_tools_expanded(self) -> bool:
        """Whether all of what tools did is shown."""
        return self._stage.look.tools_expanded

    def set_tools_expanded(self, expanded: bool) -> None:
        """Show all of what tools did, or the head of it."""
        self._stage.look.expand_tools(bool(expanded))
        self._stage.log.restyle()


def _over(timeout_s: float | None) -> bool:
    """Whether there is no time to answer."""
    return timeout_s is not None and timeout_s <= 0


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
