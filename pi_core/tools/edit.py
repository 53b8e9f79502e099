"""The `edit` tool: replaces quoted passages of one file, all of them or none.

Touches: files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from hookspecs.messages import TextContent
from pi_core.abort import AbortSignal
from pi_core.tools.diff import describe_change
from pi_core.tools.edit_match import Edit, EditError, apply_edits
from pi_core.tools.looking import meant_path
from pi_core.tools.mutation_queue import file_mutation
from pi_core.tools.operations import FileOperations, Operations
from pi_core.tools.text_file import decode_exact, encode_exact, encoding_of
from pi_core.utf16 import well_formed

EDIT_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "File to edit, relative or absolute."},
        "edits": {
            "type": "array",
            "description": (
                "The replacements. Each is looked up in the file as it is now, not as the edits before it "
                "leave it, so no two may touch the same passage."
            ),
            "items": {
                "type": "object",
                "properties": {
                    "oldText": {
                        "type": "string",
                        "description": "A passage quoted exactly, which is in the file once.",
                    },
                    "newText": {"type": "string", "description": "What takes the passage's place."},
                },
                "required": ["oldText", "newText"],
            },
        },
    },
    "required": ["path", "edits"],
}


def edit_tool(cwd: str, *, home: str | None = None, operations: Operations | None = None) -> ToolDefinition:
    """The tool for a working folder. `home` is what `~` means; `operations` default to this machine's."""
    machine = operations or Operations()

    async def execute(
        tool_call_id: str, params: Mapping[str, Any], signal: AbortSignal | None, on_update: Any, ctx: Any
    ) -> ToolResult:
        asked, edits = str(params.get("path", "")), parse_edits(prepare_edit_arguments(params))
        path = meant_path(asked, cwd, home, machine)
        async with file_mutation(path):
            if signal is not None:
                signal.raise_if_aborted()
            old, new = await _change(machine.files, path, asked, edits)
        passages = "1 passage" if len(edits) == 1 else f"{len(edits)} passages"
        return ToolResult(
            content=[TextContent(text=f"Replaced {passages} in {asked}.")],
            details=describe_change(old, new, asked).to_details(),
        )

    return ToolDefinition(
        name="edit",
        label="edit",
        description=(
            "Edits one file by replacing passages that are quoted exactly. Every oldText must be in the "
            "file once. Several changes of a file go into one call, each as its own entry of edits."
        ),
        parameters=EDIT_PARAMETERS,
        execute=execute,
        prompt_snippet="Replace quoted passages of a file",
        prompt_guidelines=(
            "Use edit for changes inside a file; quote oldText exactly as the file has it.",
            "Keep each oldText as short as it can be while it is still unique in the file.",
        ),
        prepare_arguments=prepare_edit_arguments,
    )


def prepare_edit_arguments(arguments: Any) -> Any:
    """Arguments in the shape of the schema, where a model's meaning is plain though its shape is not.

    `edits` as JSON text, one edit without its list, and `oldText`/`newText` beside `path` are put
    right; everything else is left for validation to judge.
    """
    if not isinstance(arguments, Mapping):
        return arguments
    prepared = dict(arguments)
    edits = _from_json(prepared.get("edits"))
    if isinstance(edits, Mapping):
        edits = [dict(edits)]
    if isinstance(prepared.get("oldText"), str) and isinstance(prepared.get("newText"), str):
        own = {"oldText": prepared.pop("oldText"), "newText": prepared.pop("newText")}
        edits = [*edits, own] if isinstance(edits, list) else [own]
    if edits is not None:
        prepared["edits"] = edits
    return prepared


def parse_edits(arguments: Any) -> list[Edit]:
    """The edits of prepared arguments, in order, at least one.

    Raises: EditError ("invalid_input") for any other shape.
    """
    edits = arguments.get("edits") if isinstance(arguments, Mapping) else None
    if not isinstance(edits, list) or not edits:
        raise EditError("invalid_input", "edits must be a list with at least one oldText and newText.")
    return [_parse_edit(edit, number) for number, edit in enumerate(edits)]


def _parse_edit(edit: Any, number: int) -> Edit:
    old = edit.get("oldText") if isinstance(edit, Mapping) else None
    new = edit.get("newText") if isinstance(edit, Mapping) else None
    if not isinstance(old, str) or not isinstance(new, str):
        raise EditError("invalid_input", f"edits[{number}] must have an oldText and a newText, both texts.")
    return Edit(old, well_formed(new))


def _from_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


async def _change(files: FileOperations, path: str, asked: str, edits: list[Edit]) -> tuple[str, str]:
    """Apply the edits to the stored file. Returns the text before and after."""
    try:
        data = await files.read(path)
    except OSError as error:
        raise EditError("file_unreadable", f"Cannot read {asked}: {error.strerror or error}.") from error
    encoding = encoding_of(data)
    old = decode_exact(data, encoding)
    new = apply_edits(old, edits, asked)
    try:
        await files.write(path, encode_exact(new, encoding))
    except OSError as error:
        raise EditError("file_unreadable", f"Cannot write {asked}: {error.strerror or error}.") from error
    return old, new
