"""The edit tool against the recorded reference.

Touches: files.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import text_of
from pi_core.tools.edit import edit_tool
from pi_core.tools.edit_match import EditError
from tests.conformance.host_rows import Row, hold, row_id, rows_of


@pytest.mark.parametrize("row", rows_of("edit"), ids=row_id)
async def test_files_are_edited_as_recorded(row: Row, tmp_path: Path) -> None:
    """Every recorded edit leaves the same bytes, or fails for the same reason and leaves them alone."""
    file = tmp_path / "f.txt"
    before = row["in"]["content"]
    if before is not None:
        file.write_bytes(before.encode())
    tool = edit_tool(str(tmp_path))
    try:
        result = await tool.execute("call", row["in"]["args"], None, None, None)
    except EditError as error:
        hold("edit", row, row["out"], failure(error, file, before))
        return
    replaced = re.match(r"Replaced (\d+) ", text_of(result.content))
    assert replaced is not None
    ours = {
        "replaced": int(replaced[1]),
        "first_changed_line": result.details["firstChangedLine"],
        "content": file.read_bytes().decode(),
    }
    hold("edit", row, row["out"], ours)


def failure(error: EditError, file: Path, before: str | None) -> dict[str, Any]:
    """A failure in the recorded shape."""
    ours: dict[str, Any] = {"error": error.problem}
    if before is not None and error.problem != "invalid_input":
        ours["unchanged"] = file.read_bytes().decode() == before
    if error.problem == "overlap":
        ours["edits"] = list(error.edits)
    elif error.edits:
        ours["edit"] = error.edits[0]
    if error.count is not None:
        ours["count"] = error.count
    return ours
