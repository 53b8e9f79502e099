"""The log lays out what is in sight and no more, follows the end, and stays where a person put it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.events import MouseScrollUp
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection
from textual.strip import Strip

from pi_core.modes.tui.blocks.notice import NoticeBlock
from pi_core.modes.tui.log.block import Block
from pi_core.modes.tui.log.view import ChatLog
from pi_core.modes.tui.style.builtin import dark
from pi_core.modes.tui.style.look import Look

ROWS = 20
COUNT = 25


class Plain(Block):
    """Lines that say where they are, and whose guess may be wrong. Counts how often it is laid out."""

    def __init__(self, name: str, count: int, guess: int | None = None) -> None:
        self.name = name
        self.count = count
        self.laid_out = 0
        self._guess = count if guess is None else guess

    def text(self) -> str:
        return self.name

    def rows(self, width: int) -> int:
        return self._guess

    def toggle(self, look: Look) -> bool:
        self.count = 7
        return True

    def lines(self, width: int, look: Look) -> list[Strip]:
        self.laid_out += 1
        return [Strip([Segment(f"{self.name}.{number}")]) for number in range(self.count)]


class Broken(Plain):
    """Cannot be laid out."""

    def lines(self, width: int, look: Look) -> list[Strip]:
        raise LookupError("no such colour")


class Bench(App[None]):
    """A log alone."""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(dark().widget_theme())
        self.theme = "dark"
        self.failures: list[BaseException] = []
        self.log_view = ChatLog(Look(dark()), failed=lambda _, error: self.failures.append(error))

    def compose(self) -> ComposeResult:
        yield self.log_view


@asynccontextmanager
async def log_of(blocks: list[Block], width: int = 60) -> AsyncIterator[tuple[ChatLog, Pilot[Any]]]:
    app = Bench()
    async with app.run_test(size=(width, ROWS)) as pilot:
        app.log_view.extend(blocks)
        await pilot.pause()
        app.log_view.settle()
        yield app.log_view, pilot


def in_sight(log: ChatLog) -> list[str]:
    return [log.render_line(y).text.strip() for y in range(log.size.height)]


def many(count: int, lines: int = 3, guess: int | None = None) -> list[Block]:
    return [Plain(f"b{number}", lines, guess) for number in range(count)]


async def test_the_end_is_in_sight() -> None:
    """A log begins at its end and stays there while it grows."""
    async with log_of(many(100)) as (log, pilot):
        assert "b99.2" == in_sight(log)[-1]
        log.append(Plain("new", 1))
        await pilot.pause(0.1)
        assert "new.0" == in_sight(log)[-1]


async def test_only_what_is_in_sight_is_laid_out() -> None:
    """Five thousand blocks cost what a screenful costs."""
    blocks = many(5000)
    async with log_of(blocks):
        assert sum(isinstance(block, Plain) and block.laid_out > 0 for block in blocks) < ROWS


@pytest.mark.parametrize("guess", [1, 3, 30])
async def test_going_up_shows_every_line_once(guess: int) -> None:
    """In their order, whatever was guessed of the heights before."""
    async with log_of(many(COUNT, guess=guess)) as (log, pilot):
        seen = in_sight(log)
        while log.scroll_offset.y > 0:
            log.move(-1)
            await pilot.pause()
            seen.insert(0, in_sight(log)[0])
        expected = [line for number in range(COUNT) for line in ("", *(f"b{number}.{n}" for n in range(3)))]
        assert expected == seen


async def test_what_a_person_reads_stays_in_place() -> None:
    """What comes at the end moves nothing, nor does a change above it."""
    blocks = many(50)
    async with log_of(blocks) as (log, pilot):
        log.move(-60)
        await pilot.pause()
        before = in_sight(log)
        log.append(Plain("new", 5))
        above = blocks[2]
        assert isinstance(above, Plain)
        above.count = 9
        log.touch(above)
        await pilot.pause(0.1)
        assert before == in_sight(log)
        assert not log.following


async def test_going_down_to_the_end_follows_again() -> None:
    """From there on what comes is shown."""
    async with log_of(many(50)) as (log, pilot):
        log.move(-30)
        await pilot.pause()
        log.move(30)
        await pilot.pause()
        log.append(Plain("new", 1))
        await pilot.pause(0.1)
        assert "new.0" == in_sight(log)[-1]


async def test_a_change_is_painted_whatever_else_asks_for_a_layout() -> None:
    """A resize between a change and its frame loses nothing."""
    blocks = many(3, lines=1)
    async with log_of(blocks) as (log, pilot):
        first = blocks[0]
        assert isinstance(first, Plain)
        first.name = "other"
        log.touch(first)
        await pilot.resize_terminal(60, ROWS - 3)
        await pilot.pause(0.1)
        assert "other.0" in log.app.export_screenshot()


async def test_another_width_keeps_the_place() -> None:
    """The block at the upper edge stays there."""
    async with log_of(many(50)) as (log, pilot):
        log.show_block(20, 1)
        await pilot.pause(0.1)
        await pilot.resize_terminal(30, ROWS)
        await pilot.pause(0.1)
        assert "b20.0" == in_sight(log)[0]


async def test_a_block_that_fails_is_named_and_the_others_are_shown() -> None:
    """The failure is told once it is met."""
    async with log_of([Plain("one", 1), Broken("two", 1), Plain("three", 1)]) as (log, _):
        assert isinstance(log.app, Bench)
        assert "Broken cannot be shown: LookupError: no such colour" in in_sight(log)
        assert {"one.0", "three.0"} < set(in_sight(log))
        assert ["no such colour"] == [error.args[0] for error in log.app.failures]


async def test_a_click_unfolds() -> None:
    """What is clicked on, and nothing else."""
    async with log_of(many(2)) as (log, pilot):
        await pilot.click(ChatLog, offset=(3, 2))
        await pilot.pause(0.1)
        assert ["b0.6", "b1.2"] == [line for line in in_sight(log) if line in ("b0.6", "b1.6", "b1.2")]


async def test_the_wheel_moves_three_lines() -> None:
    """At once."""
    async with log_of(many(50)) as (log, pilot):
        before = log.scroll_offset.y
        await pilot._post_mouse_events([MouseScrollUp], ChatLog, (2, 2))
        assert before - 3 == log.scroll_offset.y


async def test_selected_text_is_what_is_copied() -> None:
    """From a character of one line to one of another, without the indent."""
    async with log_of([NoticeBlock("first"), NoticeBlock("second")]) as (log, _):
        taken = log.get_selection(Selection(Offset(4, 1), Offset(8, 3)))
        assert taken == ("first\n\n· seco", "\n")


async def test_an_empty_log_is_blank() -> None:
    """And nothing goes wrong in it."""
    async with log_of([]) as (log, pilot):
        log.move(-5)
        log.show_end()
        await pilot.pause()
        assert {""} == set(in_sight(log))
