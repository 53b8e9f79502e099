"""What the tools that only look have in common: their refusals and their notices.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

from hookspecs.definitions import ToolResult
from hookspecs.messages import TextContent
from pi_core.errors import ToolError
from pi_core.tools.paths import resolve_existing_path
from pi_core.tools.truncate import Truncation, truncate_head

LookProblem = Literal["path_missing", "not_a_directory", "unreadable", "bad_pattern"]
_NO_LINE_LIMIT = 10**9


class LookError(ToolError):
    """A place that cannot be looked at, or a pattern that cannot be looked for."""

    def __init__(self, problem: LookProblem, message: str) -> None:
        super().__init__(message)
        self.problem = problem


def existing_path(asked: str | None, cwd: str, home: str | None, *, folder: bool) -> str:
    """The absolute path of what was asked, the working folder if nothing was. Raises: LookError."""
    path = resolve_existing_path(asked or ".", cwd, home)
    if not os.path.lexists(path):
        raise LookError("path_missing", f"There is nothing at {asked}.")
    if folder and not os.path.isdir(path):
        raise LookError("not_a_directory", f"{asked} is not a folder.")
    return path


def at_least_one(limit: Any, default: int) -> int:
    """A limit as a model gives it; none means the default."""
    return default if limit is None else max(1, int(limit))


def result_of(lines: Sequence[str], notices: Sequence[str], details: dict[str, Any]) -> ToolResult:
    """The lines, cut where they are too many bytes, with the notices under them."""
    cut: Truncation = truncate_head("\n".join(lines), max_lines=_NO_LINE_LIMIT)
    notices = list(notices)
    if cut.truncated:
        notices.append("50KB limit")
        details = {**details, "truncation": cut.to_details()}
    text = f"{cut.content}\n\n[{'. '.join(notices)}.]" if notices else cut.content
    return ToolResult(content=[TextContent(text=text)], details=details or None)


def nothing(text: str) -> ToolResult:
    """The result of a look that found nothing."""
    return ToolResult(content=[TextContent(text=text)])
