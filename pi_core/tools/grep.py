"""The `grep` tool: lines of files that match a pattern.

Touches: files.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult
from pi_core.abort import AbortSignal
from pi_core.tools.find import glob_matcher
from pi_core.tools.looking import LookError, at_least_one, existing_path, nothing, result_of
from pi_core.tools.text_file import decode_shown, encoding_of
from pi_core.tools.truncate import DEFAULT_MAX_LINE_CHARS, truncate_line
from pi_core.tools.walk import walk

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


@dataclass(slots=True)
class _Search:
    """One search: what is wanted, and what was found so far."""

    expression: re.Pattern[str]
    context: int
    limit: int
    signal: AbortSignal | None
    lines: list[str] = field(default_factory=list)
    matches: int = 0
    more: bool = False
    cut: bool = False

    def look_into(self, path: str, name: str) -> None:
        """Search one file; `name` is what it is called in the result."""
        text = _text_of(path)
        if text is None:
            return
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        hits: set[int] = set()
        for number, line in enumerate(lines):
            if self.expression.search(line.removesuffix("\r")) is None:
                continue
            if self.matches == self.limit:
                self.more = True
                break
            self.matches += 1
            hits.add(number)
        for number in _with_context(hits, self.context, len(lines)):
            self._show(name, number, lines[number].removesuffix("\r"), number in hits)

    def _show(self, name: str, number: int, line: str, is_hit: bool) -> None:
        kept, cut = truncate_line(line)
        self.cut = self.cut or cut
        place = f"{name}:{number + 1}:" if is_hit else f"{name}-{number + 1}-"
        self.lines.append(f"{place} {kept}{CUT_MARK if cut else ''}")

    def result(self) -> ToolResult:
        if not self.lines:
            return nothing("No matches found.")
        notices: list[str] = []
        details: dict[str, Any] = {}
        if self.more:
            notices.append(f"{self.limit} matches limit reached; raise limit or narrow the pattern")
            details["matchLimitReached"] = self.limit
        if self.cut:
            notices.append(f"lines cut at {DEFAULT_MAX_LINE_CHARS} characters; read shows them whole")
            details["linesTruncated"] = True
        return result_of(self.lines, notices, details)


def grep_tool(cwd: str, *, home: str | None = None) -> ToolDefinition:
    """The tool for a working folder. `home` is what `~` means."""

    async def execute(
        tool_call_id: str, params: Mapping[str, Any], signal: AbortSignal | None, on_update: Any, ctx: Any
    ) -> ToolResult:
        search = _Search(
            _expression(params),
            max(0, int(params.get("context") or 0)),
            at_least_one(params.get("limit"), DEFAULT_LIMIT),
            signal,
        )
        path = existing_path(params.get("path"), cwd, home, folder=False)
        wanted = _file_filter(params.get("glob"))
        await asyncio.to_thread(_search, search, path, wanted)
        return search.result()

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


def _expression(params: Mapping[str, Any]) -> re.Pattern[str]:
    pattern = str(params["pattern"])
    source = re.escape(pattern) if params.get("literal") else pattern
    try:
        return re.compile(source, re.IGNORECASE if params.get("ignoreCase") else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise LookError("bad_pattern", f"The pattern {pattern} is no regular expression: {error}.") from error


def _file_filter(pattern: str | None) -> Callable[[str], bool]:
    if not pattern:
        return lambda _: True
    if pattern.startswith("!"):
        unwanted = glob_matcher(pattern[1:])
        return lambda path: not unwanted(path)
    return glob_matcher(pattern)


def _search(search: _Search, path: str, wanted: Callable[[str], bool]) -> None:
    for file, name in _files(path, wanted, search.signal):
        search.look_into(file, name)
        if search.more:
            return


def _files(path: str, wanted: Callable[[str], bool], signal: AbortSignal | None) -> Iterator[tuple[str, str]]:
    if not os.path.isdir(path):
        yield path, os.path.basename(path)
        return
    for entry in walk(path, signal):
        if not entry.is_dir and wanted(entry.relative):
            yield entry.path, entry.relative


def _text_of(path: str) -> str | None:
    """A file's text; None for one that cannot be read, that is no plain file, or that is binary."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    if encoding_of(data) == "utf-8" and b"\0" in data:
        return None
    return decode_shown(data)


def _with_context(hits: set[int], context: int, total: int) -> list[int]:
    """The numbers of the lines to show, each once."""
    shown = {n for hit in hits for n in range(max(0, hit - context), min(total, hit + context + 1))}
    return sorted(shown)
