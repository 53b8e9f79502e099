"""`/tools`: which tools the model is offered.

Touches: the screen, the session.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice
from pi_core.modes.tui.dialogs.toggles import OFF, ON, ToggleDialog
from pi_core.modes.tui.here import Here


class ToolCommands:
    """Switches tools of the session of the moment."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        return (BuiltinCommand(name="tools", run=self.tools, description="switch tools on and off"),)

    async def tools(self, desk: Desk, _: str) -> None:
        """Every tool, to be switched, until the list is left."""
        if self._rows():
            await desk.open_dialog(ToggleDialog("Tools", self._rows, self._switch))
        else:
            desk.tell("This session has no tools.")

    def _rows(self) -> list[Choice[str]]:
        toolset = self._here.session.parts.toolset
        active = set(toolset.active_names)
        return [
            Choice(
                tool.name,
                tool.name,
                ("" if toolset.is_builtin(tool.name) else "extension · ")
                + tool.description.partition("\n")[0],
                ON if tool.name in active else OFF,
            )
            for tool in toolset.all()
        ]

    def _switch(self, name: str) -> None:
        session = self._here.session
        toolset = session.parts.toolset
        active = list(toolset.active_names)
        if name in active:
            active.remove(name)
        else:
            active.append(name)
        toolset.set_active(active)
        session.refresh()
