"""The `grep` tool: lines of files that match a pattern.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from pi_core.abort import AbortSignal
from pi_core.tools.looking import Looker, at_least_one, result_of
from pi_core.tools.operations import Operations
from pi_core.tools.searching import MAX_SEARCHED_BYTES, GrepFound, GrepLine, GrepRequest
from pi_core.tools.truncate import DEFAULT_MAX_LINE_CHARS, format_size, truncate_line

DEFAULT_LIMIT: Final = 100
CUT_MARK: Final = "... [cut]"
GREP_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "description": "Regular expression, or a text with literal."},
        "path": {"type": "string", "description": "File or folder; without it, the working folder."},
        "glob": {"type": "string", "description": "Only files that match, such as *.py or !*.txt."},
        "ignoreCase": {"type": "boolean", "description": "Take upper and lower case for the same."},
        "literal": {"type": "boolean", "description": "Take the pattern as it stands."},
        "context": {"type": "integer", "description": "Lines to show before and after each match."},
        "limit": {"type": "integer", "description": f"How many matches at most (default {DEFAULT_LIMIT})."},
    },
    "required": ["pattern"],
}


def grep_tool(cwd: str, *, home: str | None = None, operations: Operations | None = None) -> ToolDefinition:
    """The tool for a working folder. `home` is what `~` means; `operations` default to this machine's."""
    looker = Looker(cwd, home, operations or Operations())

    async def execute(
        tool_call_id: str, params: Mapping[str, Any], signal: AbortSignal | None, on_update: Any, ctx: Any
    ) -> ToolResult:
        limit = at_least_one(params.get("limit"), DEFAULT_LIMIT)
        wanted = GrepRequest(
            path=await looker.place(params.get("path"), folder=False),
            pattern=str(params["pattern"]),
            glob=params.get("glob"),
            ignore_case=bool(params.get("ignoreCase")),
            literal=bool(params.get("literal")),
            context=max(0, int(params.get("context") or 0)),
            limit=limit,
        )
        with looker.refusing(params.get("path")):
            found = await looker.operations.search.grep(wanted, signal)
        return _result(found, limit)

    return ToolDefinition(
        name="grep",
        label="grep",
        description=(
            "Searches files for a pattern, hidden ones included, without what .gitignore names. Matches are "
            "shown as path:line: text, lines around them as path-line- text."
        ),
        parameters=GREP_PARAMETERS,
        execute=execute,
        prompt_snippet="Search files for a pattern",
    )


def _result(found: GrepFound, limit: int) -> ToolResult:
    """The lines as they are shown, with what is missing."""
    shown = [_line(line) for line in found.lines]
    notices: list[str] = []
    details: dict[str, Any] = {}
    if found.too_large:
        files = "1 file" if found.too_large == 1 else f"{found.too_large} files"
        notices.append(f"{files} larger than {format_size(MAX_SEARCHED_BYTES)} left out")
    if not shown:
        return result_of(["No matches found."], notices, details)
    if found.more:
        notices.append(f"{limit} matches limit reached; raise limit or narrow the pattern")
        details["matchLimitReached"] = limit
    if any(cut for _, cut in shown):
        notices.append(f"lines cut at {DEFAULT_MAX_LINE_CHARS} characters; read shows them whole")
        details["linesTruncated"] = True
    return result_of([text for text, _ in shown], notices, details)


def _line(line: GrepLine) -> tuple[str, bool]:
    """One line with its place, and whether something of it was cut off."""
    kept, cut = truncate_line(line.text)
    place = f"{line.name}:{line.number}:" if line.is_match else f"{line.name}-{line.number}-"
    return f"{place} {kept}{CUT_MARK if cut else ''}", cut
