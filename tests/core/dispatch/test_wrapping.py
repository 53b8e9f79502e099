"""Wrappers around a whole dispatch: what they see, what they may change, and that all are left.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest

from hookspecs import AssistantMessage, Block, Context, Input, MessageEnd, Transform, UserMessage
from pi_core.dispatch import Failure, HandlerInterrupted, Running, dispatch, law_for
from tests.core.dispatch.kit import (
    Function,
    Probe,
    answering,
    plan_of,
    raising,
    switch,
    tell,
    tool_call,
    turn_start,
)


def sync_around(log: list[Any]) -> Function:
    def wrapper(event: Any, ctx: Any) -> Generator[None, Any, Any]:
        log.append("in")
        result = yield
        log.append(result)

    return wrapper


def async_around(log: list[Any]) -> Function:
    async def wrapper(event: Any, ctx: Any) -> AsyncGenerator[None, Any]:
        await asyncio.sleep(0)
        log.append("in")
        result = yield
        await asyncio.sleep(0)
        log.append(result)

    return wrapper


def sync_replacing(value: Any) -> Function:
    def wrapper(event: Any, ctx: Any) -> Generator[Any, Any, Any]:
        yield
        yield value

    return wrapper


def returning(value: Any) -> Function:
    def wrapper(event: Any, ctx: Any) -> Generator[None, Any, Any]:
        yield
        return value

    return wrapper


def async_replacing(value: Any) -> Function:
    async def wrapper(event: Any, ctx: Any) -> AsyncGenerator[Any, Any]:
        yield
        yield value

    return wrapper


def sync_swallowing(event: Any, ctx: Any) -> Generator[None, Any, None]:
    try:
        yield
    except BaseException:  # noqa: BLE001 - the rudest wrapper there can be
        pass


async def async_swallowing(event: Any, ctx: Any) -> AsyncGenerator[None, Any]:
    try:
        yield
    except BaseException:  # noqa: BLE001 - the rudest wrapper there can be
        pass


AROUND = {"sync": sync_around, "async": async_around}
REPLACING = {"sync": sync_replacing, "return": returning, "async": async_replacing}
SWALLOWING: dict[str, Function] = {"sync": sync_swallowing, "async": async_swallowing}


@pytest.mark.parametrize("kind", AROUND)
async def test_a_wrapper_surrounds_the_dispatch(kind: str) -> None:
    """It runs before the first handler, and gets the result after the last."""
    log: list[Any] = []
    told = await tell(tool_call(), answering(Block("no")), wrappers=[AROUND[kind](log)])
    assert ["in", told.result] == log
    assert "no" == told.result.reason


async def test_the_first_wrapper_is_the_outermost() -> None:
    """Wrappers are entered in order and left in reverse, whichever kind they are."""
    log: list[str] = []

    def named(name: str) -> Function:
        def wrapper(event: Any, ctx: Any) -> Generator[None, Any, None]:
            log.append(f"{name} in")
            yield
            log.append(f"{name} out")

        return wrapper

    async def middle(event: Any, ctx: Any) -> AsyncGenerator[None, Any]:
        log.append("b in")
        yield
        log.append("b out")

    await tell(turn_start(), lambda event, ctx: log.append("h"), wrappers=[named("a"), middle, named("c")])
    assert ["a in", "b in", "c in", "h", "c out", "b out", "a out"] == log


@pytest.mark.parametrize("kind", REPLACING)
async def test_a_wrapper_may_replace_the_result(kind: str) -> None:
    """What it gives after the dispatch counts, and is read like the answer of a handler."""
    told = await tell(tool_call(), answering(Block("no")), wrappers=[REPLACING[kind]({"reason": "why"})])
    assert {"reason": "why"} == told.result.fields


@pytest.mark.parametrize("kind", REPLACING)
async def test_none_keeps_the_result(kind: str) -> None:
    """A bare second yield, or no return, never turns a block into a permission."""
    told = await tell(tool_call(), answering(Block("no")), wrappers=[REPLACING[kind](None)])
    assert True is told.result.block


async def test_an_outer_wrapper_sees_what_an_inner_one_made() -> None:
    """Replacements are passed outwards."""
    log: list[Any] = []
    event = Input(text="a")
    told = await tell(event, wrappers=[sync_around(log), async_replacing(Transform("b"))])
    assert ("b", ["in", told.result]) == (told.result.text, log)


@pytest.mark.parametrize("kind", REPLACING)
async def test_a_wrong_replacement_of_a_guard_refuses(kind: str) -> None:
    """For tool_call a result of a wrong type is a refusal, as a wrong answer is."""
    told = await tell(tool_call(), wrappers=[REPLACING[kind](7)])
    assert ("wrong-answer", "W1") == (told.failures[0].kind, told.failures[0].extension)
    assert told.refusal is not None


@pytest.mark.parametrize("kind", REPLACING)
async def test_a_wrapper_may_give_a_message(kind: str) -> None:
    """For message_end the message itself will do, and must keep the role."""
    same, other = UserMessage(content="b"), AssistantMessage()
    event = MessageEnd(message=UserMessage(content="a"))
    replaced = await tell(event, wrappers=[REPLACING[kind](same)])
    refused = await tell(event, wrappers=[REPLACING[kind](other)])
    assert (same, None, ["role-changed"]) == (replaced.result, refused.result, refused.kinds)


async def test_a_notification_has_no_result_to_replace() -> None:
    """Whatever a wrapper gives, a notification comes to nothing."""
    assert None is (await tell(turn_start(), wrappers=[returning({"x": 1})])).result


@pytest.mark.parametrize("kind", SWALLOWING)
async def test_a_swallowed_refusal_stands(kind: str) -> None:
    """A wrapper that swallows the failure of a guard, and says nothing, does not let the tool run."""
    told = await tell(tool_call(), raising("guard"), wrappers=[SWALLOWING[kind]])
    assert "guard" == str(told.refusal)


@pytest.mark.parametrize("kind", SWALLOWING)
async def test_a_swallowed_exception_elsewhere_gives_none(kind: str) -> None:
    """Where the event does not refuse, a wrapper may swallow what the dispatch raises."""

    def broken(failure: Failure) -> None:
        raise LookupError("listener")

    plan = plan_of("session_before_switch", [raising("x")], [SWALLOWING[kind]])
    assert None is await dispatch(switch(), plan, None, law_for("session_before_switch"), broken)


@pytest.mark.parametrize("kind", SWALLOWING)
async def test_a_cancellation_is_always_raised_again(kind: str) -> None:
    """A wrapper sees the cancellation and may clean up, but cannot keep it."""

    async def waiting(event: Any, ctx: Any) -> None:
        await asyncio.Event().wait()

    task = asyncio.ensure_future(tell(tool_call(), waiting, wrappers=[SWALLOWING[kind]]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_replacement_cannot_hide_a_cancellation() -> None:
    """Nor can it put a result in its place."""

    async def replacing(event: Any, ctx: Any) -> AsyncGenerator[Any, Any]:
        try:
            yield
        except asyncio.CancelledError:
            yield {"block": False}

    async def waiting(event: Any, ctx: Any) -> None:
        await asyncio.Event().wait()

    task = asyncio.ensure_future(tell(tool_call(), waiting, wrappers=[replacing]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("place", ["in", "out"])
async def test_a_wrapper_that_cancels_itself_failed(place: str) -> None:
    """What it waited for was cancelled, not the dispatch: the guards' answer is lost only to a refusal."""

    async def cancelling(event: Any, ctx: Any) -> AsyncGenerator[Any, Any]:
        if place == "in":
            raise asyncio.CancelledError
        yield
        raise asyncio.CancelledError

    told = await tell(tool_call(), Probe(), wrappers=[cancelling])
    assert ("what it waited for was cancelled", ["wrapper"]) == (str(told.refusal), told.kinds)


async def test_a_failure_in_a_wrapper_is_reported_and_the_result_stays() -> None:
    """For an event that does not refuse, a broken wrapper changes nothing."""

    def broken(event: Any, ctx: Any) -> Generator[None, Any, None]:
        yield
        raise RuntimeError("tear-down")

    told = await tell(switch(), answering({"cancel": True}), wrappers=[broken])
    assert (True, [("W1", "wrapper", "tear-down")]) == (
        told.result.cancel,
        [(f.extension, f.kind, f.message) for f in told.failures],
    )


@pytest.mark.parametrize("where", ["before", "after"])
async def test_a_failure_in_a_wrapper_of_a_guard_refuses(where: str) -> None:
    """Policy layers fail closed, whether they fail before or after the dispatch."""

    async def broken(event: Any, ctx: Any) -> AsyncGenerator[None, Any]:
        if where == "before":
            raise RuntimeError("policy")
        yield
        raise RuntimeError("policy")

    probe = Probe()
    told = await tell(tool_call(), probe, wrappers=[broken])
    assert ("policy", where == "after") == (str(told.refusal), probe.calls == 1)


async def test_every_wrapper_that_was_entered_is_left() -> None:
    """EVT 128: the tear-down of outer ones runs although an inner one raises, before the dispatch returns."""
    left: list[str] = []

    def outer(event: Any, ctx: Any) -> Generator[None, Any, None]:
        try:
            yield
        finally:
            left.append("outer")

    async def middle(event: Any, ctx: Any) -> AsyncGenerator[None, Any]:
        yield
        raise RuntimeError("middle")

    def inner(event: Any, ctx: Any) -> Generator[None, Any, None]:
        yield
        left.append("inner")

    told = await tell(tool_call(), wrappers=[outer, middle, inner])
    assert (["inner", "outer"], "middle") == (left, str(told.refusal))


async def test_wrappers_within_a_failing_one_are_not_entered() -> None:
    """When a guard's wrapper fails on the way in, neither inner wrappers nor handlers run."""
    log: list[Any] = []
    told = await tell(tool_call(), Probe(), wrappers=[raising("in"), sync_around(log)])
    assert ("in", []) == (str(told.refusal), log)


def no_yield(event: Any, ctx: Any) -> Generator[None, Any, None]:
    return
    yield


def three_yields(event: Any, ctx: Any) -> Generator[Any, Any, None]:
    yield
    yield {"cancel": True}
    yield


@pytest.mark.parametrize(
    ("wrapper", "says"),
    [(no_yield, "without a yield"), (three_yields, "went on"), (answering(1), "must give a generator")],
)
async def test_a_wrapper_that_breaks_the_rules_is_reported(wrapper: Function, says: str) -> None:
    """It is told what it did wrong, and the dispatch goes on without it."""
    probe = Probe()
    told = await tell(switch(), probe, wrappers=[wrapper])
    assert (1, ["wrapper"]) == (probe.calls, told.kinds)
    assert says in told.failures[0].message


async def test_a_wrapper_counts_as_a_listener() -> None:
    """What is copied for the first listener is copied for a wrapper alone: the history is out of reach."""

    def editing(event: Any, ctx: Any) -> Generator[None, Any, None]:
        event.messages[0].content = "mine"
        yield

    message = UserMessage(content="ours")
    told = await tell(Context(messages=[message]), wrappers=[editing])
    assert ("ours", "mine") == (message.content, told.result[0].content)


async def test_the_running_wrapper_is_noted() -> None:
    """Wrappers are noted like handlers, on the way in and on the way out."""
    running = Running()
    owners: list[str] = []

    def noting(event: Any, ctx: Any) -> Generator[None, Any, None]:
        owners.append(running.handler.owner if running.handler else "")
        yield
        owners.append(running.handler.owner if running.handler else "")

    await tell(turn_start(), Probe(), wrappers=[noting, noting], running=running)
    assert ["W1", "W2", "W2", "W1"] == owners


class Watching:
    """An interruption as a watch leaves it."""

    def settle(self, error: BaseException | None) -> BaseException:
        return HandlerInterrupted("too late")


def interrupted(running: Running, place: str, swallows: bool) -> Function:
    """A wrapper that is interrupted on the way in or out, and may swallow its cancellation."""

    def stop() -> None:
        running.interruption = Watching()
        if not swallows:
            raise asyncio.CancelledError

    async def wrapper(event: Any, ctx: Any) -> AsyncGenerator[Any, Any]:
        if place == "in":
            stop()
        yield
        if place == "out":
            stop()
            yield {"cancel": True, "block": True}

    return wrapper


@pytest.mark.parametrize("place", ["in", "out"])
@pytest.mark.parametrize("swallows", [True, False])
async def test_an_interrupted_wrapper_is_left_behind(place: str, swallows: bool) -> None:
    """It is reported, what it says late does not count, and handlers and other wrappers run."""
    running, probe, log = Running(), Probe(), list[Any]()
    late = interrupted(running, place, swallows)
    told = await tell(switch(), probe, wrappers=[sync_around(log), late], running=running)
    assert (None, ["overdue"], 1, ["in", None]) == (told.result, told.kinds, probe.calls, log)


@pytest.mark.parametrize("place", ["in", "out"])
@pytest.mark.parametrize("swallows", [True, False])
async def test_an_interrupted_wrapper_of_a_guard_refuses(place: str, swallows: bool) -> None:
    """A policy layer that has no time to decide must not fail open."""
    running = Running()
    told = await tell(tool_call(), wrappers=[interrupted(running, place, swallows)], running=running)
    assert (["overdue"], "too late", None) == (told.kinds, str(told.refusal), running.interruption)
