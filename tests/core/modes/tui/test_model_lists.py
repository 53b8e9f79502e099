"""The list of models asks the providers of extensions before it opens."""

from __future__ import annotations

from pathlib import Path

from pi_core.modes.tui.dialogs.choice import ChoiceDialog
from tests.core.modes.tui.test_commands import call, dialog
from tests.support.tui import tui

FRESH = """
    def extension(pi):
        pi.register_provider("house", {
            "baseUrl": "http://127.0.0.1:9", "api": "scripted", "models": [{"id": "old"}],
            "refreshModels": lambda: [{"id": "fresh"}],
        })
    """


async def test_the_list_has_what_providers_name_now(tmp_path: Path) -> None:
    """A model that only the provider's own list has can be chosen."""
    async with tui(tmp_path, extension=FRESH.replace("\n    ", "\n")) as used:
        await call(used, "/model")
        await dialog(used, ChoiceDialog)
        await used.pilot.press(*"fresh", "enter")
        await used.until(lambda: used.attached.runtime.session.model.id == "fresh")
