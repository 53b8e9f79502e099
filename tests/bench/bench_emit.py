"""What it costs to tell an event through a runner: the plan, the context, the watch, the handlers.

In microseconds of the fastest round. The budgets are what the reference took for the same on a
machine of this class.

Touches: the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hookspecs import Context, ToolCall, TurnStart, UserMessage
from pi_core.extensions.actions import Runtime
from pi_core.extensions.loader import LoadRequest, load_extensions
from pi_core.extensions.runner import Runner
from pi_pkg import Provenance
from tests.bench.bench_dispatch import Row, fastest

EMIT_BUDGET_US = {1: 2.0, 10: 3.5, 100: 15.8}
TOOL_CALL_BUDGET_US = {1: 1.8, 10: 3.8, 100: 19.2}
CONTEXT_BUDGET_US = {1: 4.7, 10: 6.0, 100: 22.7}

TURN = TurnStart(turn_index=0, timestamp=0)
CALL = ToolCall(tool_name="bash", tool_call_id="1", input={"command": "ls"})


def rows() -> list[Row]:
    """Label, measured value, budget."""
    return asyncio.run(_rows())


async def _rows() -> list[Row]:
    one = Context(messages=[UserMessage(content="hello")])
    hundred = Context(messages=[UserMessage(content="hello") for _ in range(100)])
    measured = [
        await _row("turn_start", TURN, 0, answers_nothing, "no handler", None),
        await _row("context", hundred, 0, answers_nothing, "no handler, a hundred messages", None),
    ]
    for count in (1, 10, 100):
        emit, call, context = EMIT_BUDGET_US[count], TOOL_CALL_BUDGET_US[count], CONTEXT_BUDGET_US[count]
        measured += [
            await _row("turn_start", TURN, count, answers_nothing, f"{count} sync handlers", emit),
            await _row("turn_start", TURN, count, answers_later, f"{count} async handlers", emit),
            await _row("tool_call", CALL, count, answers_later, f"{count} async handlers", call),
            await _row(
                "context", one, count, answers_nothing, f"{count} sync handlers, one message", context
            ),
            await _row("context", one, count, answers_later, f"{count} async handlers, one message", context),
        ]
    measured.append(
        await _row("context", hundred, 1, answers_later, "1 async handler, a hundred messages", None)
    )
    return measured


def answers_nothing(event: Any, ctx: Any) -> None:
    return None


async def answers_later(event: Any, ctx: Any) -> None:
    return None


async def _row(
    event_name: str,
    event: Any,
    count: int,
    handler: Callable[[Any, Any], Any],
    what: str,
    budget: float | None,
) -> Row:
    runner = await _runner(event_name, count, handler)

    async def emit() -> None:
        await runner.emit(event)

    (spent,) = await fastest(emit, repeats=max(20, 2000 // max(1, count)))
    await runner.close()
    return (f"{event_name}, {what}, in µs", spent * 1e6, budget)


async def _runner(event_name: str, count: int, handler: Callable[[Any, Any], Any]) -> Runner:
    def factory(pi: Any) -> None:
        for _ in range(count):
            pi.on(event_name, handler)

    label = "<inline:1>"
    request = LoadRequest(
        path=label, provenance=Provenance(label, "inline", "temporary", "top-level"), factory=factory
    )
    loaded = await load_extensions([request], Runtime(), cwd="/")
    return Runner(loaded.extensions, loaded.runtime, cwd="/")
