"""A session lives long, loses nothing and gathers nothing but its history."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from pi_core.history.sessions import open_session
from tests.support.soak import Soaked, soak

TURNS = 2000
OBJECTS_AN_ENTRY = 30
"""How many objects an entry with its message and its line comes to, generously."""


@pytest.mark.slow
async def test_a_long_life(tmp_path: Path) -> None:
    """After two thousand turns by chance every start had its end, session, history and file say the same,
    nothing runs any more, and what is there beside the history is no more than after two hundred."""
    sizes: list[tuple[int, int]] = []

    def look(soaked: Soaked) -> None:
        if (not sizes and soaked.turns >= TURNS / 10) or soaked.turns >= TURNS:
            gc.collect()
            sizes.append((len(gc.get_objects()), len(soaked.store.get_entries())))

    before = asyncio.all_tasks()
    soaked = await soak(tmp_path, TURNS, seed=7, at=look)
    assert ({}, 0) == (soaked.open_ends, soaked.differences)
    again = open_session(Path(soaked.store.session_file or ""))
    assert soaked.store.build_context().messages == again.build_context().messages
    wanted = ("compaction_end", "auto_retry_end", "navigated", "queue_update", "tool_execution_end")
    assert [] == [kind for kind in wanted if soaked.happened[kind] < 10]
    assert before == asyncio.all_tasks()
    (objects, entries), (later_objects, later_entries) = sizes[0], sizes[-1]
    assert later_objects - objects < OBJECTS_AN_ENTRY * (later_entries - entries)
