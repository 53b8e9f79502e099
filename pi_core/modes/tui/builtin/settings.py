"""`/settings` and `/theme`: what people change often. Each change is written to the user's file at once.

Touches: the screen, the user's settings file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.toggles import ToggleDialog
from pi_core.modes.tui.here import Here

_YES_NO: Final[tuple[Any, ...]] = (True, False)
_QUEUES: Final[tuple[Any, ...]] = ("one-at-a-time", "all")


@dataclass(frozen=True, slots=True)
class Offered:
    """A setting in the list. The first of its `values` holds while nothing is set; `live` counts at once."""

    path: tuple[str, ...]
    about: str
    values: tuple[Any, ...] = _YES_NO
    live: bool = False

    @property
    def name(self) -> str:
        """As it stands in the file."""
        return ".".join(self.path)


OFFERED: Final = (
    Offered(("compaction", "enabled"), "summarise long conversations by themselves", live=True),
    Offered(("retry", "enabled"), "send failed requests again, if it may help", live=True),
    Offered(("steering-mode",), "messages that steer, in one turn", _QUEUES, live=True),
    Offered(("follow-up-mode",), "messages that follow, in one turn", _QUEUES, live=True),
    Offered(("ui", "hide-thinking"), "fold the model's thinking", live=True),
    Offered(("ui", "quiet-startup"), "start without the list of what was loaded", (False, True)),
    Offered(("branch-summary", "skip-prompt"), "leave a branch without a question", (False, True)),
    Offered(("images", "auto-resize"), "make large images smaller"),
    Offered(("images", "block-images"), "keep images from the model", (False, True)),
    Offered(("enable-skill-commands",), "every skill is a command, too"),
    Offered(("default-project-trust",), "projects that nobody decided about", ("ask", "always", "never")),
)
THEME: Final = ("ui", "theme")


class SettingsCommands:
    """Changes settings while one goes on."""

    def __init__(self, here: Here) -> None:
        self._here = here
        self._chosen: dict[tuple[str, ...], Any] = {}
        self._later = False

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        return (
            BuiltinCommand(
                name="settings", run=self.settings, description="change what is changed most often"
            ),
            BuiltinCommand(
                name="theme",
                run=self.theme,
                description="choose the colours",
                complete=lambda _, typed: self._here.stage.wardrobe.names,
            ),
        )

    async def settings(self, desk: Desk, _: str) -> None:
        """The list; enter goes to the next value of a setting. Raises: SettingsError."""
        self._chosen.clear()
        self._later = False
        dialog = ToggleDialog("Settings", self._rows, self._next, str(self._here.locations.user_settings))
        await desk.open_dialog(dialog)
        if self._later:
            desk.tell("Some of it counts after /reload.")

    def _rows(self) -> list[Choice[Offered | None]]:
        rows: list[Choice[Offered | None]] = [
            Choice(f"{offered.name} = {shown(self._value(offered))}", offered, offered.about)
            for offered in OFFERED
        ]
        theme = self._here.stage.look.palette.name
        return [Choice(f"ui.theme = {theme}", None, "the colours"), *rows]

    def _value(self, offered: Offered) -> Any:
        if offered.path in self._chosen:
            return self._chosen[offered.path]
        session = self._here.session
        match offered.name:
            case "compaction.enabled":
                return session.auto_compaction_enabled
            case "retry.enabled":
                return session.controls.auto_retry_enabled
            case "steering-mode":
                return session.queue_modes[0]
            case "follow-up-mode":
                return session.queue_modes[1]
            case "ui.hide-thinking":
                return not self._here.stage.look.thinking_shown
            case _:
                return session.parts.settings.get(*offered.path, default=offered.values[0])

    async def _next(self, offered: Offered | None) -> None:
        if offered is None:
            await self.theme(self._here.desk, "")
            return
        present = self._value(offered)
        at = offered.values.index(present) + 1 if present in offered.values else 0
        value = offered.values[at % len(offered.values)]
        self._set(offered, value)
        self._chosen[offered.path] = value
        self._later = self._later or not offered.live

    def _set(self, offered: Offered, value: Any) -> None:
        session, stage = self._here.session, self._here.stage
        match offered.name:
            case "compaction.enabled":
                session.set_auto_compaction(value)
            case "retry.enabled":
                session.set_auto_retry(value)
            case "steering-mode":
                session.set_steering_mode(value)
            case "follow-up-mode":
                session.set_follow_up_mode(value)
            case _:
                session.parts.save_setting(offered.path, value)
        if offered.name == "ui.hide-thinking":
            stage.look.show_thinking(not value)
            stage.log.restyle()

    async def theme(self, desk: Desk, args: str) -> None:
        """The theme that is named, or the one that is chosen. Raises: SettingsError."""
        stage = self._here.stage
        name: str | None = args
        if not args:
            names = stage.wardrobe.names
            present = stage.look.palette.name
            rows = [Choice(name, name, "in use" if name == present else "") for name in names]
            start = names.index(present) if present in names else 0
            name = await desk.open_dialog(ChoiceDialog("Theme", rows, start=start))
        if name is None:
            return
        palette = stage.wardrobe.get(name)
        if palette is None:
            desk.tell(f"There is no theme {name!r}; there are {', '.join(stage.wardrobe.names)}.", "error")
            return
        desk.use_palette(palette)
        stage.wardrobe.remember(palette.name)


def shown(value: Any) -> str:
    """A value as a person reads it."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
