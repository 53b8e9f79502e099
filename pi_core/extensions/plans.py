"""From registrations to a plan: who hears an event, in which order, and how each is called.

The order is ours, not pluggy's: first the first, then the plain, then the last;
among equals by the rank of the extension, then in order of registration. The
foremost wrapper is the outermost.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookspecs.laws import LAWS
from pi_core.dispatch.algebra import Law
from pi_core.dispatch.own_events import own_law
from pi_core.dispatch.plan import Handler, Plan, Wrapper
from pi_core.dispatch.table import law_for
from pi_core.extensions.hookimpls import HookTable
from pi_core.extensions.registrations import Extension, Registration

Around: TypeAlias = Callable[[Handler], Handler]
"""Puts something around a handler as it takes its place in a plan."""


def order_key(registration: Registration, rank: int) -> tuple[int, int, int]:
    """Sorts the registrations of one event into the order in which they run."""
    place = 2 if registration.last else 0 if registration.first else 1
    return place, rank, registration.sequence


def compile_plan(
    event: str, table: HookTable, ranks: Mapping[Extension, int], around: Around | None = None
) -> Plan:
    """The plan of an event; extensions without a rank do not take part."""
    found = [pair for pair in table.registrations(event) if pair[0].extension in ranks]
    found.sort(key=lambda pair: order_key(pair[0], ranks[pair[0].extension]))
    handlers = []
    wrappers = []
    for registration, call in found:
        owner, target = registration.extension.path, registration.target
        if registration.wrapper != "none":
            wrappers.append(Wrapper(call, owner, event, registration.wrapper == "async", target))
            continue
        handler = Handler(call, owner, event, target)
        handlers.append(handler if around is None else around(handler))
    return Plan(tuple(handlers), tuple(wrappers))


def law_of(event: str, table: HookTable) -> Law:
    """The law of an event; of a host's own it is as their specification has it."""
    return law_for(event) if event in LAWS else own_law(event, first=table.takes_first(event))
