"""What an extension starts in the background belongs to it: tasks, timers, listeners of the bus."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pi_core.dispatch.plan import Failure
from pi_core.extensions.actions import Finding, Runtime
from pi_core.testing import Harness
from tests.core.extensions.support import inline, load


def failures(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(f.extension, f.event, f.message) for f in findings if isinstance(f, Failure)]


async def test_the_bus_tells_in_order_and_at_once() -> None:
    """L27: sync listeners run within emit, in order of registration; a failing one stops nobody."""
    log: list[str] = []
    kept: list[Any] = []

    async def rejecting(data: Any) -> None:
        raise RuntimeError("l2")

    def factory(pi: Any) -> None:
        kept.append(pi)
        pi.events.on("c", lambda data: log.append(f"l1 {data}"))
        pi.events.on("c", rejecting)
        pi.events.on("c", lambda data: log.append(f"l3 {data}"))

    async with Harness(factory) as harness:
        assert None is kept[0].events.emit("c", 7)
        assert ["l1 7", "l3 7"] == log
        await asyncio.sleep(0.01)
        assert [("<inline:1>", "events:c", "l2")] == failures(harness.findings)


async def test_a_failing_listener_is_reported_and_the_sender_goes_on() -> None:
    """A sync listener that raises, even SystemExit, is an error event of its extension."""

    def leave(data: Any) -> None:
        raise SystemExit("bye")

    async with Harness(lambda pi: void(pi.events.on("error", leave))) as harness:
        harness.runtime.bus.emit("error")
        harness.runtime.bus.emit("unheard")
        assert [("<inline:1>", "events:error", "bye")] == failures(harness.findings)


def void(_: object) -> None:
    """A factory's return value is nobody's business."""


async def test_listeners_count_from_the_commit_on() -> None:
    """What a factory sends is heard by extensions that are loaded, not by those still loading."""
    log: list[str] = []

    def early(pi: Any) -> None:
        pi.events.on("c", lambda data: log.append("early"))

    def late(pi: Any) -> None:
        pi.events.on("c", lambda data: log.append("late"))
        pi.events.emit("c")

    await load(inline(early, 1), inline(late, 2))
    assert ["early"] == log


async def test_listeners_end_with_their_extension() -> None:
    """L26: after invalidate only the host's own listeners are told."""
    log: list[str] = []
    async with Harness(lambda pi: void(pi.events.on("c", lambda data: log.append("extension")))) as harness:
        harness.runtime.bus.on("c", lambda data: log.append("host"))
        harness.runner.invalidate()
        harness.runtime.bus.emit("c")
    assert ["host"] == log


async def test_a_bus_subscription_ends() -> None:
    """Calling it takes the listener off, also from inside of a listener."""
    log: list[int] = []
    kept: list[Any] = []
    async with Harness(kept.append):

        def once(data: int) -> None:
            log.append(data)
            off()

        off = kept[0].events.on("c", once)
        kept[0].events.emit("c", 1)
        kept[0].events.emit("c", 2)
    assert [1] == log


async def test_a_task_belongs_to_its_extension() -> None:
    """A spawned task is cancelled when the session goes, and nothing is left."""
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("work")

    async with Harness(lambda pi: void(pi.spawn(work(), name="w"))) as harness:
        await asyncio.sleep(0)
        assert ["spawn:w"] == [task.get_name() for task in harness.runtime.background.tasks()]  # type: ignore[attr-defined] # tasks
        harness.runner.invalidate()
        assert 0 == await harness.runner.close()
    assert ["work"] == ended


async def test_a_task_that_never_ran_is_closed_quietly() -> None:
    """A task that is cancelled before its first step leaves no complaint about its coroutine."""
    async with Harness(lambda pi: void(pi.spawn(asyncio.sleep(60)))) as harness:
        harness.runner.invalidate()


@pytest.mark.parametrize("error", [RuntimeError("r"), SystemExit("s")])
async def test_a_failing_task_is_reported(error: BaseException) -> None:
    """An exception in the background is an error event; the process and the session go on."""

    async def work() -> None:
        raise error

    async with Harness(lambda pi: void(pi.spawn(work(), name="w"))) as harness:
        await asyncio.sleep(0.01)
        assert [("<inline:1>", "spawn:w", str(error))] == failures(harness.findings)


async def test_a_task_gives_its_result() -> None:
    """Awaiting the task gives what the coroutine returned."""
    kept: list[Any] = []

    async def work() -> int:
        return 42

    async with Harness(kept.append):
        assert 42 == await kept[0].spawn(work())


async def test_a_stale_access_in_the_background_is_no_crash() -> None:
    """A task that touches a session after it is gone is reported, and that is all."""
    kept: list[Any] = []
    released = asyncio.Event()

    async def work() -> None:
        try:
            await released.wait()
        except asyncio.CancelledError:
            kept[0].get_session_name()

    async with Harness(kept.append) as harness:
        kept[0].spawn(work(), name="w")
        await asyncio.sleep(0)
        harness.runner.invalidate("gone")
        await asyncio.sleep(0.01)
        assert [("<inline:1>", "spawn:w", "gone")] == failures(harness.findings)


async def test_a_timer_ticks_until_it_ends() -> None:
    """`every` calls sync and async functions again and again; its subscription stops it."""
    log: list[str] = []
    kept: list[Any] = []

    async def tick() -> None:
        log.append("async")

    async with Harness(kept.append):
        ends = [kept[0].every(0.005, tick), kept[0].every(0.005, lambda: log.append("sync"))]
        await asyncio.sleep(0.05)
        for end in ends:
            end()
        await asyncio.sleep(0)
        counted = len(log)
        await asyncio.sleep(0.02)
    assert {"async", "sync"} == set(log)
    assert counted == len(log)


async def test_a_failing_tick_is_reported_and_the_timer_goes_on() -> None:
    """One bad tick does not stop the next."""
    ticks: list[int] = []

    def tick() -> None:
        ticks.append(1)
        raise ValueError("tick")

    async with Harness(lambda pi: void(pi.every(0.005, tick))) as harness:
        await asyncio.sleep(0.05)
        assert len(ticks) >= 2
        assert len(ticks) == len(failures(harness.findings))


async def test_stubborn_work_is_counted_and_left_behind() -> None:
    """Closing waits for a limited time and says how many tasks would not end."""
    released = asyncio.Event()

    async def stubborn() -> None:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                pass

    async with Harness(lambda pi: void(pi.spawn(stubborn()))) as harness:
        await asyncio.sleep(0)
        assert 1 == await harness.runner.close(grace_s=0.02)
        released.set()


def test_spawning_needs_a_loop() -> None:
    """Outside of a loop spawn raises, and the coroutine is closed."""
    runtime = Runtime()
    with pytest.raises(RuntimeError):
        runtime.background.spawn(None, "w", asyncio.sleep(0))
