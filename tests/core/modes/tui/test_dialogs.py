"""Dialogs answer with what was chosen or written, and with nothing when they are left or time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from textual.app import App
from textual.screen import Screen

from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.questions import ConfirmDialog, InputDialog
from pi_core.modes.tui.dialogs.writing import EditorDialog
from pi_core.modes.tui.style.builtin import dark


class Table(App[None]):
    """An application with nothing but a dialog."""

    def __init__(self, dialog: Screen[Any]) -> None:
        super().__init__()
        self.register_theme(dark().widget_theme())
        self.theme = dark().name
        self._dialog = dialog
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def on_mount(self) -> None:
        self.push_screen(self._dialog, self.answer.set_result)


async def answered(dialog: Screen[Any], keys: Sequence[str], size: tuple[int, int] = (80, 24)) -> Any:
    """The answer after these keys."""
    app = Table(dialog)
    async with app.run_test(size=size) as pilot:
        await pilot.press(*keys)
        return await asyncio.wait_for(app.answer, 10)


FRUIT = [Choice(name, name) for name in ("apple", "banana", "cherry")]
MANY = [Choice(f"item {number}", number, detail="even" if number % 2 == 0 else "odd") for number in range(20)]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (["enter"], "apple"),
        (["down", "enter"], "banana"),
        (["up", "enter"], "cherry"),
        (["pagedown", "enter"], "cherry"),
        (["escape"], None),
    ],
)
async def test_a_choice_is_gone_through(keys: list[str], answer: str | None) -> None:
    """Round the ends; escape leaves."""
    assert answer == await answered(ChoiceDialog("Which?", FRUIT), keys)


async def test_a_long_list_can_be_searched() -> None:
    """Typing goes to the search, the arrows to the list, and what is beside a choice is sought, too."""
    assert 17 == await answered(ChoiceDialog("Which?", MANY), [*"17", "enter"])
    assert 3 == await answered(ChoiceDialog("Which?", MANY), [*"odd", "down", "enter"])


async def test_nothing_fits_is_no_choice() -> None:
    """Enter waits for one that does."""
    assert 4 == await answered(
        ChoiceDialog("Which?", MANY),
        [*"zzz", "enter", "backspace", "backspace", "backspace", *"item 4", "enter"],
    )


@pytest.mark.parametrize(
    ("keys", "answer"),
    [(["y"], True), (["n"], False), (["enter"], True), (["down", "enter"], False), (["escape"], None)],
)
async def test_yes_or_no(keys: list[str], answer: bool | None) -> None:
    """By letter or by list."""
    assert answer is await answered(ConfirmDialog("Sure?", "It cannot be undone."), keys)


async def test_a_line_of_text() -> None:
    """It may be empty; leaving is something else."""
    assert "hi" == await answered(InputDialog("Name?", "your name"), [*"hi", "enter"])
    assert "" == await answered(InputDialog("Name?"), ["enter"])
    assert None is await answered(InputDialog("Name?"), [*"hi", "escape"])


async def test_a_text_of_several_lines() -> None:
    """Enter sends; shift+enter, ctrl+j, or a backslash before enter begin a line."""
    keys = ["x", "ctrl+j", "y", "backslash", "enter", "z", "enter"]
    assert "a\nbx\ny\nz" == await answered(EditorDialog("Edit", "a\nb"), keys)
    assert None is await answered(EditorDialog("Edit", "a"), ["escape"])


async def test_time_ends_a_dialog() -> None:
    """What is left of it is shown; nobody's answer is None."""
    dialog = ConfirmDialog("Sure?", limit_s=0.4)
    app = Table(dialog)
    async with app.run_test():
        assert None is await asyncio.wait_for(app.answer, 10)


@pytest.mark.parametrize("size", [(40, 10), (300, 80)])
@pytest.mark.parametrize(
    "dialog",
    [
        lambda: ChoiceDialog("Which?" * 30, MANY, "about " * 200),
        lambda: ConfirmDialog("Sure?", "line\n" * 100),
        lambda: InputDialog("Name?", "p" * 500),
        lambda: EditorDialog("Edit", "text\n" * 500),
    ],
)
async def test_dialogs_fit_every_terminal(size: tuple[int, int], dialog: Any) -> None:
    """The frame is on the screen as a whole, also after the terminal changed its size."""
    app = Table(dialog())
    async with app.run_test(size=size) as pilot:
        for now in (size, (60, 15)):
            await pilot.resize_terminal(*now)
            await pilot.pause()
            frame = app.screen.query_one(".frame").region
            assert 0 <= frame.x
            assert frame.right <= now[0]
            assert 0 <= frame.y
            assert frame.bottom <= now[1]


async def test_what_steers_a_terminal_is_shown_as_signs() -> None:
    """In titles, messages, choices and places to type."""
    bad = "\x1b[31mred\x07\u202e"
    dialog = ChoiceDialog(bad, [Choice(bad, 1, detail=bad)], bad)
    app = Table(dialog)
    async with app.run_test() as pilot:
        await pilot.pause()
        text = app.export_screenshot()
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
