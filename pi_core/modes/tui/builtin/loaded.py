"""`/extensions` and `/reload`: what is loaded and from where, switching it, and loading it anew.

Touches: the screen, settings files, and whatever extensions touch when they load.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice
from pi_core.modes.tui.dialogs.toggles import OFF, ON, ToggleDialog
from pi_core.modes.tui.here import Here
from pi_core.modes.tui.welcome import extension_name
from pi_pkg import PackageError, Resource, Wish, groups_of, person, resolved, switch, token_of
from pi_pkg import read_settings as settings_in

_SCOPES: Final = {"user": "yours", "project": "project", "environment": "beside pi", "temporary": "this run"}
BLOCKED: Final = "✕"


class LoadedCommands:
    """Switches packages and resources; what was switched counts after a reload."""

    def __init__(self, here: Here) -> None:
        self._here = here
        self._changed = False

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        return (
            BuiltinCommand(
                name="extensions",
                run=self.extensions,
                description="extensions, skills, prompts and themes: where they are from, and switches",
            ),
            BuiltinCommand(
                name="reload",
                run=self.reload,
                description="load extensions, settings, skills, prompts, themes and keys anew",
            ),
        )

    async def reload(self, desk: Desk, _: str) -> None:
        """As soon as nothing goes on. Raises: SettingsError, TrustError, AgentError."""
        await reload_here(self._here)

    async def extensions(self, desk: Desk, _: str) -> None:
        """The list, to be switched. If something was, everything is loaded anew. Raises: as `reload`."""
        self._changed = False
        if not self._rows():
            desk.tell("Nothing is installed: pi install SOURCE adds a package.")
            return
        await desk.open_dialog(ToggleDialog("Extensions and more", self._rows, self._switch, search=True))
        if self._changed:
            await reload_here(self._here)

    def _rows(self) -> list[Choice[Resource]]:
        here = self._here
        settings = settings_in(here.places, trusted=here.session.parts.trusted)
        found = resolved(here.places, settings)
        return [
            self._row(item, group.source if group.is_package else "")
            for group in groups_of(found)
            for item in group.resources
        ]

    def _row(self, item: Resource, package: str) -> Choice[Resource]:
        facts = [item.type, _SCOPES.get(item.provenance.scope, item.provenance.scope)]
        if package:
            facts.append(package)
        facts.append(self._place(item.path))
        if item.rule and not item.enabled:
            facts.append(item.rule)
        mark = BLOCKED if item.blocked else ON if item.enabled else OFF
        return Choice(item.name or extension_name(item.path), item, " · ".join(facts), mark)

    def _place(self, path: str) -> str:
        home = str(self._here.locations.home) + os.sep
        return "~/" + path.removeprefix(home) if path.startswith(home) else path

    def _switch(self, item: Resource) -> None:
        here = self._here
        project = item.provenance.scope == "project"
        wish = Wish(token_of(item), not item.enabled)
        by = person(here.environ)
        try:
            outcomes = switch(here.places, [wish], project=project, by=by)
        except PackageError as error:
            here.desk.tell(str(error), "error")
            return
        for outcome in outcomes:
            if outcome.error is not None:
                self._here.stage.editor.app.notify(str(outcome.error), severity="warning", markup=False)
            elif outcome.did != "unchanged":
                self._changed = True


async def reload_here(here: Here) -> None:
    """Reload, and say what is there afterwards. Raises: SettingsError, TrustError, AgentError."""
    here.desk.tell("Reloading…")
    await here.desk.runtime.reload()
    here.desk.tell(f"Reloaded: {', '.join(counted(here))}.")


def counted(here: Here) -> Iterator[str]:
    """How many there are of each kind."""
    parts = here.session.parts
    commands = parts.system.commands()
    for count, one, many in (
        (len(parts.runner.registry.extensions), "extension", "extensions"),
        (sum(command.kind == "skill" for command in commands), "skill", "skills"),
        (sum(command.kind == "prompt" for command in commands), "prompt", "prompts"),
        (len(parts.generation.themes), "theme file", "theme files"),
    ):
        yield f"{count} {one if count == 1 else many}"
