"""What a look at files is refused for.

Pure.
"""

from __future__ import annotations

from typing import Literal

from pi_core.errors import ToolError

LookProblem = Literal["path_missing", "not_a_directory", "unreadable", "bad_pattern", "too_slow"]


class LookError(ToolError):
    """A place that cannot be looked at, or a pattern that cannot be looked for."""

    def __init__(self, problem: LookProblem, message: str) -> None:
        super().__init__(message)
        self.problem = problem
