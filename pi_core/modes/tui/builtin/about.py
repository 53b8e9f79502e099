"""`/help`, `/hotkeys` and `/diagnostics`: what can be typed, what the keys do, and what went wrong.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from pi_core.clean import clean
from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.panel import PanelDialog
from pi_core.modes.tui.here import Here
from pi_core.modes.tui.keybindings import FILE_NAME
from pi_core.modes.tui.keys import actions
from pi_core.modes.tui.welcome import extension_name
from pi_pkg import Diagnostic

_PLACES = {
    "search": "search",
    "list": "lists",
    "sessions": "conversations",
    "models": "models",
    "tree": "tree",
}
_WORST_FIRST = ("error", "warning", "info")
_MARKS = {"error": "✕", "warning": "!", "info": "·"}


class AboutCommands:
    """Shows, and changes nothing."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        return (
            BuiltinCommand(name="help", run=self.help, description="every command, to choose from"),
            BuiltinCommand(name="hotkeys", run=self.hotkeys, description="what every key does"),
            BuiltinCommand(
                name="diagnostics",
                run=self.diagnostics,
                description="what is wrong with packages, extensions and settings",
            ),
        )

    async def help(self, desk: Desk, _: str) -> None:
        """All commands; one that is chosen comes into the editor, to be sent or completed."""
        rows = [Choice(f"/{item.name}", item.name, item.description) for item in self._here.commands.all()]
        parts = self._here.session.parts
        known = {item.name for item in self._here.commands.all()}
        others = {item.invocation: item.definition.description for item in parts.runner.registry.commands()}
        others |= {item.name: item.description for item in parts.system.commands()}
        rows += [Choice(f"/{name}", name, about or "") for name, about in others.items() if name not in known]
        said = "@ mentions a file, ! runs a command, /hotkeys lists the keys."
        chosen = await desk.open_dialog(ChoiceDialog("Commands", rows, said, search=True))
        if chosen is not None:
            self._here.stage.editor.put(f"/{chosen} ")

    async def hotkeys(self, desk: Desk, _: str) -> None:
        """The keys in effect, those of extensions first."""
        rows = [
            Choice(
                shortcut.key,
                shortcut.key,
                f"{shortcut.definition.description or shortcut.definition.action_id or ''} "
                f"({extension_name(shortcut.extension.path)})".strip(),
            )
            for shortcut in self._here.shortcuts.all()
        ]
        keys = self._here.stage.keys
        for action in actions():
            named = " ".join(keys.of(action.id)) or "(no key)"
            place = f" · in {_PLACES[action.where]}" if action.where in _PLACES else ""
            rows.append(Choice(named, action.id, f"{action.description} · {action.id}{place}"))
        said = f"Your own: {self._here.locations.agent_dir / FILE_NAME}"
        await desk.open_dialog(ChoiceDialog("Keys", rows, said, search=True))

    async def diagnostics(self, desk: Desk, _: str) -> None:
        """What was found, the worst first; one that is chosen is told in full."""
        found = sorted(self._here.session.diagnostics, key=lambda item: _WORST_FIRST.index(item.severity))
        if not found:
            desk.tell("Nothing is wrong.")
            return
        at = 0
        while True:
            rows = [
                Choice(item.message, place, f"{item.code} · {item.stage}", _MARKS.get(item.severity, "·"))
                for place, item in enumerate(found)
            ]
            chosen = await desk.open_dialog(ChoiceDialog("Diagnostics", rows, start=at, search=True))
            if chosen is None:
                return
            at = chosen
            await desk.open_dialog(PanelDialog(found[at].code, told_in_full(found[at])))


def told_in_full(finding: Diagnostic) -> Text:
    """Everything that is known about a finding."""
    facts = [
        ("severity", finding.severity),
        ("stage", finding.stage),
        ("source", finding.source),
        ("scope", finding.scope),
        ("path", finding.path),
    ]
    lines = [f"{name}: {value}" for name, value in facts if value]
    parts = [finding.message, finding.hint, "\n".join(lines), finding.detail]
    return Text(clean("\n\n".join(part for part in parts if part)))
