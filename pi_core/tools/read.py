"""The `read` tool: a file's lines, or an image, within what a model can take.

Touches: files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final, Literal

from hookspecs.definitions import ToolDefinition, ToolResult
from hookspecs.messages import TextContent
from hookspecs.values import dataclass
from pi_core.abort import AbortSignal
from pi_core.errors import ToolError
from pi_core.tools.images import ImageSettings, UnfitImageError, fitted, image_type
from pi_core.tools.looking import meant_path
from pi_core.tools.operations import FileOperations, Operations
from pi_core.tools.text_file import decode_shown
from pi_core.tools.truncate import DEFAULT_MAX_BYTES, Truncation, byte_length, format_size, truncate_head

READ_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "File to read, relative or absolute."},
        "offset": {"type": "integer", "description": "Number of the first line to read, from 1."},
        "limit": {"type": "integer", "description": "How many lines to read at most."},
    },
    "required": ["path"],
}


class ReadError(ToolError):
    """A file that cannot be shown. `lines` is how many it has, where an offset is past its end."""

    def __init__(
        self,
        problem: Literal["path_missing", "is_directory", "unreadable", "offset_past_end"],
        message: str,
        *,
        lines: int | None = None,
    ) -> None:
        super().__init__(message)
        self.problem = problem
        self.lines = lines


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a text that a model is shown: its `body`, and a `notice` of what is missing."""

    body: str
    notice: str | None
    truncation: Truncation | None

    @property
    def text(self) -> str:
        parts = [part for part in (self.body, self.notice) if part]
        return "\n\n".join(parts)


def read_tool(
    cwd: str,
    *,
    home: str | None = None,
    images: ImageSettings | None = None,
    operations: Operations | None = None,
) -> ToolDefinition:
    """The tool for a working folder. `home` is what `~` means; `operations` default to this machine's."""
    machine, how = operations or Operations(), images or ImageSettings()

    async def execute(
        tool_call_id: str, params: Mapping[str, Any], signal: AbortSignal | None, on_update: Any, ctx: Any
    ) -> ToolResult:
        if signal is not None:
            signal.raise_if_aborted()
        asked = str(params["path"])
        path = meant_path(asked, cwd, home, machine)
        data = await _load(machine.files, path, asked)
        if signal is not None:
            signal.raise_if_aborted()
        mime_type = image_type(data)
        if mime_type is not None:
            return await _image_result(data, mime_type, asked, how, _sees_images(ctx))
        excerpt = select_lines(decode_shown(data), params.get("offset"), params.get("limit"), asked)
        details = {"truncation": excerpt.truncation.to_details()} if excerpt.truncation else None
        return ToolResult(content=[TextContent(text=excerpt.text)], details=details)

    return ToolDefinition(
        name="read",
        label="read",
        description=(
            "Reads a text file or an image (jpg, png, gif, webp, bmp). Of a text at most 2000 lines or 50KB "
            "are shown, whichever comes first; a notice names the offset to go on with."
        ),
        parameters=READ_PARAMETERS,
        execute=execute,
        prompt_snippet="Read a file, whole or by line numbers",
        prompt_guidelines=("Look at files with read; do not print them with cat or sed.",),
    )


def select_lines(text: str, offset: int | None, limit: int | None, path: str) -> Excerpt:
    """The lines from `offset` (from 1; less means 1), at most `limit` and never more than fits.

    Raises: ReadError if the text ends before `offset`.
    """
    lines = text.split("\n")
    start = max(0, int(offset or 1) - 1)
    if start >= len(lines):
        raise ReadError(
            "offset_past_end",
            f"Offset {offset} is past the end of {path}, which has {len(lines)} lines.",
            lines=len(lines),
        )
    end = len(lines) if limit is None else min(len(lines), start + max(0, int(limit)))
    chosen = "\n".join(lines[start:end])
    cut = truncate_head(chosen)
    if cut.first_line_exceeds:
        return Excerpt("", _overlong_notice(lines[start], start + 1, path), cut)
    if cut.truncated:
        return Excerpt(cut.content, _cut_notice(cut, start, len(lines)), cut)
    return Excerpt(chosen, _more_notice(len(lines) - end, end + 1), None)


def _cut_notice(cut: Truncation, start: int, total: int) -> str:
    last = start + cut.output_lines
    limit = f" ({format_size(DEFAULT_MAX_BYTES)} limit)" if cut.by == "bytes" else ""
    return f"[Showing lines {start + 1}-{last} of {total}{limit}. Go on with offset={last + 1}.]"


def _more_notice(remaining: int, next_offset: int) -> str | None:
    if remaining <= 0:
        return None
    return f"[{remaining} more lines in the file. Go on with offset={next_offset}.]"


def _overlong_notice(line: str, number: int, path: str) -> str:
    size, most = format_size(byte_length(line)), format_size(DEFAULT_MAX_BYTES)
    return (
        f"[Line {number} alone is {size}, more than the {most} limit. "
        f"Take a part of it with bash: sed -n '{number}p' {path} | head -c {DEFAULT_MAX_BYTES}]"
    )


async def _image_result(data: bytes, mime_type: str, path: str, how: ImageSettings, seen: bool) -> ToolResult:
    note = f"Image {path} ({mime_type}, {format_size(len(data))})"
    if how.blocked:
        return _note(f"{note}. Images are switched off in the settings, so it is left out.")
    if not seen:
        return _note(f"{note}. The current model does not take images, so it is left out.")
    try:
        picture = await asyncio.to_thread(fitted, data, mime_type, resize=how.resize)
    except UnfitImageError as error:
        return _note(f"{note} {error}.")
    text = f"{note}, {picture.note}" if picture.note else note
    return ToolResult(content=[TextContent(text=text), picture.content()])


def _note(text: str) -> ToolResult:
    return ToolResult(content=[TextContent(text=text)])


def _sees_images(ctx: Any) -> bool:
    """False only for a model that is known to take text alone."""
    accepted = getattr(getattr(ctx, "model", None), "input", None)
    return accepted is None or "image" in accepted


async def _load(files: FileOperations, path: str, asked: str) -> bytes:
    try:
        return await files.read(path)
    except FileNotFoundError as error:
        raise ReadError("path_missing", f"There is no file {asked}.") from error
    except IsADirectoryError as error:
        raise ReadError("is_directory", f"{asked} is a folder, not a file.") from error
    except OSError as error:
        raise ReadError("unreadable", f"Cannot read {asked}: {error.strerror or error}.") from error
