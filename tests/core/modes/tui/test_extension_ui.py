"""What extensions ask of the person and put on the screen: every method of the UI context, really shown."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from hookspecs.ui import UI
from pi_core.modes.tui.dialogs.choice import ChoiceDialog
from pi_core.modes.tui.dialogs.component import ComponentScreen
from pi_core.modes.tui.dialogs.questions import InputDialog
from tests.support.tui import Tui, tui


def ui_of(used: Tui) -> UI:
    """The UI that the extensions of the session are handed."""
    return used.attached.runtime.session.ui


async def asked(used: Tui, question: Any, *keys: str) -> Any:
    """The answer to a question, after these keys."""
    task = asyncio.ensure_future(question)
    await used.until(lambda: len(used.app.screen_stack) > 1 or task.done())
    await used.pilot.pause()
    await used.pilot.press(*keys)
    return await asyncio.wait_for(task, 10)


async def test_dialogs_are_answered_by_the_person(tmp_path: Path) -> None:
    """select, confirm, input and editor; leaving one is None, or False."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        assert "b" == await asked(used, ui.select("Which?", ["a", "b"]), "down", "enter")
        assert None is await asked(used, ui.select("Which?", ["a", "b"]), "escape")
        assert True is await asked(used, ui.confirm("Sure?", "really"), "y")
        assert False is await asked(used, ui.confirm("Sure?"), "escape")
        assert "hi" == await asked(used, ui.input("Name?"), "h", "i", "enter")
        assert "a!" == await asked(used, ui.editor("Edit", "a"), "!", "enter")


async def test_dialogs_stand_on_top_of_each_other(tmp_path: Path) -> None:
    """A second one does not take the first one's answer."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        first = asyncio.ensure_future(ui.select("First?", ["a", "b"]))
        await used.until(lambda: isinstance(used.app.screen, ChoiceDialog))
        assert "x" == await asked(used, ui.input("Second?"), *"x", "enter")
        await used.until(lambda: isinstance(used.app.screen, ChoiceDialog))
        await used.pilot.press("enter")
        assert "a" == await asyncio.wait_for(first, 10)


async def test_time_and_signals_end_a_dialog(tmp_path: Path) -> None:
    """Nobody's answer is no answer; a dialog whose time is over before it opens is not shown."""
    from pi_core.abort import AbortController

    async with tui(tmp_path) as used:
        ui = ui_of(used)
        assert None is await asyncio.wait_for(ui.select("Which?", ["a"], timeout_s=0.3), 10)
        assert False is await ui.confirm("Sure?", timeout_s=0)
        stop = AbortController()
        waiting = asyncio.ensure_future(ui.input("Name?", signal=stop.signal))
        await used.until(lambda: isinstance(used.app.screen, InputDialog))
        stop.abort()
        assert None is await asyncio.wait_for(waiting, 10)
        await used.until(lambda: len(used.app.screen_stack) == 1)


async def test_the_end_of_a_session_ends_its_dialogs(tmp_path: Path) -> None:
    """Reload and replacement take away all that extensions show, and whoever waits goes on."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        waiting = asyncio.ensure_future(ui.input("Name?"))
        await used.until(lambda: len(used.app.screen_stack) > 1)
        ui.set_status("s", "here")
        ui.set_widget("w", ["line"])
        ui.set_header(lambda tui, theme: "HEADER")
        await used.attached.runtime.reload()
        assert None is await asyncio.wait_for(waiting, 10)
        await used.until(lambda: len(used.app.screen_stack) == 1)
        await used.pilot.pause()
        assert not any(word in used.shown for word in ("here", "line\n", "HEADER"))


async def test_displays_stand_in_their_places(tmp_path: Path) -> None:
    """Header above, widgets around the editor, a footer in place of ours; None brings everything back."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        ui.set_header(lambda tui, theme: theme.fg("accent", "HEADER"))
        ui.set_widget("w", ["ABOVE"])
        ui.set_widget("v", "BELOW", placement="below")
        ui.set_footer(lambda tui, theme: ["FOOTER"])
        ui.set_status("s", "STATUS")
        await used.pilot.pause()
        shown = used.shown
        assert shown.index("HEADER") < shown.index("ABOVE") < shown.index("BELOW") < shown.index("FOOTER")
        assert "STATUS" not in shown
        ui.set_footer(None)
        ui.set_header(None)
        ui.set_widget("w", None)
        await used.pilot.pause()
        assert "STATUS" in used.shown
        assert not any(word in used.shown for word in ("HEADER", "ABOVE", "FOOTER"))


class Counter:
    """A component that counts keys."""

    def __init__(self, tui: Any, done: Any) -> None:
        self.keys: list[str] = []
        self.tui, self.done = tui, done

    def render(self, width: int) -> list[str]:
        return [f"keys: {' '.join(self.keys)}"]

    def handle_input(self, key: str) -> None:
        self.keys.append(key)
        if key == "q":
            self.done(self.keys)


@pytest.mark.parametrize("overlay", [False, True])
async def test_a_component_has_the_keyboard_until_it_is_done(tmp_path: Path, overlay: bool) -> None:
    """Keys arrive by their names; `done` is the answer, and the conversation is there again."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        task = asyncio.ensure_future(
            ui.custom(lambda tui, theme, keys, done: Counter(tui, done), overlay=overlay)
        )
        await used.until(lambda: isinstance(used.app.screen, ComponentScreen))
        await used.pilot.press("a", "up", "ctrl+x")
        await used.pilot.pause()
        assert "keys: a up ctrl+x" in used.shown
        await used.pilot.press("q")
        assert ["a", "up", "ctrl+x", "q"] == await asyncio.wait_for(task, 10)
        assert 1 == len(used.app.screen_stack)


async def test_a_textual_widget_is_a_component(tmp_path: Path) -> None:
    """It may call `done` itself; ctrl+c always leaves."""
    async with tui(tmp_path) as used:
        task = asyncio.ensure_future(ui_of(used).custom(lambda *_: Static("A WIDGET")))
        await used.until(lambda: "A WIDGET" in used.shown)
        await used.pilot.press("ctrl+c")
        assert None is await asyncio.wait_for(task, 10)


class Broken:
    """A component that fails."""

    def render(self, width: int) -> list[str]:
        raise ValueError("no colours left")


class Bad(Static):
    """A widget that fails."""

    def on_mount(self) -> None:
        raise ValueError("no ground left")


class Tall:
    """A component that draws far too much."""

    def render(self, width: int) -> list[str]:
        return [str(number) for number in range(100_000)]


async def test_a_component_that_fails_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    """Objects and widgets, while they are made, mounted or drawn."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        ui.set_widget("object", lambda tui, theme: Broken())
        ui.set_widget("widget", lambda tui, theme: Bad("x"))
        ui.set_widget("factory", lambda tui, theme: 1 / 0)
        ui.set_widget("tall", lambda tui, theme: Tall(), placement="below")
        await used.until(lambda: "no ground left" in used.shown)
        shown = used.shown
        assert "the widget object cannot be shown: ValueError: no colours left" in shown
        assert "the widget widget cannot be shown: ValueError: no ground left" in shown
        assert "the widget factory cannot be shown: ZeroDivisionError" in shown
        ui.set_widget("tall", None)
        await used.say("run: echo still here")
        assert "still here" in used.shown
        told = [finding.message for finding in used.attached.runtime.session.diagnostics]
        assert any("no colours left" in message for message in told)


async def test_the_editor_and_the_working_line_obey(tmp_path: Path) -> None:
    """Text is put, pasted and read; words and frames change and come back."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        ui.set_editor_text("one")
        ui.paste_to_editor(" two")
        assert "one two" == ui.get_editor_text()
        ui.set_working_message("Thinking hard")
        ui.set_working_indicator({"frames": ["*"], "interval_ms": 100})
        assert "* Thinking hard" in used.app.working.words(0).plain
        ui.set_working_message(None)
        ui.set_working_indicator(None)
        assert "Working…" in used.app.working.words(0).plain
        ui.set_tools_expanded(True)
        assert ui.get_tools_expanded()


async def test_listeners_see_what_is_typed_first(tmp_path: Path) -> None:
    """One may take an input, or put another in its place; a broken one is passed over."""
    seen: list[str] = []

    def listener(data: str) -> Any:
        seen.append(data)
        return {"a": {"consume": True}, "b": {"data": "B"}}.get(data)

    async with tui(tmp_path) as used:
        ui = ui_of(used)
        ui.on_terminal_input(lambda data: 1 / 0)
        off = ui.on_terminal_input(listener)
        await used.pilot.press("a", "b", "c")
        assert ["a", "b", "c"] == seen
        assert "Bc" == ui.get_editor_text()
        off()
        await used.pilot.press("a")
        assert "Bca" == ui.get_editor_text()


class Vim:
    """An editor's component: nothing is typed before `i`."""

    inserting = False

    def handle_input(self, key: str, editor: Any) -> bool:
        if key == "escape":
            self.inserting = False
            return True
        if not self.inserting:
            self.inserting = key == "i"
            return len(key) == 1
        return False


async def test_an_editors_component_sees_every_key(tmp_path: Path) -> None:
    """What it does not deal with is typed as usual; None takes it away."""

    def factory(tui: Any, theme: Any, keys: Any) -> Vim:
        return Vim()

    async with tui(tmp_path) as used:
        ui = ui_of(used)
        ui.set_editor_component(factory)
        assert factory is ui.get_editor_component()
        await used.pilot.press("x", "i", "y", "escape", "z")
        assert "y" == ui.get_editor_text()
        ui.set_editor_component(None)
        await used.pilot.press("z")
        assert "yz" == ui.get_editor_text()


async def test_themes_can_be_chosen(tmp_path: Path) -> None:
    """By name, which is remembered; one that is not there is refused with those that are."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        assert {"dark", "light"} <= set(ui.get_all_themes())
        assert {"success": True} == ui.set_theme("light")
        assert "light" == ui.theme.name == ui.get_theme("light").name
        assert 'theme = "light"' in (tmp_path / "agent" / "settings.toml").read_text(encoding="utf-8")
        refused = ui.set_theme("pink")
        assert not refused["success"]
        assert "dark, light" in refused["error"]


async def test_everything_works_here(tmp_path: Path) -> None:
    """`can` says so of every method there is, and of nothing else."""
    async with tui(tmp_path) as used:
        ui = ui_of(used)
        names = [name for name in vars(UI) if not name.startswith("_") and name not in ("can", "theme")]
        assert [] == [name for name in names if not ui.can(name)]
        assert not ui.can("teleport")
