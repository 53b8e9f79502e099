"""What a dispatch costs beside a bare loop that awaits the same handlers.

Ratios are of the fastest rounds, interleaved, on one event loop. A handler either returns
at once or yields to the loop once.

Touches: the event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pluggy

from hookspecs import (
    AssistantMessage,
    Context,
    TextContent,
    ToolCallContent,
    ToolResultMessage,
    TurnStart,
    UserMessage,
    hookimpl,
    hookspec,
)
from pi_core.dispatch import Failure, Handler, Plan, Running, dispatch, law_for

Row = tuple[str, float, float | None]
Action = Callable[[], Awaitable[object]]

AT_ONCE_BUDGET = 1.5
YIELDING_BUDGET = 1.1
CONTEXT_BUDGET_US = 4.7


def rows() -> list[Row]:
    """Label, measured value, budget."""
    return asyncio.run(_rows())


async def _rows() -> list[Row]:
    measured = [await _nobody()]
    for count in (1, 10, 100):
        measured.append(await _against_bare(count, returns_at_once, "returning at once", AT_ONCE_BUDGET))
        measured.append(await _against_bare(count, yields_once, "yielding once", YIELDING_BUDGET))
    for count in (1, 10, 100):
        measured.append(await _against_pluggy(count))
    measured.append(await _context([UserMessage(content="hello")], "one message", CONTEXT_BUDGET_US))
    measured.append(await _context(conversation(), "twenty messages", None))
    return measured


async def returns_at_once(event: Any, ctx: Any) -> None:
    return None


async def yields_once(event: Any, ctx: Any) -> None:
    await asyncio.sleep(0)


def returns_nothing(event: Any, ctx: Any) -> None:
    return None


async def bare_loop(event: Any, functions: list[Any], ctx: Any) -> None:
    """What somebody would write who knows nothing of laws, failures and sync handlers."""
    for function in functions:
        await function(event, ctx)


def refuse(failure: Failure) -> None:
    raise AssertionError(failure)


async def fastest(*actions: Action, repeats: int, rounds: int = 25) -> list[float]:
    """Seconds a run of each action, in its fastest round; one round runs each `repeats` times."""
    best = [float("inf")] * len(actions)
    for _ in range(rounds):
        for index, action in enumerate(actions):
            start = time.perf_counter()
            for _ in range(repeats):
                await action()
            best[index] = min(best[index], (time.perf_counter() - start) / repeats)
    return best


EVENT = TurnStart(turn_index=0, timestamp=0)


def plan_of(function: Callable[[Any, Any], Any], count: int, event: str) -> Plan:
    return Plan(tuple(Handler(function, "bench", event, function) for _ in range(count)))


async def _nobody() -> Row:
    """An event without listeners, as the runner asks: one look into a dictionary."""
    plans: dict[str, Plan] = {}

    async def thousand() -> None:
        for _ in range(1000):
            plans.get(EVENT.event_name)

    (spent,) = await fastest(thousand, repeats=20)
    return ("nobody listens: one look-up, in ns", spent * 1e6, None)


async def _against_bare(count: int, handler: Any, what: str, budget: float) -> Row:
    plan, law, running = plan_of(handler, count, "turn_start"), law_for("turn_start"), Running()
    functions = [handler] * count

    async def bare() -> None:
        await bare_loop(EVENT, functions, None)

    async def ours() -> None:
        await dispatch(EVENT, plan, None, law, refuse, running)

    loop, dispatched = await fastest(bare, ours, repeats=max(10, 2000 // count))
    return (f"{count} async handlers, {what}: against a bare loop", dispatched / loop, budget)


async def _against_pluggy(count: int) -> Row:
    manager = pluggy.PluginManager("pi")
    manager.add_hookspecs(Spec)
    for _ in range(count):
        manager.register(Plugin())
    plan, law, running = plan_of(returns_nothing, count, "turn_start"), law_for("turn_start"), Running()

    async def theirs() -> None:
        manager.hook.pi_turn_start(event=EVENT, ctx=None)

    async def ours() -> None:
        await dispatch(EVENT, plan, None, law, refuse, running)

    called, dispatched = await fastest(theirs, ours, repeats=max(10, 2000 // count))
    return (f"{count} sync handlers: against pluggy's own call", dispatched / called, 1.0)


class Spec:
    """The one hook of the comparison."""

    @hookspec
    def pi_turn_start(self, event: Any, ctx: Any) -> None: ...


class Plugin:
    """An implementation that does nothing."""

    @hookimpl
    def pi_turn_start(self, event: Any, ctx: Any) -> None:
        return None


def conversation() -> list[Any]:
    """Five rounds of a prompt, a tool call, its result and a reply."""
    call = ToolCallContent(id="c1", name="read", arguments={"path": "a.txt"})
    messages: list[Any] = []
    for _ in range(5):
        messages += [
            UserMessage(content="What does a.txt say?"),
            AssistantMessage(content=[TextContent(text="I shall look."), call]),
            ToolResultMessage(tool_call_id="c1", tool_name="read", content=[TextContent(text="data")]),
            AssistantMessage(content=[TextContent(text="It says: data.")]),
        ]
    return messages


async def _context(messages: list[Any], what: str, budget: float | None) -> Row:
    plan, law, running = plan_of(returns_nothing, 1, "context"), law_for("context"), Running()
    event = Context(messages=messages)

    async def ours() -> None:
        await dispatch(event, plan, None, law, refuse, running)

    (spent,) = await fastest(ours, repeats=500)
    return (f"context with one listener, {what}, in µs", spent * 1e6, budget)
