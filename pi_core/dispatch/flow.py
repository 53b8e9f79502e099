"""The one loop: calls every listener of an event in order, awaits it, and lets its law do the rest.

A handler may be a plain function or answer with anything awaitable. Handlers run strictly
one after another. A `CancelledError` of the caller is never swallowed, nor is a person's
Ctrl-C; a handler that raises `SystemExit` or an interrupt of its own failed like any other,
and so did one that waited for something of its own that was cancelled, and one that the
watch interrupted, whatever it made of that.

Touches: nothing but the handlers it is given.
"""

from __future__ import annotations

from asyncio import CancelledError
from inspect import CO_ITERABLE_COROUTINE
from types import CoroutineType, GeneratorType
from typing import Any

from pi_core.dispatch.algebra import Fold, Law
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.plan import (
    Failure,
    Handler,
    HandlerFailed,
    Plan,
    Report,
    kind_of_error,
    text_of_error,
)
from pi_core.dispatch.timing import Running
from pi_core.dispatch.wrapping import surround


async def dispatch(
    event: Any,
    plan: Plan,
    ctx: Any,
    law: Law,
    report: Report,
    running: Running | None = None,
    fold: Fold | None = None,
) -> Any:
    """Tell everybody in the plan about the event.

    `running` notes the handler that runs. `fold` is one that was begun before: the wrappers then
    stand around this call already. Returns what the law makes of the answers. Raises HandlerFailed
    where a handler of an event that refuses on failure failed; the failure was reported by then.
    What `report` raises, and cancellation, pass through.
    """
    if running is None:
        running = Running()
    if fold is None:
        if plan.wrappers:
            return await surround(dispatch, event, plan, ctx, law, report, running)
        if not plan.handlers:
            return law.nobody(event)
        if law.listens:
            fold = law.begin(event, report)
    hear = None if fold is None else fold.hear
    hand = fold.hand if fold is not None and fold.fresh else None
    silence = fold is not None and fold.silence
    coroutine = CoroutineType
    for call, handler in plan.calls:
        running.handler = handler
        if hand is not None:
            event = hand()
        try:
            answer = call(event, ctx)
            if type(answer) is coroutine or (answer is not None and is_awaitable(answer)):
                answer = await answer
        except (*FAILURES, CancelledError) as error:  # reported, by the policy of the law
            pass_interrupt(error)
            _refuse_or_go_on(handler, running.verdict(error), fold, law, report)
            continue
        if running.interruption is not None:
            _refuse_or_go_on(handler, running.verdict(None), fold, law, report)
            continue
        if hear is not None and (answer is not None or silence) and hear(answer, handler):
            break
    return None if fold is None else fold.end()


def is_awaitable(value: Any) -> bool:
    """Whether `await value` works: a coroutine, a future, an object with `__await__`."""
    if hasattr(type(value), "__await__"):
        return True
    return type(value) is GeneratorType and bool(value.gi_code.co_flags & CO_ITERABLE_COROUTINE)


def _refuse_or_go_on(
    handler: Handler, error: BaseException, fold: Fold | None, law: Law, report: Report
) -> None:
    """Report why a handler failed. Raises HandlerFailed if the event refuses on failure."""
    failure = Failure(handler.owner, law.row.event, text_of_error(error), kind_of_error(error), error)
    report(failure)
    if law.refuses:
        raise HandlerFailed(failure) from error
    if fold is not None:
        fold.failed(handler)
