"""Extensions hear that a dialog stands before a person."""

from __future__ import annotations

import asyncio
from typing import Any

from pi_core.api import ExtensionAPI
from pi_core.testing import Harness, RecordingUI


class Listening:
    """An extension that hears of dialogs, and has a command that asks."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str | None]] = []
        self.ended = asyncio.Event()

    def __call__(self, pi: ExtensionAPI) -> None:
        @pi.on("ui_prompt_start")
        async def start(event: Any, ctx: Any) -> None:
            await asyncio.sleep(0)
            self.told.append((event.event_name, event.kind, event.title))

        @pi.on("ui_prompt_end")
        def end(event: Any, ctx: Any) -> None:
            self.told.append((event.event_name, event.kind, event.title))
            self.ended.set()

        @pi.command("ask")
        async def ask(args: str, ctx: Any) -> bool:
            return bool(await ctx.ui.confirm("T", "m"))


async def test_v05_a_dialog_is_told_when_it_opens_and_closes() -> None:
    """V05: its kind and title, the start before the end, whatever a listener takes its time for."""
    listening = Listening()
    async with Harness(listening, ui=RecordingUI(confirm=[True]), strict=True) as pi:
        assert await pi.run_command("ask")
        await listening.ended.wait()
    assert [("ui_prompt_start", "confirm", "T"), ("ui_prompt_end", "confirm", "T")] == listening.told


async def test_a_dialog_inside_a_dialog_is_not_told() -> None:
    """Only the outermost one; a dialog that a listener opens is inside."""
    listening = Listening()

    def nested(pi: ExtensionAPI) -> None:
        @pi.command("two")
        async def two(args: str, ctx: Any) -> None:
            await asyncio.gather(ctx.ui.select("outer", ["a"]), ctx.ui.input("inner"))

    async with Harness(listening, nested, ui=RecordingUI(), strict=True) as pi:
        await pi.run_command("two")
        await listening.ended.wait()
    assert ["outer", "outer"] == [title for _, _, title in listening.told]


async def test_without_a_person_there_is_no_dialog() -> None:
    """Nothing is shown, so nothing is told."""
    listening = Listening()
    async with Harness(listening) as pi:
        assert not await pi.run_command("ask")
        assert [] == pi.runtime.background.tasks()
    assert [] == listening.told
