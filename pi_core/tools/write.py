"""The `write` tool: a whole new content for a file.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from hookspecs.messages import TextContent
from pi_core.abort import AbortSignal
from pi_core.errors import ToolError
from pi_core.tools.mutation_queue import file_mutation
from pi_core.tools.operations import Operations
from pi_core.tools.paths import resolve_path
from pi_core.tools.text_file import encode_new

WRITE_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "File to write, relative or absolute."},
        "content": {"type": "string", "description": "The whole content that the file shall have."},
    },
    "required": ["path", "content"],
}


def write_tool(cwd: str, *, home: str | None = None, operations: Operations | None = None) -> ToolDefinition:
    """The tool for a working folder. `home` is what `~` means; `operations` default to this machine's."""
    machine = operations or Operations()

    async def execute(
        tool_call_id: str, params: Mapping[str, Any], signal: AbortSignal | None, on_update: Any, ctx: Any
    ) -> ToolResult:
        asked = str(params["path"])
        path = resolve_path(asked, cwd, home)
        data = encode_new(str(params["content"]))
        async with file_mutation(path):
            # Asked again here: the file may have been busy for long.
            if signal is not None:
                signal.raise_if_aborted()
            try:
                await machine.files.write(path, data)
            except OSError as error:
                raise ToolError(f"Cannot write {asked}: {error.strerror or error}.") from error
        return ToolResult(content=[TextContent(text=f"Wrote {len(data)} bytes to {asked}.")])

    return ToolDefinition(
        name="write",
        label="write",
        description=(
            "Writes a file: makes it, with its folders, if it is not there, and replaces all of its "
            "content if it is."
        ),
        parameters=WRITE_PARAMETERS,
        execute=execute,
        prompt_snippet="Make a file or replace all of its content",
        prompt_guidelines=("Use write for new files and complete rewrites only.",),
    )
