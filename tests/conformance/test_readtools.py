"""The tools that only look, against the recorded reference.

Touches: files.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import text_of
from pi_core.tools.find import find_tool
from pi_core.tools.grep import CUT_MARK, grep_tool
from pi_core.tools.look_error import LookError
from pi_core.tools.ls import ls_tool
from pi_core.tools.read import ReadError, read_tool
from pi_core.utf16 import utf16_length
from tests.conformance.host_rows import Row, from_recipe, hold, row_id, rows_of, sha

LIMIT_DETAILS = ("entryLimitReached", "resultLimitReached", "matchLimitReached")
LIMIT_NOTICES = {
    "names limit": "entry_limit",
    "matches limit": "match_limit",
    "results limit": "result_limit",
    "50KB limit": "byte_limit",
    "lines cut": "lines_cut",
}
GREP_LINE = re.compile(r"(?P<path>.*?)(?P<mark>[:-])(?P<line>\d+)(?P=mark) (?P<text>.*)")
NOTICES = {
    "cut": re.compile(r"\[Showing lines (\d+)-(\d+) of (\d+)( \(.* limit\))?\. Go on with offset=(\d+)\.\]"),
    "more": re.compile(r"\[(\d+) more lines in the file\. Go on with offset=(\d+)\.\]"),
    "overlong": re.compile(r"\[Line (\d+) alone is (\S+), more than .*\]"),
}


@pytest.mark.parametrize("row", rows_of("readtools", "read"), ids=row_id)
async def test_files_are_read_as_recorded(row: Row, tmp_path: Path) -> None:
    """The shown part, what is said of the rest, and the reasons of refusals are the reference's."""
    plant(row["in"]["tree"], tmp_path)
    try:
        result = await read_tool(str(tmp_path)).execute("call", row["in"]["args"], None, None, None)
    except ReadError as error:
        ours: dict[str, Any] = {"error": error.problem}
        hold("readtools", row, row["out"], ours | ({"lines": error.lines} if error.lines else {}))
        return
    body, notice = split_notice(text_of(result.content))
    expected = {name: row["out"].get(name) for name in ("notice", "truncation")}
    shown = None if notice and notice["kind"] == "line_too_long" else sha(body)
    cut = result.details["truncation"] if result.details else None
    hold(
        "readtools",
        row,
        expected | {"body_sha": row["out"].get("body_sha")},
        {"notice": notice, "truncation": as_recorded(cut), "body_sha": shown},
    )


@pytest.mark.parametrize("row", rows_of("readtools", "ls", "find", "grep"), ids=row_id)
async def test_folders_are_searched_as_recorded(row: Row, tmp_path: Path) -> None:
    """Listing, finding and searching give the same lines and notices, or refuse for the same reason."""
    plant(row["in"]["tree"], tmp_path)
    tool = {"ls": ls_tool, "find": find_tool, "grep": grep_tool}[row["kind"]](str(tmp_path))
    try:
        result = await tool.execute("call", row["in"]["args"], None, None, None)
    except LookError as error:
        hold("readtools", row, row["out"], {"error": error.problem})
        return
    details = result.details or {}
    limits = [details[name] for name in LIMIT_DETAILS if name in details]
    body, *rest = text_of(result.content).split("\n\n[")
    ours = findings(row["kind"], [] if body.startswith("No ") else body.split("\n"))
    if body.startswith("No "):
        hold("readtools", row, row["out"], {**ours, "none": True})
        return
    ours |= {"notices": notices_of("".join(rest)), "limit": limits[0] if limits else None}
    if "count" in row["out"]:
        ours["count"] = len(ours.pop("paths"))
    hold("readtools", row, row["out"], ours)


def findings(kind: str, lines: list[str]) -> dict[str, Any]:
    """What was found, in the recorded shape."""
    if kind == "ls":
        return {"entries": lines}
    if kind == "find":
        return {"paths": sorted(lines)}
    return {"lines": [grep_line(line) for line in lines]}


def grep_line(line: str) -> dict[str, Any]:
    match = GREP_LINE.fullmatch(line)
    assert match is not None, line
    form = {"path": match["path"], "line": int(match["line"]), "match": match["mark"] == ":"}
    if not match["text"].endswith(CUT_MARK):
        return {**form, "text": match["text"]}
    kept = match["text"].removesuffix(CUT_MARK)
    return {**form, "cut": True, "kept_units": utf16_length(kept), "kept_sha": sha(kept)}


def notices_of(text: str) -> list[str]:
    return [kind for words, kind in LIMIT_NOTICES.items() if words in text]


def plant(tree: dict[str, list[list[Any]]], root: Path) -> None:
    """Make the files of a row; a name that ends in a slash is an empty folder."""
    for name, recipe in tree.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(from_recipe(recipe).encode())


def split_notice(text: str) -> tuple[str, dict[str, Any] | None]:
    """The body and the notice under it in the recorded shape."""
    body, _, last = text.rpartition("\n\n") if "\n\n[" in text else ("", "", text)
    if match := NOTICES["cut"].fullmatch(last):
        first, to, total, limit, offset = match.groups()
        numbers = {"from": int(first), "to": int(to), "total": int(total), "next_offset": int(offset)}
        return body, {"kind": "byte_limit" if limit else "line_limit", **numbers}
    if match := NOTICES["more"].fullmatch(last):
        return body, {"kind": "more_lines", "remaining": int(match[1]), "next_offset": int(match[2])}
    if match := NOTICES["overlong"].fullmatch(last):
        return body, {"kind": "line_too_long", "line": int(match[1]), "size": match[2]}
    return text, None


def as_recorded(details: dict[str, Any] | None) -> dict[str, Any] | None:
    """Truncation details in the recorded shape."""
    if details is None:
        return None
    return {
        "by": details["truncatedBy"],
        "total_lines": details["totalLines"],
        "total_bytes": details["totalBytes"],
        "output_lines": details["outputLines"],
        "output_bytes": details["outputBytes"],
        "first_line_exceeds": details["firstLineExceedsLimit"],
    }
