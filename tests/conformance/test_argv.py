"""The command line against the recorded reference: 71 argument lists with extension flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_core.cli.args import Problem, parse_args
from tests.conformance.host_rows import differences

HERE = Path(__file__).parent
ROWS = [json.loads(line) for line in (HERE / "data" / "argv.jsonl").read_text(encoding="utf-8").splitlines()]
DIFFERENCES = differences()["argv"]["rows"]
OPTION_FIELDS = {"continue": "continue_"}


def flag_table(extensions: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Flag types (last definition of an extension, first extension by rank) and first defaults."""
    types: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for extension in extensions:
        own = {flag["name"]: flag["type"] for flag in extension["flags"]}
        types = {**own, **types}
        for flag in extension["flags"]:
            if "default" in flag:
                defaults.setdefault(flag["name"], flag["default"])
    return types, defaults


def as_recorded(problem: Problem) -> dict[str, Any]:
    match problem.kind:
        case "needs-value":
            return {"kind": "flag-needs-value", "flag": problem.words[0][2:]}
        case "unknown-flags":
            return {"kind": "unknown-flags", "flags": [word[2:] for word in problem.words]}
        case _:
            return {"kind": problem.kind, "option": problem.words[0]}


def ours(row: dict[str, Any]) -> dict[str, Any]:
    types, defaults = flag_table(row["extensions"])
    parsed = parse_args(row["argv"], types)
    options = row["expect"]["options"]
    return {
        "flags": {**defaults, **parsed.args.flags},
        "messages": list(parsed.args.messages),
        "files": list(parsed.args.files),
        "errors": [as_recorded(problem) for problem in parsed.problems],
        "options": {name: getattr(parsed.args, OPTION_FIELDS.get(name, name)) for name in options},
    }


def recorded(row: dict[str, Any]) -> dict[str, Any]:
    """What the reference does once its known defect, a flag that eats the prompt, is taken away."""
    expected = {**row["expect"], **row.get("without_defect", {})}
    return {name: expected[name] for name in ("flags", "messages", "files", "errors", "options")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_words_mean_what_the_reference_makes_of_them(row: dict[str, Any]) -> None:
    """Every recorded line is read alike, but those listed with a reason."""
    agrees = recorded(row) == ours(row)
    if row["id"] in DIFFERENCES:
        assert not agrees, f"{row['id']} is listed as a difference, but agrees"
    else:
        assert recorded(row) == ours(row)
