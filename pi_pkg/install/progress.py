"""What long work tells while it runs.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from pi_pkg.values import dataclass

Stage: TypeAlias = Literal["wait", "fetch", "prepare", "build", "install", "check", "done"]


@dataclass(frozen=True, slots=True)
class Step:
    """One line of progress, without credentials."""

    stage: Stage
    message: str


Report: TypeAlias = Callable[[Step], None]
"""Takes each step as it happens, perhaps from another thread; must return soon."""


def silent(step: Step) -> None:
    """A report that tells nobody."""
