"""The `ls` tool: what is in one folder.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from pi_core.abort import AbortSignal
from pi_core.tools.looking import Looker, at_least_one, nothing, result_of
from pi_core.tools.name_order import name_key
from pi_core.tools.operations import Operations

DEFAULT_LIMIT: Final = 500
LS_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Folder to list; without it, the working folder."},
        "limit": {"type": "integer", "description": f"How many names at most (default {DEFAULT_LIMIT})."},
    },
}


def ls_tool(cwd: str, *, home: str | None = None, operations: Operations | None = None) -> ToolDefinition:
    """The tool for a working folder. `home` is what `~` means; `operations` default to this machine's."""
    looker = Looker(cwd, home, operations or Operations())

    async def execute(
        tool_call_id: str, params: Mapping[str, Any], signal: AbortSignal | None, on_update: Any, ctx: Any
    ) -> ToolResult:
        if signal is not None:
            signal.raise_if_aborted()
        path = await looker.place(params.get("path"), folder=True)
        with looker.refusing(params.get("path")):
            found = await looker.operations.folders.names(path)
        found = sorted(found, key=lambda item: name_key(item[0]))
        names = [f"{name}/" if is_folder else name for name, is_folder in found]
        limit = at_least_one(params.get("limit"), DEFAULT_LIMIT)
        if not names:
            return nothing("(empty directory)")
        if len(names) <= limit:
            return result_of(names, [], {})
        notice = f"{limit} names limit reached; raise limit to see more"
        return result_of(names[:limit], [notice], {"entryLimitReached": limit})

    return ToolDefinition(
        name="ls",
        label="ls",
        description=(
            "Lists a folder, hidden names included, in the order of the names; folders end with a slash."
        ),
        parameters=LS_PARAMETERS,
        execute=execute,
        prompt_snippet="List a folder",
    )
