"""What the tools that only look have in common: their refusals and their notices.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hookspecs.definitions import ToolResult
from hookspecs.messages import TextContent
from hookspecs.values import dataclass
from pi_core.tools.look_error import LookError
from pi_core.tools.operations import Operations
from pi_core.tools.paths import resolve_existing_path, resolve_path
from pi_core.tools.truncate import Truncation, truncate_head
from pi_core.utf16 import well_formed

_NO_LINE_LIMIT = 10**9


@dataclass(frozen=True, slots=True)
class Looker:
    """Where a tool that looks begins: the working folder, what `~` means, and the machine."""

    cwd: str
    home: str | None
    operations: Operations

    async def place(self, asked: str | None, *, folder: bool) -> str:
        """The absolute path of what was asked, the working folder if nothing was. Raises: LookError."""
        path = meant_path(asked or ".", self.cwd, self.home, self.operations)
        with self.refusing(asked):
            kind = await self.operations.folders.kind(path)
        if kind is None:
            raise LookError("path_missing", f"There is nothing at {asked}.")
        if folder and kind != "folder":
            raise LookError("not_a_directory", f"{asked} is not a folder.")
        return path

    @contextmanager
    def refusing(self, asked: str | None) -> Iterator[None]:
        """Say in a sentence what the machine refuses."""
        try:
            yield
        except OSError as error:
            where = asked or "the working folder"
            message = f"Cannot look at {where}: {error.strerror or error}."
            raise LookError("unreadable", message) from error


def meant_path(asked: str, cwd: str, home: str | None, operations: Operations) -> str:
    """The absolute path of what was asked; on this machine also one that looks the same."""
    resolve = resolve_path if operations.elsewhere else resolve_existing_path
    return resolve(asked, cwd, home)


def at_least_one(limit: Any, default: int) -> int:
    """A limit as a model gives it; none means the default."""
    return default if limit is None else max(1, int(limit))


def result_of(lines: Sequence[str], notices: Sequence[str], details: dict[str, Any]) -> ToolResult:
    """The lines, cut where they are too many bytes, with the notices under them."""
    # Names need be no text: what cannot be told to a model is marked.
    cut: Truncation = truncate_head(well_formed("\n".join(lines)), max_lines=_NO_LINE_LIMIT)
    notices = list(notices)
    if cut.truncated:
        notices.append("50KB limit")
        details = {**details, "truncation": cut.to_details()}
    text = f"{cut.content}\n\n[{'. '.join(notices)}.]" if notices else cut.content
    return ToolResult(content=[TextContent(text=text)], details=details or None)


def nothing(text: str) -> ToolResult:
    """The result of a look that found nothing."""
    return ToolResult(content=[TextContent(text=text)])
