"""What needs the conversation at rest takes turns: compactions, moves, reloads, replacements."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI
from pi_core.errors import CompactionError
from pi_core.history.entries import MessageEntry
from pi_core.session.session import Session
from tests.core.session.test_compaction import TALK
from tests.support.golden_cases import SHORT_TALK, answer
from tests.support.runtime_bench import RuntimeBench, write
from tests.support.session_bench import SessionBench

PACED = {"text": "the summary", "pace_s": 0.01}
SLOW = {"text": "never", "delay_s": 3600}


async def both(session: Session, bench: SessionBench, *others: Any) -> list[Any]:
    """A compaction, and what is asked for while it is under way."""
    compacting = asyncio.ensure_future(session.compact())
    await bench.until("compaction_start manual")
    return await asyncio.gather(compacting, *(other() for other in others), return_exceptions=True)


async def test_a_second_compaction_waits_for_the_first(tmp_path: Path) -> None:
    """And has nothing to do then."""

    async def run(session: Session) -> None:
        first, second = await both(session, bench, session.compact)
        assert ("the summary", "Already compacted") == (first.summary, str(second))

    bench = SessionBench(tmp_path, [*TALK, PACED], settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert ["compaction_start manual", "compaction_end manual"] * 2 == bench.stream[-4:]


async def test_a_move_and_a_reload_wait_for_a_compaction(tmp_path: Path) -> None:
    """Each in its turn; what they do is done to what is there then."""
    loads: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_start", lambda event, ctx: loads.append(event.reason))

    async def run(session: Session) -> None:
        first = next(e for e in session.parts.store.get_entries() if isinstance(e, MessageEntry))
        result, moved, reloaded = await both(
            session, bench, lambda: session.navigate_tree(first.id), session.reload
        )
        assert ("the summary", "one", None) == (result.summary, moved.editor_text, reloaded)
        assert (["startup", "reload"], []) == (loads, list(session.messages))

    bench = SessionBench(tmp_path, [*TALK, PACED], extension, settings=SHORT_TALK)
    await bench.run("one", "two", then=run)


async def test_an_extension_is_told_that_its_reload_comes_later(tmp_path: Path) -> None:
    """A command that asks for one while a compaction is under way does not wait for it."""
    outcomes: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("again")
        async def again(args: str, ctx: Any) -> None:
            outcomes.append(await ctx.reload())

    async def run(session: Session) -> None:
        await both(session, bench, lambda: session.prompt("/again"))
        await session.wait_for_idle()

    bench = SessionBench(tmp_path, [*TALK, PACED], extension, settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert ["scheduled"] == outcomes


async def test_another_session_ends_a_compaction(tmp_path: Path) -> None:
    """The old file has no summary, and the new session works."""
    write(tmp_path / "agent" / "settings.toml", SHORT_TALK)
    async with RuntimeBench(tmp_path, script=[*TALK, SLOW, answer(1, 10)]) as bench:
        await bench.say("one")
        await bench.say("two")
        old = bench.runtime.session
        compacting = asyncio.ensure_future(old.compact())
        await bench.until("compaction_start")
        await bench.runtime.new_session()
        with pytest.raises(CompactionError):
            await compacting
        assert "compaction" not in {entry.type for entry in old.parts.store.get_entries()}
        assert "started" == await bench.runtime.session.prompt("hello")


async def test_a_move_in_a_runtime(tmp_path: Path) -> None:
    """A host that holds a runtime moves in whichever session is there."""
    async with RuntimeBench(tmp_path, script=["1"]) as bench:
        await bench.say("one")
        session = bench.runtime.session
        first = next(e for e in session.parts.store.get_entries() if isinstance(e, MessageEntry))
        assert "one" == (await bench.runtime.navigate_tree(first.id)).editor_text
        session.set_label(first.id, "start")
        assert "start" == session.parts.store.get_label(first.id)
