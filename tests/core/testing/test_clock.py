"""Time moves when a test says so, timer by timer, and otherwise goes on as ever."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from typing import Any

import pytest

from pi_core.api import ExtensionAPI
from pi_core.testing import Clock, Harness


def ticking(times: list[float], seconds: float = 10) -> Any:
    """An extension whose timer notes the time of the loop."""

    def extension(pi: ExtensionAPI) -> None:
        pi.every(seconds, lambda: times.append(asyncio.get_running_loop().time()))

    return extension


async def test_what_repeats_happens_as_often_as_it_would() -> None:
    """A minute of ten-second ticks is six of them, each at its time, and takes none."""
    times: list[float] = []
    started = time.monotonic()
    async with Harness(ticking(times)) as pi:
        await pi.advance(60)
    assert [10, 10, 10, 10, 10] == [round(after - before) for before, after in pairwise(times)]
    assert 6 == len(times)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("seconds", [0.1, 1 / 3, 60, 86_400])
async def test_a_hundred_times_is_a_hundred_times(seconds: float) -> None:
    """Whatever the rounding, and however long the ticks really take."""
    times: list[float] = []
    async with Harness(ticking(times, seconds)) as pi:
        await pi.advance(100 * seconds)
        assert 100 == len(times)
        for _ in range(10):
            await pi.advance(seconds)
    assert 110 == len(times)


async def test_nothing_fires_too_early() -> None:
    """Time adds up over several moves."""
    times: list[float] = []
    async with Harness(ticking(times)) as pi:
        await pi.advance(9)
        assert [] == times
        await pi.advance(2)
        assert 1 == len(times)


async def test_several_timers_fire_in_their_order() -> None:
    """Whichever was set first."""
    fired: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.every(3, lambda: fired.append("three"))
        pi.every(2, lambda: fired.append("two"))

    async with Harness(extension) as pi:
        await pi.advance(6.5)
    assert ["two", "three", "two", "three", "two"] == fired or [
        "two",
        "three",
        "two",
        "two",
        "three",
    ] == fired


async def test_an_async_tick_goes_on() -> None:
    """A tick that sleeps wakes within the same move, and the next tick waits for it."""
    fired: list[str] = []

    async def tick() -> None:
        fired.append("begin")
        await asyncio.sleep(5)
        fired.append("end")

    def extension(pi: ExtensionAPI) -> None:
        pi.every(10, tick)

    async with Harness(extension) as pi:
        await pi.advance(30)
    assert ["begin", "end", "begin", "end"] == fired


async def test_a_timeout_of_the_extension_passes() -> None:
    """Not only timers of `every`: whatever waits on the loop's clock."""
    ended: list[str] = []

    async def work() -> None:
        try:
            async with asyncio.timeout(3600):
                await asyncio.Event().wait()
        except TimeoutError:
            ended.append("timeout")

    def extension(pi: ExtensionAPI) -> None:
        pi.spawn(work())

    async with Harness(extension) as pi:
        await pi.advance(3601)
    assert ["timeout"] == ended


async def test_a_stopped_timer_is_passed_over() -> None:
    """What was cancelled does not fire."""
    times: list[float] = []
    kept: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        kept.append(pi.every(1, lambda: times.append(0)))

    async with Harness(extension) as pi:
        kept[0]()
        await pi.advance(5)
    assert [] == times


async def test_afterwards_the_loop_has_its_own_way_to_set_timers() -> None:
    """The loop is given back; timers that were set keep their distance."""
    loop = asyncio.get_running_loop()
    call_at = loop.call_at
    async with Harness(ticking([])) as pi:
        await pi.advance(100)
        assert call_at != loop.call_at
    assert call_at == loop.call_at
    started = time.monotonic()
    await asyncio.sleep(0.01)
    assert time.monotonic() - started < 5


async def test_a_clock_that_was_not_started_cannot_be_moved() -> None:
    """It says so, as for a loop whose clock is not Python's."""
    with pytest.raises(RuntimeError, match="cannot be moved"):
        await Clock().advance(1)
