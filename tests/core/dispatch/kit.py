"""Telling a few functions about an event, and keeping everything that came of it.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import isasyncgenfunction
from typing import Any

from hookspecs import SessionBeforeCompact, SessionBeforeSwitch, SessionBeforeTree, ToolCall, TurnStart
from pi_core.dispatch import Failure, Handler, HandlerFailed, Plan, Running, Wrapper, dispatch, law_for

Function = Callable[[Any, Any], Any]


@dataclass
class Told:
    """The result of a dispatch, or the refusal with which it ended; and what was reported."""

    result: Any = None
    refusal: HandlerFailed | None = None
    failures: list[Failure] = field(default_factory=list)

    @property
    def kinds(self) -> list[str]:
        return [failure.kind for failure in self.failures]


def plan_of(event: str, functions: Sequence[Function], wrappers: Sequence[Function] = ()) -> Plan:
    """The functions belong to E1, E2, …, the wrappers to W1, W2, … from the outside in."""
    return Plan(
        tuple(Handler(function, f"E{n}", event, function) for n, function in enumerate(functions, 1)),
        tuple(Wrapper(w, f"W{n}", event, isasyncgenfunction(w), w) for n, w in enumerate(wrappers, 1)),
    )


async def tell(
    event: Any,
    *functions: Function,
    wrappers: Sequence[Function] = (),
    ctx: Any = None,
    running: Running | None = None,
) -> Told:
    """Dispatch an event to the functions, in order."""
    told = Told()
    plan = plan_of(event.event_name, functions, wrappers)
    try:
        told.result = await dispatch(
            event, plan, ctx, law_for(event.event_name), told.failures.append, running
        )
    except HandlerFailed as refusal:
        told.refusal = refusal
    return told


def unexpected(failure: Failure) -> None:
    """For a dispatch in which nothing may go wrong."""
    raise AssertionError(failure)


def answering(value: Any) -> Function:
    """A handler that answers with the value."""
    return lambda event, ctx: value


def raising(text: str) -> Function:
    """A handler that fails."""

    def handler(event: Any, ctx: Any) -> None:
        raise RuntimeError(text)

    return handler


@dataclass
class Probe:
    """A handler without an opinion that counts its calls and keeps what it read from the event."""

    name: str | None = None
    seen: list[Any] = field(default_factory=list)

    def __call__(self, event: Any, ctx: Any) -> None:
        self.seen.append(getattr(event, self.name) if self.name else event)

    @property
    def calls(self) -> int:
        return len(self.seen)


def turn_start() -> TurnStart:
    return TurnStart(turn_index=0, timestamp=0)


def tool_call(**arguments: Any) -> ToolCall:
    return ToolCall(tool_name="bash", tool_call_id="c1", input=arguments)


def switch() -> SessionBeforeSwitch:
    return SessionBeforeSwitch(reason="new")


def compact() -> SessionBeforeCompact:
    return SessionBeforeCompact(preparation={}, branch_entries=[], reason="manual")


def tree() -> SessionBeforeTree:
    return SessionBeforeTree(preparation={})
