"""Cutting texts for a model, against the recorded reference.

Touches: files.
"""

from __future__ import annotations

from typing import Any

import pytest

from pi_core.tools.truncate import (
    DEFAULT_MAX_LINE_CHARS,
    Truncation,
    format_size,
    truncate_head,
    truncate_line,
    truncate_tail,
)
from pi_core.utf16 import utf16_length
from tests.conformance.host_rows import Row, from_recipe, hold, row_id, rows_of, sha


@pytest.mark.parametrize("row", rows_of("truncate"), ids=row_id)
def test_texts_are_cut_as_recorded(row: Row) -> None:
    """Heads, tails, lines and sizes come out as the reference's."""
    hold("truncate", row, row["out"], ours(row["kind"], row["in"], row["out"]))


def ours(kind: str, given: Row, recorded: Row) -> dict[str, Any]:
    if kind == "size":
        return {"text": format_size(given["bytes"])}
    text = from_recipe(given["text"])
    if kind == "line":
        kept, cut = truncate_line(text, max_chars=given.get("max_chars", DEFAULT_MAX_LINE_CHARS))
        return {"cut": cut, "kept_sha": sha(kept), "kept_units": utf16_length(kept)}
    limits = {name: given[name] for name in ("max_lines", "max_bytes") if name in given}
    if kind == "head":
        return as_recorded(truncate_head(text, **limits), recorded, head=True)
    return as_recorded(truncate_tail(text, **limits), recorded, head=False)


def as_recorded(found: Truncation, recorded: Row, *, head: bool) -> dict[str, Any]:
    """Ours in the recorded shape, which repeats short contents only."""
    names = ("truncated", "by", "total_lines", "total_bytes", "output_lines", "output_bytes")
    shape = {name: getattr(found, name) for name in names}
    shape |= {"last_line_partial": found.last_line_partial, "first_line_exceeds": found.first_line_exceeds}
    shape["sha"] = sha(found.content)
    if "content" in recorded:
        shape["content"] = found.content
    if head and "next_offset" in recorded:
        shape["next_offset"] = found.next_offset
    return shape
