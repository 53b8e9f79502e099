"""Reads the recorded rows of a family, and holds ours against them.

Touches: files.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
HERE = Path(__file__).parent


def rows_of(family: str, *kinds: str) -> list[Row]:
    """The rows of a family in file order, all of them or those of the given kinds."""
    text = (HERE / "data" / f"{family}.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    return [row for row in rows if not kinds or row["kind"] in kinds]


def row_id(row: Row) -> str:
    """The name of a row in the test report."""
    return str(row["id"])


@cache
def differences() -> dict[str, Any]:
    """Everything that differs on purpose: family → table → id → reason. Not to be changed."""
    return tomllib.loads((HERE / "differences.toml").read_text(encoding="utf-8"))


def hold(family: str, row: Row, expected: Any, actual: Any) -> None:
    """Ours equals the recorded value, unless the row is listed with a reason, when it must differ."""
    if row["id"] in differences().get(family, {}).get("rows", {}):
        assert expected != actual, f"{row['id']} is listed as a difference, but agrees"
    else:
        assert expected == actual


def sha(text: str) -> str:
    """The digest by which long recorded texts are named."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def from_recipe(recipe: list[list[Any]]) -> str:
    """The text of a recipe: each string as often as its number says."""
    return "".join(piece * count for count, piece in recipe)
