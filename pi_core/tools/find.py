"""The `find` tool: files and folders by their names.

Touches: files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from pi_core.abort import AbortSignal
from pi_core.tools.looking import LookError, at_least_one, existing_path, nothing, result_of
from pi_core.tools.walk import Found, walk

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


def find_tool(cwd: str, *, home: str | None = None) -> ToolDefinition:
    """The tool for a working folder. `home` is what `~` means."""

    async def execute(
        tool_call_id: str, params: Mapping[str, Any], signal: AbortSignal | None, on_update: Any, ctx: Any
    ) -> ToolResult:
        folder = existing_path(params.get("path"), cwd, home, folder=True)
        limit = at_least_one(params.get("limit"), DEFAULT_LIMIT)
        matches = glob_matcher(str(params["pattern"]), smart_case=True)
        # One more than is shown tells whether there are more.
        paths = await asyncio.to_thread(_find, folder, matches, limit + 1, signal)
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


def glob_matcher(pattern: str, *, smart_case: bool = False) -> Callable[[str], bool]:
    """Whether a relative path matches: with a slash in the pattern the whole path, else its last name.

    `smart_case`: a pattern in lower case matches any case. Raises: LookError.
    """
    from wcmatch import glob  # start-up time: compiles many expressions, and few sessions look for files

    flags = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.FORCEUNIX
    if smart_case and pattern == pattern.lower():
        flags |= glob.IGNORECASE
    whole = "/" in pattern
    cleaned = pattern.removeprefix("./").removeprefix("/")
    try:
        compiled = glob.compile(cleaned, flags=flags)
    except (ValueError, RecursionError) as error:
        raise LookError("bad_pattern", f"The pattern {pattern} is no glob: {error}.") from error
    return lambda path: bool(compiled.match(path if whole else path.rpartition("/")[2]))


def _find(folder: str, matches: Callable[[str], bool], limit: int, signal: AbortSignal | None) -> list[str]:
    found = (_shown(entry) for entry in walk(folder, signal) if matches(entry.relative))
    return list(islice(found, limit))


def _shown(entry: Found) -> str:
    return f"{entry.relative}/" if entry.is_dir else entry.relative
