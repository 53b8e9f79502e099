"""The question whether a project may bring code, and its answer.

Pure.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from hookspecs.unset import UNSET, Unset
from hookspecs.values import dataclass


@dataclass(kw_only=True)
class ProjectTrust:
    """A project with resources that need trust is about to be judged."""

    event_name: ClassVar[str] = "project_trust"
    cwd: str


@dataclass(frozen=True, slots=True)
class Trust:
    """The verdict: only "yes" is yes, "undecided" passes the question on; `remember` stores it."""

    trusted: Literal["yes", "no", "undecided"]
    remember: bool | Unset = UNSET
