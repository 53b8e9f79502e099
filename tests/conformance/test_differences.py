"""Whatever differs on purpose says why, and a test holds what is right here."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from tests.conformance.case_index import cases, proofs
from tests.conformance.host_rows import HERE, differences

LISTED: dict[str, str] = {
    case: reason for table in differences()["cases"].values() for case, reason in table.items()
}
DECISIONS: list[dict[str, Any]] = differences()["decisions"]


@cache
def all_tests() -> str:
    own = HERE / "test_differences.py"
    return "\n".join(
        path.read_text(encoding="utf-8") for path in HERE.parent.rglob("test_*.py") if path != own
    )


@pytest.mark.parametrize("case", LISTED)
def test_a_listed_case_has_a_reason_and_a_test(case: str) -> None:
    """The id stands in the test that states what holds here."""
    assert proofs()[case] if case in cases() else re.search(rf"\b{case}\b", all_tests())
    assert len(LISTED[case].split()) > 2


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision["reference"])
def test_a_decision_to_differ_is_held(decision: dict[str, Any]) -> None:
    """It says what the reference does, what we do and why; a listed case or row, or a test, holds it."""
    assert {"reference", "here", "why", "held_by"} == decision.keys()
    families = [family for name, family in differences().items() if name != "decisions"]
    rows = {row for family in families for row in family.get("rows", {})}
    for holder in decision["held_by"]:
        assert holder in LISTED or holder in rows or f"def {holder}(" in all_tests(), holder
