"""Reloads when files change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from pi_core.resources.watched import Watched
from pi_core.session.auto_reload import reloading_on_change
from tests.support.runtime_bench import RuntimeBench, write


class Feed:
    """Implements `Changes`: the test says what changed."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[Watched] = asyncio.Queue()
        self.found: asyncio.Queue[Any] = asyncio.Queue()

    async def __call__(self, watched: Watched) -> AsyncGenerator[frozenset[str], None]:
        self.begun.put_nowait(watched)
        while True:
            item = await self.found.get()
            if isinstance(item, Exception):
                raise item
            yield item


async def test_a_change_reloads(tmp_path: Path) -> None:
    """The next change does it again; nothing is watched after the end."""
    feed = Feed()
    async with RuntimeBench(tmp_path) as bench:
        async with reloading_on_change(bench.runtime, feed):
            for _ in range(2):
                bench.take_notes()
                feed.found.put_nowait(frozenset({"x"}))
                await bench.until("resources_discover reload")
        bench.take_notes()
        feed.found.put_nowait(frozenset({"x"}))
        await asyncio.sleep(0.02)
        assert [] == bench.notes


async def test_a_change_during_a_run_waits(tmp_path: Path) -> None:
    """The run ends first."""
    feed = Feed()
    slow = {"text": "a long answer", "pace_s": 0.02}
    async with RuntimeBench(tmp_path, script=[slow]) as bench, reloading_on_change(bench.runtime, feed):
        saying = asyncio.create_task(bench.runtime.session.prompt("go"))
        await bench.until("message_update")
        feed.found.put_nowait(frozenset({"x"}))
        await bench.until("session_start reload")
        assert saying.done()


async def test_a_reload_that_cannot_be_is_told_and_the_next_is_tried(tmp_path: Path) -> None:
    """Unreadable settings are a finding; once they are repaired a change reloads."""
    feed = Feed()
    settings = tmp_path / "agent" / "settings.toml"
    async with RuntimeBench(tmp_path, discover=True) as bench, reloading_on_change(bench.runtime, feed):
        write(settings, "= nothing\n")
        feed.found.put_nowait(frozenset({str(settings)}))
        await bench.until("extension_error")
        assert "watch" == bench.errors[0][0]
        write(settings, "")
        feed.found.put_nowait(frozenset({str(settings)}))
        await bench.until("session_start reload")


async def test_what_is_watched_follows_what_is_loaded(tmp_path: Path) -> None:
    """After a reload that found a package, its folder is watched; after a new session, too."""
    feed = Feed()
    tree = tmp_path / "tree"
    write(tree / "extensions" / "a.py", "def extension(pi): pass\n")
    async with RuntimeBench(tmp_path, discover=True) as bench, reloading_on_change(bench.runtime, feed):
        before = await feed.begun.get()
        write(tmp_path / "agent" / "settings.toml", f'packages = ["{tree}"]\n')
        feed.found.put_nowait(frozenset({"x"}))
        after = await feed.begun.get()
        assert [False, True] == [str(tree) in watched.deep for watched in (before, after)]
        await bench.runtime.new_session()
        assert after == await feed.begun.get()


async def test_a_watch_that_breaks_is_told(tmp_path: Path) -> None:
    """The session goes on without it."""
    feed = Feed()
    async with RuntimeBench(tmp_path, script=["ok"]) as bench, reloading_on_change(bench.runtime, feed):
        feed.found.put_nowait(OSError("no watches left"))
        await bench.until("extension_error")
        await bench.say("go")
        assert [("watch", "no watches left")] == bench.errors


@pytest.mark.slow
async def test_real_files(tmp_path: Path) -> None:
    """With the library: a helper of the same size in the same second reaches the next prompt."""
    bench = RuntimeBench(tmp_path, discover=True)
    folder = tmp_path / "agent" / "extensions" / "own"
    write(folder / "helper.py", "NAME = 'one'\n")
    write(
        folder / "__init__.py",
        "from .helper import NAME\ndef extension(pi): pi.command(NAME)(print)\n",
    )
    async with bench, reloading_on_change(bench.runtime), asyncio.timeout(20):
        while "session_start reload" not in bench.notes:
            write(folder / "helper.py", "NAME = 'two'\n")
            await asyncio.sleep(0.3)
        await bench.runtime.wait_for_idle()
        commands = bench.runtime.session.parts.runner.registry.commands()
        assert ["two"] == [each.invocation for each in commands]
