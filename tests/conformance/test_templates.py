"""Prompt templates against the recorded reference.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_core.prompts.sources import PromptPath
from pi_core.prompts.templates import expand_template, load_templates, split_arguments
from tests.conformance.host_rows import Row, hold, row_id, rows_of, sha


@pytest.mark.parametrize("row", rows_of("templates"), ids=row_id)
def test_templates_are_read_as_recorded(row: Row, tmp_path: Path) -> None:
    """A file gives the same name, description, hint and body, and the same expansion."""
    (tmp_path / f"{row['in']['name']}.md").write_bytes(row["in"]["file"].encode())
    loaded = load_templates([PromptPath(str(tmp_path))])
    codes = [diagnostic.code.replace("-", "_") for diagnostic in loaded.diagnostics]
    ours: dict[str, Any] = {"loaded": bool(loaded.templates), "warnings": codes}
    for template in loaded.templates:
        ours |= {"name": template.name, "description": template.description, "body": template.body}
        ours |= {"argument_hint": template.argument_hint, "body_sha": sha(template.body)}
    if row["kind"] == "expand":
        ours["args"] = split_arguments(row["in"]["args"])
        ours["expanded"] = expand_template(row["in"]["text"], loaded.templates)
    hold("templates", row, row["out"], {key: ours[key] for key in ours if key != "body" or key in row["out"]})
