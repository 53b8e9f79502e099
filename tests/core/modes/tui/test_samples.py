"""Sample packages in the interactive mode: they prove what extensions can do to the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_core.modes.tui.dialogs.component import ComponentScreen
from pi_core.modes.tui.dialogs.questions import ConfirmDialog
from tests.support.tui import tui

SAMPLES = Path(__file__).resolve().parents[4] / "sample-packages"


def uses(folder: Path, *samples: str) -> None:
    """Name samples in the settings of the person whose folder it is."""
    (folder / "agent").mkdir(parents=True, exist_ok=True)
    listed = ", ".join(f'"{SAMPLES / sample}"' for sample in samples)
    (folder / "agent" / "settings.toml").write_text(f"packages = [{listed}]\n", encoding="utf-8")


async def test_chrome_dresses_the_terminal(tmp_path: Path) -> None:
    """Header, widget, status and footer stand where they belong, and can be switched off."""
    uses(tmp_path, "chrome")
    async with tui(tmp_path) as used:
        await used.say("run: echo hello")
        shown = used.shown
        assert shown.index("π project") < shown.index("hello") < shown.index("$ echo hello")
        assert "· 2 turns" in shown
        await used.say("/chrome header")
        await used.say("/chrome footer")
        assert "π project" not in used.shown
        assert "2 turns" in used.shown  # the status, in our own footer again


async def test_plan_mode_goes_its_way(tmp_path: Path) -> None:
    """On by its command, a plan above the editor, a question, and the steps ticked off."""
    uses(tmp_path, "plan-mode")
    script = ["Plan:\n1. Write a test\n2. Make it pass", "Both. [DONE:1] [DONE:2]"]
    async with tui(tmp_path, script=script) as used:
        await used.say("/plan")
        await used.until(lambda: "plan mode" in used.shown)
        used.app.editor.put("add a flag")
        await used.pilot.press("enter")
        await used.until(lambda: isinstance(used.app.screen, ConfirmDialog))
        await used.pilot.press("y")
        await used.until(lambda: "✓ 2. Make it pass" in used.shown)
        await used.idle()
        assert "plan mode" not in used.shown


async def test_snake_is_played(tmp_path: Path) -> None:
    """It has the keyboard, moves by itself, and gives the screen back."""
    uses(tmp_path, "snake")
    async with tui(tmp_path, size=(100, 40)) as used:
        used.app.editor.put("/snake 1")
        await used.pilot.press("enter")
        await used.until(lambda: isinstance(used.app.screen, ComponentScreen))
        await used.until(lambda: "score 0" in used.shown)
        first = used.shown
        await used.until(lambda: used.shown != first)
        await used.pilot.press("q")
        await used.until(lambda: len(used.app.screen_stack) == 1)


async def test_the_modal_editor_types_only_when_it_should(tmp_path: Path) -> None:
    """Letters are commands first; the mode stands in the footer."""
    uses(tmp_path, "modal-editor")
    async with tui(tmp_path) as used:
        await used.until(lambda: "-- NORMAL --" in used.shown)
        await used.pilot.press("x", "i", "h", "i", "escape", "0", "x")
        assert "i" == used.app.editor.text
        await used.pilot.press("A", "!", "enter")
        await used.until(lambda: used.app.editor.text == "")


@pytest.mark.parametrize("size", [(40, 10), (300, 80)])
async def test_they_fit_every_terminal(tmp_path: Path, size: tuple[int, int]) -> None:
    """All four at once, on the smallest and on the largest: the editor is in sight."""
    uses(tmp_path, "chrome", "plan-mode", "snake", "modal-editor")
    async with tui(tmp_path, size=size) as used:
        region = used.app.editor.region
        assert 0 < region.y < size[1]
