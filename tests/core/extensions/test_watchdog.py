"""The time of handlers: who is interrupted, when, what that means, and for what no time counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookspecs import (
    AgentEnd,
    Input,
    MessageUpdate,
    SessionBeforeCompact,
    SessionBeforeSwitch,
    ToolCall,
    TurnStart,
    UserBash,
)
from hookspecs.messages import AssistantMessage
from pi_core.dispatch.plan import Failure, HandlerFailed
from pi_core.extensions.budgets import Budgets
from pi_core.extensions.reports import diagnostic_of
from tests.core.extensions.ticking import Watched, for_ever, on, settled, watched

ONE = "<inline:1>"


def turn() -> TurnStart:
    return TurnStart(turn_index=0, timestamp=0)


def call() -> ToolCall:
    return ToolCall(tool_name="bash", tool_call_id="1", input={})


async def swallows(event: Any, ctx: Any) -> Any:
    """Ends after its interruption as if nothing had been, and says yes."""
    try:
        await for_ever()
    except asyncio.CancelledError:
        return {"block": False, "cancel": True}


async def turns_it_into_a_failure(event: Any, ctx: Any) -> None:
    try:
        await for_ever()
    except asyncio.CancelledError:
        raise ValueError("cleanup failed") from None


async def will_not_be_cancelled(event: Any, ctx: Any) -> None:
    while True:
        try:
            await for_ever()
        except asyncio.CancelledError:
            pass


STUCK = [for_ever, swallows, turns_it_into_a_failure]


@pytest.mark.parametrize("stuck", STUCK)
async def test_a_stuck_observer_is_left_behind(stuck: Any) -> None:
    """HANG 135: past its time it is reported with its extension and event, and the next one is told."""
    log: list[str] = []
    world = await watched(on("turn_start", stuck), on("turn_start", lambda event, ctx: log.append("next")))
    task = world.start(turn())
    await world.clock.turn(30)
    assert ([], False) == (log, task.done())
    await world.clock.turn(1)
    assert (["next"], True, 0) == (log, task.done(), task.cancelling())
    assert [(ONE, "turn_start", "overdue")] == world.failures


@pytest.mark.parametrize("stuck", STUCK)
@pytest.mark.parametrize("event", [call(), UserBash(command="ls", cwd="/")])
async def test_a_stuck_guard_refuses(stuck: Any, event: Any) -> None:
    """A guard without an answer must not fail open, nor with one that comes too late."""
    world = await watched(on(event.event_name, stuck))
    task = world.start(event)
    await world.clock.turn(32)
    with pytest.raises(HandlerFailed, match="no answer within 30 s"):
        await task
    assert [(ONE, event.event_name, "overdue")] == world.failures


@pytest.mark.parametrize("stuck", STUCK)
async def test_another_stuck_decision_is_no_opinion(stuck: Any) -> None:
    """What waits for the decision goes on as if the handler had said nothing."""
    world = await watched(on("session_before_switch", stuck))
    task = world.start(SessionBeforeSwitch(reason="new"))
    await world.clock.turn(32)
    assert None is await task


async def test_a_chain_keeps_its_last_good_value() -> None:
    """The next handler goes on with what the one before the stuck one made of it."""
    world = await watched(
        on("input", lambda event, ctx: {"action": "transform", "text": event.text + "1"}),
        on("input", for_ever),
        on("input", lambda event, ctx: {"action": "transform", "text": event.text + "3"}),
    )
    task = world.start(Input(text="0", source="interactive"))
    await world.clock.turn(32)
    assert "013" == (await task).text


async def test_the_diagnostic_shows_where_it_waited() -> None:
    """The finding is an error that names extension, event, limit, and the line of the extension."""
    world = await watched(on("turn_start", swallows, for_ever))
    world.start(turn())
    await world.clock.turn(64)
    _, stuck = (diagnostic_of(f) for f in world.findings if isinstance(f, Failure))
    assert ("error", "handler-overdue", "turn_start", ONE) == (
        stuck.severity,
        stuck.code,
        stuck.stage,
        stuck.path,
    )
    assert "ticking.py" in (stuck.detail or "")
    assert "within 30 s" in stuck.message


async def test_each_handler_has_its_own_time() -> None:
    """Three handlers of twenty seconds each are in time, though the dispatch takes a minute."""
    steps = [asyncio.Event() for _ in range(3)]
    handlers = [lambda event, ctx, step=step: step.wait() for step in steps]
    world = await watched(on("turn_start", *handlers))
    task = world.start(turn())
    for step in steps:
        await world.clock.turn(20)
        step.set()
    await settled()
    assert (True, []) == (task.done(), world.failures)


async def test_a_handler_that_runs_often_is_not_one_that_runs_long() -> None:
    """The watch that finds the same handler at every tick, in another dispatch each time, is content."""
    world = await watched(on("turn_start", lambda event, ctx: asyncio.sleep(0)))

    async def chatter() -> None:
        while True:
            await world.runner.emit(turn())

    task = asyncio.get_running_loop().create_task(chatter())
    await world.clock.turn(100)
    assert [] == world.failures
    task.cancel()


async def test_dispatches_in_several_tasks_are_judged_apart() -> None:
    """Of three that go on at once, only the handler that hangs is interrupted."""
    gates = [asyncio.Event() for _ in range(3)]

    async def waits(event: Any, ctx: Any) -> None:
        await gates[event.turn_index].wait()

    world = await watched(on("turn_start", waits))
    tasks = [world.start(TurnStart(turn_index=index, timestamp=0)) for index in range(3)]
    await world.clock.turn(15)
    gates[0].set()
    await world.clock.turn(10)
    tasks.append(world.start(TurnStart(turn_index=2, timestamp=0)))
    gates[2].set()
    await world.clock.turn(10)
    assert [True] * 4 == [task.done() for task in tasks]
    assert [(ONE, "turn_start", "overdue")] == world.failures


async def test_only_the_innermost_dispatch_is_judged() -> None:
    """A handler that waits for another event's handlers is not blamed for them."""
    world: list[Watched] = []

    async def asks(event: Any, ctx: Any) -> str:
        await world[0].runner.emit(AgentEnd(messages=[]))
        return "done"

    world.append(await watched(on("turn_start", asks), on("agent_end", for_ever)))
    task = world[0].start(turn())
    await world[0].clock.turn(33)
    assert (True, [("<inline:2>", "agent_end", "overdue")]) == (task.done(), world[0].failures)


@pytest.mark.parametrize("event", ["session_before_compact", "session_before_tree"])
async def test_honest_work_has_no_limit(event: str) -> None:
    """Handlers that may ask a model are not interrupted, however long it takes."""
    world = await watched(on(event, for_ever))
    compact = SessionBeforeCompact(preparation={}, branch_entries=[], reason="manual")
    compact.event_name = event  # type: ignore[misc] # the same event under both names
    task = world.start(compact)
    await world.clock.turn(500)
    assert (False, []) == (task.done(), world.failures)
    task.cancel()


async def test_an_abort_ends_what_waits() -> None:
    """HANG 136, 137: every handler that still runs a moment later is interrupted, limit or not."""
    world = await watched(on("session_before_compact", for_ever), on("tool_call", for_ever))
    compact = world.start(SessionBeforeCompact(preparation={}, branch_entries=[], reason="manual"))
    guard = world.start(call())
    await world.clock.turn(1)
    world.runner.abort(grace_s=2)
    await world.clock.turn(1)
    assert (False, False) == (compact.done(), guard.done())
    await world.clock.turn(1)
    assert None is await compact
    with pytest.raises(HandlerFailed):
        await guard
    assert ["info", "info"] == [diagnostic_of(f).severity for f in world.findings if isinstance(f, Failure)]


async def test_an_abort_leaves_later_handlers_alone() -> None:
    """What runs by the time of the abort is meant, not the handler that is told afterwards."""
    gate = asyncio.Event()
    world = await watched(on("turn_start", for_ever, lambda event, ctx: gate.wait()))
    task = world.start(turn())
    await world.clock.turn(1)
    world.runner.abort(grace_s=1)
    await world.clock.turn(10)
    assert (False, [(ONE, "turn_start", "interrupted")]) == (task.done(), world.failures)
    gate.set()
    await task


async def test_the_callers_cancellation_passes() -> None:
    """Cancelling the task that tells the event ends it, at once and without a report."""
    world = await watched(on("turn_start", for_ever))
    task = world.start(turn())
    await world.clock.turn(5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [] == world.failures


@pytest.mark.parametrize("stuck", STUCK)
async def test_the_callers_cancellation_passes_also_with_an_interruption(stuck: Any) -> None:
    """If both come at once, what the caller wants counts, even if the handler swallows both."""
    world = await watched(on("turn_start", stuck))
    task = world.start(turn())
    await world.clock.turn(30)
    await settled()
    assert world.clock.due is not None
    world.clock.due()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_timeout_around_a_dispatch_still_works() -> None:
    """An interruption leaves the count of cancellations as it was, so the caller's time-out is its own."""
    world = await watched(on("turn_start", swallows))

    async def caller() -> str:
        try:
            async with asyncio.timeout(0.02):
                await world.runner.emit(turn())
                await for_ever()
        except TimeoutError:
            return "timed out"
        return "not"

    task = asyncio.get_running_loop().create_task(caller())
    await world.clock.turn(32)
    assert "timed out" == await task
    assert 1 == len(world.failures)


async def test_who_will_not_be_cancelled_is_closed() -> None:
    """A handler that swallows every cancellation and goes on is pressed, and closed in the end."""
    world = await watched(on("turn_start", will_not_be_cancelled))
    task = world.start(turn())
    await world.clock.turn(33)
    assert not task.done()
    await world.clock.turn(3)
    assert (True, 0) == (task.done(), task.cancelling())
    assert [(ONE, "turn_start", "overdue")] == world.failures


async def test_who_will_not_even_be_closed_is_named() -> None:
    """One that swallows everything holds its dispatch, and the person learns who it is, once."""
    released = asyncio.Event()

    async def deaf(event: Any, ctx: Any) -> None:
        while not released.is_set():
            try:
                await released.wait()
            except BaseException:  # noqa: BLE001 - the rudest handler there can be
                pass

    world = await watched(on("turn_start", deaf))
    task = world.start(turn())
    await world.clock.turn(60)
    assert (False, [(ONE, "turn_start", "overdue")]) == (task.done(), world.failures)
    assert "holds the session" in str(world.findings[0])
    released.set()
    await task
    assert 0 == task.cancelling()


def update() -> MessageUpdate:
    return MessageUpdate(message=AssistantMessage(content=[]), assistant_message_event=None)


async def test_a_slow_handler_of_a_stream_is_named_once() -> None:
    """QUIET 88: after a second, with extension and event, however often it is slow."""
    world = await watched(on("message_update", for_ever), budgets=Budgets(handler_s=5))
    for _ in range(2):
        task = world.start(update())
        await world.clock.turn(8)
        assert task.done()
    kinds = [kind for _, _, kind in world.failures]
    assert ["slow", "overdue", "overdue"] == kinds
    slow = diagnostic_of(next(f for f in world.findings if isinstance(f, Failure)))
    assert ("warning", "handler-slow", ONE, "message_update") == (
        slow.severity,
        slow.code,
        slow.path,
        slow.stage,
    )


async def test_other_events_are_not_called_slow() -> None:
    """A guard that thinks for twenty seconds is within its rights."""
    world = await watched(on("tool_call", for_ever))
    task = world.start(call())
    await world.clock.turn(20)
    assert [] == world.failures
    task.cancel()


async def test_budgets_may_change() -> None:
    """The settings are known after the extensions are loaded; they count from then on."""
    world = await watched(on("turn_start", for_ever))
    world.runner.runtime.watch.budgets = Budgets(handler_s=2)
    task = world.start(turn())
    await world.clock.turn(4)
    assert task.done()
