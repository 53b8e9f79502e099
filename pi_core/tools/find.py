"""The `find` tool: files and folders by their names.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from pi_core.abort import AbortSignal
from pi_core.tools.looking import Looker, at_least_one, nothing, result_of
from pi_core.tools.operations import Operations
from pi_core.tools.searching import FindRequest

DEFAULT_LIMIT: Final = 1000
FIND_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "pattern": {
            "type": "string",
            "description": "Glob such as *.ts, or src/**/*.py, which is matched with the whole path.",
        },
        "path": {"type": "string", "description": "Folder to look in; without it, the working folder."},
        "limit": {"type": "integer", "description": f"How many paths at most (default {DEFAULT_LIMIT})."},
    },
    "required": ["pattern"],
}


def find_tool(cwd: str, *, home: str | None = None, operations: Operations | None = None) -> ToolDefinition:
    """The tool for a working folder. `home` is what `~` means; `operations` default to this machine's."""
    looker = Looker(cwd, home, operations or Operations())

    async def execute(
        tool_call_id: str, params: Mapping[str, Any], signal: AbortSignal | None, on_update: Any, ctx: Any
    ) -> ToolResult:
        folder = await looker.place(params.get("path"), folder=True)
        limit = at_least_one(params.get("limit"), DEFAULT_LIMIT)
        # One more than is shown tells whether there are more.
        wanted = FindRequest(folder=folder, pattern=str(params["pattern"]), limit=limit + 1)
        with looker.refusing(params.get("path")):
            paths = await looker.operations.search.find(wanted, signal)
        if not paths:
            return nothing("No files found that match the pattern.")
        if len(paths) <= limit:
            return result_of(paths, [], {})
        notice = f"{limit} results limit reached; raise limit or narrow the pattern"
        return result_of(paths[:limit], [notice], {"resultLimitReached": limit})

    return ToolDefinition(
        name="find",
        label="find",
        description=(
            "Finds files and folders by a glob, hidden ones included, without what .gitignore names. Paths "
            "are relative to the folder that was looked in; folders end with a slash."
        ),
        parameters=FIND_PARAMETERS,
        execute=execute,
        prompt_snippet="Find files by a glob",
    )
