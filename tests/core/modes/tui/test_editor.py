"""The editor sends, folds long pastes, calls back what was sent, and takes whatever is pasted."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from pi_core.modes.tui.editor.pasted import Pastes
from pi_core.modes.tui.editor.prompt_editor import PromptEditor
from pi_core.modes.tui.editor.recalled import Recalled
from pi_core.modes.tui.style.builtin import dark


class Desk(App[None]):
    """An editor alone."""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(dark().widget_theme())
        self.theme = "dark"
        self.editor = PromptEditor()
        self.sent: list[PromptEditor.Submitted] = []

    def compose(self) -> ComposeResult:
        yield self.editor

    def on_mount(self) -> None:
        self.editor.focus()

    def on_prompt_editor_submitted(self, event: PromptEditor.Submitted) -> None:
        self.sent.append(event)


@asynccontextmanager
async def desk(width: int = 60) -> AsyncIterator[tuple[Desk, Pilot[Any]]]:
    app = Desk()
    async with app.run_test(size=(width, 20)) as pilot:
        yield app, pilot


async def pasted(app: Desk, pilot: Pilot[Any], text: str) -> None:
    app.editor.post_message(events.Paste(text))
    await pilot.pause()


@pytest.mark.parametrize(
    ("keys", "sent"),
    [
        (["h", "i", "enter"], ["hi"]),
        (["a", "shift+enter", "b", "enter"], ["a\nb"]),
        (["a", "ctrl+j", "b", "enter"], ["a\nb"]),
        (["a", "alt+enter", "b", "enter"], ["a\nb"]),
        (["a", "\\", "enter", "b", "enter"], ["a\nb"]),
        (["enter"], []),
        (["space", "enter"], []),
        (["a", "b", "ctrl+a", "ctrl+k", "c", "ctrl+y", "enter"], ["cab"]),
        (["a", "space", "b", "ctrl+w", "c", "enter"], ["a c"]),
        (["a", "b", "ctrl+u", "c", "enter"], ["c"]),
        (["a", "enter", "b", "enter", "up", "up", "enter"], ["a", "b", "a"]),
    ],
)
async def test_keys_write_and_send(keys: list[str], sent: list[str]) -> None:
    """Enter sends, other enters begin a line; nothing is not sent."""
    async with desk() as (app, pilot):
        await pilot.press(*keys)
        assert sent == [event.text for event in app.sent]


async def test_keys_keep_their_order_however_fast_they_are_typed() -> None:
    """A new line is where it was typed, and what is typed behind a clearing key is not cleared."""
    async with desk() as (app, pilot):
        for key, character in (("a", "a"), ("ctrl+j", "\n"), ("b", "b"), ("enter", "\r"), ("c", "c")):
            app.post_message(events.Key(key, character))
        await pilot.pause()
        assert (["a\nb"], "c") == ([event.text for event in app.sent], app.editor.text)


async def test_follow_ups_are_sent_only_while_something_goes_on() -> None:
    """Otherwise the key begins a line."""
    async with desk() as (app, pilot):
        app.editor.busy = True
        await pilot.press("a", "alt+enter")
        assert [("a", True)] == [(event.text, event.follow_up) for event in app.sent]


async def test_up_and_down_move_in_the_text_before_they_call_back() -> None:
    """From the first line to earlier prompts, from the last one to later ones and the draft."""
    async with desk() as (app, pilot):
        await pilot.press("x", "enter", "a", "ctrl+j", "b", "up")
        assert "a\nb" == app.editor.text
        await pilot.press("up")
        assert "x" == app.editor.text
        await pilot.press("down")
        assert "a\nb" == app.editor.text


async def test_a_long_paste_is_folded_and_sent_whole() -> None:
    """The sign stands for it, and is deleted as one."""
    text = "\n".join(f"line {number}" for number in range(50))
    async with desk() as (app, pilot):
        await pasted(app, pilot, text)
        assert "[paste #1 +50 lines]" == app.editor.text
        await pasted(app, pilot, "x" * 2000)
        assert "[paste #1 +50 lines][paste #2 2000 chars]" == app.editor.text
        await pilot.press("backspace", "enter")
        assert [text] == [event.text for event in app.sent]
        assert "[paste #1 +50 lines]" == app.sent[0].shown


async def test_a_paste_of_five_megabytes_stays_a_sign() -> None:
    """It costs no time that a person would notice, and arrives whole."""
    text = ("0123456789abcdef" * 64 + "\n") * 5000
    async with desk() as (app, pilot):
        started = time.process_time()
        await pasted(app, pilot, text)
        await pilot.press("a", "enter")
        assert time.process_time() - started < 1.0
        assert (text + "a").strip() == app.sent[0].text


async def test_nothing_that_steers_a_terminal_gets_in() -> None:
    """Neither by a paste, nor by what is put there."""
    async with desk() as (app, pilot):
        await pasted(app, pilot, "a\x1b[2J\x07b\r\nc\td")
        assert "a[2Jb\nc\td" == app.editor.text
        app.editor.put("\x9bx")
        assert "x" == app.editor.text


async def test_it_grows_with_its_text_up_to_a_height() -> None:
    """And scrolls from there on."""
    async with desk() as (app, pilot):
        app.editor.put("\n".join("12345"))
        await pilot.pause()
        assert 5 == app.editor.size.height
        app.editor.put("\n" * 40)
        await pilot.pause()
        assert 12 == app.editor.size.height


def test_signs_of_unknown_pastes_are_text() -> None:
    """Whoever types one gets what was typed."""
    pastes = Pastes()
    pastes.fold("x" * 1001)
    assert "[paste #7 +20 lines]" + "x" * 1001 == pastes.unfold("[paste #7 +20 lines][paste #1 1001 chars]")


def test_prompts_come_back_in_order_and_the_draft_last() -> None:
    """The same twice in a row counts once."""
    recalled = Recalled()
    recalled.fill(["one", "two", "two", " "])
    assert ["two", "one", None] == [recalled.older("draft"), recalled.older("two"), recalled.older("one")]
    assert ["two", "draft", None] == [recalled.newer(), recalled.newer(), recalled.newer()]
