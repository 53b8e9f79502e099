"""The one loop: what a handler may be, how it may end, and what is noted while it runs.

Pure.
"""

from __future__ import annotations

import asyncio
import signal
import types
from collections.abc import Generator
from functools import partial
from typing import Any

import pytest

from pi_core.dispatch import NOBODY, Handler, HandlerInterrupted, Plan, Running, dispatch, law_for
from tests.core.dispatch.kit import (
    Function,
    Probe,
    answering,
    raising,
    switch,
    tell,
    tool_call,
    turn_start,
    unexpected,
)

BLOCK = {"block": True, "reason": "no"}


class Awaitable:
    """An answer that is neither a coroutine nor a future."""

    def __await__(self) -> Generator[Any, None, Any]:
        yield from asyncio.sleep(0).__await__()
        return BLOCK


async def blocking(event: Any, ctx: Any) -> Any:
    await asyncio.sleep(0)
    return BLOCK


class Guard:
    """A callable object, and a bound method."""

    async def __call__(self, event: Any, ctx: Any) -> Any:
        return BLOCK

    async def method(self, event: Any, ctx: Any) -> Any:
        return BLOCK


@types.coroutine
def old_style(event: Any, ctx: Any) -> Generator[Any, None, Any]:
    yield
    return BLOCK


def future(event: Any, ctx: Any) -> asyncio.Future[Any]:
    made: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    made.set_result(BLOCK)
    return made


HANDLERS: dict[str, Function] = {
    "plain": answering(BLOCK),
    "coroutine": blocking,
    "partial": partial(blocking),
    "object": Guard(),
    "method": Guard().method,
    "awaitable": lambda event, ctx: Awaitable(),
    "future": future,
    "task": lambda event, ctx: asyncio.ensure_future(blocking(event, ctx)),
    "old-style coroutine": old_style,
}


@pytest.mark.parametrize("name", HANDLERS)
async def test_a_handler_may_be_any_callable_that_ends_in_an_answer(name: str) -> None:
    """Plain or awaitable in whichever way, the answer counts."""
    told = await tell(tool_call(), HANDLERS[name])
    assert (True, "no", []) == (told.result.block, told.result.reason, told.failures)


async def test_a_slow_handler_still_comes_first() -> None:
    """Handlers run one after another: how long one takes changes nothing."""
    order: list[str] = []

    async def slow(event: Any, ctx: Any) -> None:
        await asyncio.sleep(0.01)
        order.append("slow")

    await tell(turn_start(), slow, lambda event, ctx: order.append("fast"))
    assert ["slow", "fast"] == order


async def test_an_interrupt_passes_through() -> None:
    """Ctrl-C is no failure of the handler that it meets, nor is it swallowed."""
    probe = Probe()

    async def ending(event: Any, ctx: Any) -> None:
        signal.default_int_handler(signal.SIGINT, None)

    with pytest.raises(KeyboardInterrupt):
        await dispatch(turn_start(), plan_for(ending, probe), None, law_for("turn_start"), unexpected)
    assert 0 == probe.calls


async def waits_for_what_it_cancelled(event: Any, ctx: Any) -> None:
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task


async def test_a_cancellation_of_its_own_is_a_failure() -> None:
    """A handler that waits for a task it cancelled gets the same exception; the run is not meant by it."""
    probe = Probe()
    told = await tell(turn_start(), waits_for_what_it_cancelled, probe)
    assert (["what it waited for was cancelled"], 1) == ([f.message for f in told.failures], probe.calls)


async def test_a_cancellation_of_its_own_refuses_in_a_guard() -> None:
    """It decided nothing, so nothing runs."""
    told = await tell(tool_call(), waits_for_what_it_cancelled)
    assert "what it waited for was cancelled" == str(told.refusal)


async def test_a_waiting_handler_can_be_cancelled() -> None:
    """The caller's task is cancelled through the dispatch, and the handler's own clean-up runs."""
    cleaned: list[str] = []

    async def waiting(event: Any, ctx: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append("up")

    task = asyncio.ensure_future(tell(turn_start(), waiting))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ["up"] == cleaned


async def test_system_exit_is_a_failure() -> None:
    """An extension that calls exit does not take the program with it."""

    def leaving(event: Any, ctx: Any) -> None:
        raise SystemExit(3)

    probe = Probe()
    told = await tell(turn_start(), leaving, probe)
    assert (["sys.exit(3) was called"], 1) == ([f.message for f in told.failures], probe.calls)


async def test_a_failure_carries_its_exception() -> None:
    """The traceback is there for whoever shows the failure."""
    told = await tell(turn_start(), raising("x"))
    assert told.failures[0].error is not None
    assert told.failures[0].error.__traceback__ is not None


async def test_one_context_serves_the_whole_dispatch() -> None:
    """Every handler is handed the very same context."""
    seen: list[Any] = []
    context = object()
    await tell(turn_start(), *(lambda event, ctx: seen.append(ctx) for _ in range(2)), ctx=context)
    assert [context, context] == seen


async def test_the_running_handler_is_noted() -> None:
    """While a handler runs the dispatch says which one it is."""
    running = Running()
    owners: list[str] = []

    def note(event: Any, ctx: Any) -> None:
        assert running.handler is not None
        owners.append(running.handler.owner)

    await tell(turn_start(), note, note, running=running)
    assert ["E1", "E2"] == owners


class Watching:
    """An interruption as a watch leaves it; `others` if the caller was cancelled as well."""

    def __init__(self, others: bool = False) -> None:
        self.others = others
        self.settled: list[BaseException | None] = []

    def settle(self, error: BaseException | None) -> BaseException:
        self.settled.append(error)
        if self.others:
            raise asyncio.CancelledError
        return HandlerInterrupted("too late")


def interrupted(running: Running, watching: Watching, end: BaseException | None, answer: Any) -> Function:
    """A handler that is interrupted while it runs, and then raises, or answers all the same."""

    async def handler(event: Any, ctx: Any) -> Any:
        running.interruption = watching
        if end is not None:
            raise end
        return answer

    return handler


ENDINGS: dict[str, BaseException | None] = {
    "cancelled": asyncio.CancelledError(),
    "swallowed": None,
    "another exception": ValueError("x"),
}


@pytest.mark.parametrize("ending", ENDINGS)
async def test_an_interrupted_observer_is_reported_and_left_behind(ending: str) -> None:
    """However it takes its interruption, it failed by it, and the next one is told."""
    running, watching, probe = Running(), Watching(), Probe()
    told = await tell(
        turn_start(), interrupted(running, watching, ENDINGS[ending], None), probe, running=running
    )
    assert (["overdue"], ["too late"], 1) == (told.kinds, [f.message for f in told.failures], probe.calls)
    assert ([ENDINGS[ending]], None) == (watching.settled, running.interruption)


@pytest.mark.parametrize("ending", ENDINGS)
async def test_an_interrupted_guard_refuses(ending: str) -> None:
    """Its answer came too late: what it allows then does not count, and nobody after it is asked."""
    running, probe = Running(), Probe()
    handler = interrupted(running, Watching(), ENDINGS[ending], {"block": False})
    told = await tell(tool_call(), handler, probe, running=running)
    assert (["overdue"], 0) == (told.kinds, probe.calls)
    assert told.refusal is not None
    assert "too late" == str(told.refusal)


async def test_the_late_answer_of_another_is_no_opinion() -> None:
    """A chain keeps the last good value, and a gate hears no cancel."""
    running = Running()
    late = interrupted(running, Watching(), None, {"cancel": True})
    told = await tell(switch(), late, answering({"cancel": False}), running=running)
    assert (False, ["overdue"]) == (told.result.cancel, told.kinds)


async def test_the_callers_cancellation_outlives_an_interruption() -> None:
    """If the caller was cancelled too, the dispatch ends cancelled and nobody else is told."""
    running, probe = Running(), Probe()
    late = interrupted(running, Watching(others=True), None, None)
    with pytest.raises(asyncio.CancelledError):
        await tell(turn_start(), late, probe, running=running)
    assert 0 == probe.calls


async def test_nobody_listens_nothing_is_reported() -> None:
    """An empty plan is a dispatch like any other."""
    assert None is await dispatch(tool_call(), NOBODY, None, law_for("tool_call"), unexpected)


def plan_for(*functions: Function) -> Plan:
    return Plan(tuple(Handler(function, "E", "turn_start", function) for function in functions))
