"""How long extensions may take: the limits as one value, and which events they hold for.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from math import inf
from typing import Any, Final

from hookspecs.values import dataclass
from pi_pkg import Diagnostic

UNLIMITED: Final = frozenset({"session_before_compact", "session_before_tree"})
"""Handlers of these may do an honest piece of work, such as asking a model; an abort ends them."""

STREAM: Final = frozenset({"message_update", "tool_execution_update", "provider_stream_event"})
"""Events of which many come a second: here a slow handler is felt long before its time is up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """The limits in seconds, all above zero; `inf` lifts one."""

    handler_s: float = 30.0
    """What one call of a handler may take, waiting for a person or a program not counted."""
    shutdown_s: float = 5.0
    """How long a session waits for the handlers of session_shutdown, all of them together."""
    warn_s: float = 1.0
    """After this a handler of a stream is named, once."""
    block_s: float = 0.1
    """A handler that holds up the whole program for longer is named, once."""

    def limit_s(self, event: str) -> float:
        """What a handler of this event may take; `inf` where there is no limit."""
        return inf if event in UNLIMITED else self.handler_s

    def warning_s(self, event: str) -> float:
        """When a handler of this event is called slow; `inf` where it never is."""
        return self.warn_s if event in STREAM else inf


def read_budgets(table: object) -> tuple[Budgets, tuple[Diagnostic, ...]]:
    """The budgets of the settings table `[budgets]`, and what is wrong with it.

    None is an empty table. Keys are in kebab-case; what cannot count keeps its default.
    """
    if table is None:
        return Budgets(), ()
    if not isinstance(table, Mapping):
        return Budgets(), (_wrong("budgets", "must be a table"),)
    names = {spec.name.replace("_", "-"): spec.name for spec in fields(Budgets)}
    good: dict[str, float] = {}
    findings: list[Diagnostic] = []
    for key, value in table.items():
        name = names.get(str(key))
        if name is None:
            findings.append(_wrong(f"budgets.{key}", f"is unknown; there are {', '.join(names)}"))
        elif not _is_duration(value):
            findings.append(_wrong(f"budgets.{key}", f"must be a number of seconds above 0, not {value!r}"))
        else:
            good[name] = float(value)
    return Budgets(**good), tuple(findings)


def _is_duration(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _wrong(what: str, problem: str) -> Diagnostic:
    return Diagnostic("warning", "bad-budget", "settings", f"{what} {problem}; it is left out")
