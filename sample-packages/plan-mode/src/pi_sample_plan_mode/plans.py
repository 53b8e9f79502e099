"""Plans as values: read from an answer, ticked off, kept in an entry. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

_HEADING = re.compile(r"^\W*plan\W*$", re.IGNORECASE | re.MULTILINE)
_STEP = re.compile(r"^\s*(\d+)[.)]\s+(\S.*)$", re.MULTILINE)
_DONE = re.compile(r"\[DONE:\s*(\d+)\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order; `done` holds the numbers of those that are, from 1."""

    steps: tuple[str, ...] = ()
    done: frozenset[int] = frozenset()

    @property
    def open_steps(self) -> int:
        """How many are left."""
        return len(self.steps) - len(self.done)

    def ticked_off(self, said: str) -> Plan:
        """The plan after an answer that says which steps are done; unknown numbers are passed over."""
        numbers = {int(number) for number in _DONE.findall(said)}
        return replace(self, done=self.done | {n for n in numbers if 1 <= n <= len(self.steps)})

    def lines(self) -> list[str]:
        """A line a step."""
        return [f"{'✓' if n in self.done else '·'} {n}. {step}" for n, step in enumerate(self.steps, 1)]


def plan_in(said: str) -> Plan:
    """The plan in an answer: the numbered lines under the last heading `Plan:`. Without one there is none."""
    headings = list(_HEADING.finditer(said))
    if not headings:
        return Plan()
    return Plan(tuple(step.strip() for _, step in _STEP.findall(said[headings[-1].end() :])))


def to_entry(on: bool, plan: Plan) -> dict[str, Any]:
    return {"on": on, "steps": list(plan.steps), "done": sorted(plan.done)}


def from_entry(data: Any) -> tuple[bool, Plan]:
    """What `to_entry` made; off and empty for anything else."""
    if not isinstance(data, Mapping):
        return False, Plan()
    steps, done = data.get("steps") or (), data.get("done") or ()
    return bool(data.get("on")), Plan(
        tuple(map(str, steps)), frozenset(n for n in done if isinstance(n, int))
    )
