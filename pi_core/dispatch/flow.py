"""The one loop: calls every listener of an event in order, awaits it, and lets its law do the rest.

A handler may be a plain function or answer with anything awaitable. Handlers run strictly
one after another. `CancelledError` is never swallowed, nor is `KeyboardInterrupt`; a
handler that raises `SystemExit` failed like any other.

Touches: nothing but the handlers it is given.
"""

from __future__ import annotations

from inspect import CO_ITERABLE_COROUTINE
from types import CoroutineType, GeneratorType
from typing import Any

from pi_core.dispatch.algebra import Fold, Law
from pi_core.dispatch.plan import (
    Failure,
    FailureKind,
    Handler,
    HandlerFailed,
    Plan,
    ReadOnlyField,
    Report,
    text_of_error,
)
from pi_core.dispatch.timing import Running, new_cell
from pi_core.dispatch.wrapping import surround


async def dispatch(
    event: Any,
    plan: Plan,
    ctx: Any,
    law: Law,
    report: Report,
    cell: Running | None = None,
    fold: Fold | None = None,
) -> Any:
    """Tell everybody in the plan about the event.

    `cell` notes the handler that runs. `fold` is one that was begun before: the wrappers then
    stand around this call already. Returns what the law makes of the answers. Raises HandlerFailed
    where a handler of an event that refuses on failure failed; the failure was reported by then.
    What `report` raises, and cancellation, pass through.
    """
    if cell is None:
        cell = new_cell()
    if fold is None:
        if plan.wrappers:
            return await surround(dispatch, event, plan, ctx, law, report, cell)
        if not plan.handlers:
            return law.nobody(event)
        if law.listens:
            fold = law.begin(event, report)
    hear = None if fold is None else fold.hear
    hand = fold.hand if fold is not None and fold.fresh else None
    coroutine = CoroutineType
    outer = cell[0]
    try:
        for call, handler in plan.calls:
            cell[0] = handler
            if hand is not None:
                event = hand()
            try:
                answer = call(event, ctx)
                if type(answer) is coroutine or (answer is not None and is_awaitable(answer)):
                    answer = await answer
            except (Exception, SystemExit) as error:  # noqa: BLE001 - reported, by the policy of the law
                _refuse_or_go_on(handler, error, fold, law, report)
                continue
            if hear is not None and (answer is not None or hand is not None) and hear(answer, handler):
                break
    finally:
        cell[0] = outer
    return None if fold is None else fold.end()


def is_awaitable(value: Any) -> bool:
    """Whether `await value` works: a coroutine, a future, an object with `__await__`."""
    if hasattr(type(value), "__await__"):
        return True
    return type(value) is GeneratorType and bool(value.gi_code.co_flags & CO_ITERABLE_COROUTINE)


def _refuse_or_go_on(
    handler: Handler, error: BaseException, fold: Fold | None, law: Law, report: Report
) -> None:
    """Report what a handler raised. Raises HandlerFailed if the event refuses on failure."""
    kind: FailureKind = "read-only" if isinstance(error, ReadOnlyField) else "raised"
    failure = Failure(handler.owner, law.row.event, text_of_error(error), kind, error)
    report(failure)
    if law.refuses:
        raise HandlerFailed(failure) from error
    if fold is not None:
        fold.failed(handler)
