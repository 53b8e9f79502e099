"""Tool arguments against the recorded reference: 180 schemas with what a model might send.

No row differs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_core.agent.tool_args import ArgumentChecks, InvalidArguments

DATA = Path(__file__).parent / "data" / "toolargs.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def outcome(schema: dict[str, Any], arguments: Any) -> dict[str, Any]:
    try:
        return {"ok": True, "value": ArgumentChecks().ready("tool", schema, arguments)}
    except InvalidArguments as error:
        failing = [[fault.place, fault.keyword] for fault in error.faults]
        return {"ok": False, "paths": sorted({place for place, _ in failing}), "failing": failing}


def exact(value: Any) -> str:
    """The value as text, so that True is not taken for 1."""
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_arguments_are_bent_and_judged_alike(row: dict[str, Any]) -> None:
    """The same value comes out, or the same places fail by the same rules in the same order."""
    before = exact(row["arguments"])
    assert exact(row["expect"]) == exact(outcome(row["schema"], row["arguments"]))
    assert before == exact(row["arguments"])
