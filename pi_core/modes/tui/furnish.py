"""What makes an application complete: the program's own commands, the person's keys, proposals while typing.

All of it is loaded behind the first picture.

Touches: the screen, `keybindings.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pi_core.modes.tui.app import PiApp
from pi_core.modes.tui.builtin.about import AboutCommands
from pi_core.modes.tui.builtin.conversation import ConversationCommands
from pi_core.modes.tui.builtin.loaded import LoadedCommands
from pi_core.modes.tui.builtin.logins import LoginCommands
from pi_core.modes.tui.builtin.models import ModelCommands
from pi_core.modes.tui.builtin.replacing import ReplacingCommands
from pi_core.modes.tui.builtin.settings import SettingsCommands
from pi_core.modes.tui.builtin.tools import ToolCommands
from pi_core.modes.tui.builtin.trust import TrustCommands
from pi_core.modes.tui.builtin.writing import WritingCommands
from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.completion.completing import Completing
from pi_core.modes.tui.completion.popup import Popup
from pi_core.modes.tui.here import Here
from pi_core.modes.tui.keybindings import read_keybindings
from pi_core.modes.tui.shortcuts import ShortcutKeys, run_shortcut
from pi_core.session.session import Session
from pi_pkg import Locations

_ROOMS: Final = (
    ModelCommands,
    ToolCommands,
    ConversationCommands,
    ReplacingCommands,
    LoadedCommands,
    TrustCommands,
    SettingsCommands,
    LoginCommands,
    AboutCommands,
    WritingCommands,
)


def furnish(app: PiApp, locations: Locations, environ: Mapping[str, str]) -> Here:
    """Bring everything in, before the session is there."""
    here = Here(
        desk=app,
        stage=app.stage,
        commands=app.commands,
        shortcuts=ShortcutKeys(app.keys),
        locations=locations,
        show_again=app.show_again,
        refresh_facts=app.refresh_facts,
        environ=environ,
    )
    app.environ = environ
    for room in _ROOMS:
        for command in room(here).commands():
            app.commands.add(command)
    app.commands.add(BuiltinCommand(name="quit", run=lambda desk, _: desk.quit(), description="leave"))
    popup = Popup(app.look)
    completing = Completing(here, popup)
    keyboard = Keyboard(app, here)
    app.stage.signals.keys += [completing.take, keyboard.take]
    app.stage.signals.typed.append(completing.typed)
    app.stage.signals.dressed += [keyboard.read, lambda _: hang_up(popup, app)]
    return here


def hang_up(popup: Popup, app: PiApp) -> None:
    """The list of proposals has its place above the editor; once is enough."""
    if not popup.is_attached:
        app.screen_stack[0].mount(popup, before="#prompt-row")


class Keyboard:
    """The person's keys and those of extensions."""

    def __init__(self, app: PiApp, here: Here) -> None:
        self._app = app
        self._here = here

    def read(self, session: Session) -> None:
        """Read the file anew, see which shortcuts count, and tell what is wrong with either."""
        here, runner = self._here, session.parts.runner
        found = read_keybindings(here.locations.agent_dir)
        keys = here.stage.keys
        keys.use(found.overrides)
        usual = keys.keymap()
        by_settings = runner.registry.rules.keymap(usual)
        keys.use(
            {
                **found.overrides,
                **{name: by_settings[name] for name in usual if by_settings[name] != usual[name]},
            }
        )
        self._app.set_keymap(keys.textual_keymap())
        builtin = [command.name for command in here.commands.all()]
        clashes = runner.registry.clashes(builtin_commands=builtin)
        hidden = [clash.diagnostic() for clash in clashes if clash.kind == "builtin-command"]
        for finding in (*found.findings, *here.shortcuts.read(runner), *hidden):
            session.parts.channel.report(finding)

    def take(self, key: str) -> bool:
        """Set a shortcut off. In dialogs, and in the search, keys are theirs."""
        shortcut = self._here.shortcuts.find(key)
        if shortcut is None or not self._here.writes or self._app.attached is None:
            return False
        runner = self._here.session.parts.runner
        self._app.start(run_shortcut(shortcut, runner), f"shortcut {shortcut.key}")
        return True
