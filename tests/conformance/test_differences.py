"""Whatever differs on purpose says why, and a test holds what is right here."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = tomllib.loads((HERE / "differences" / "cases.toml").read_text(encoding="utf-8"))
LISTED = {case: reason for family in CASES.values() for case, reason in family.items()}
TESTS = "\n".join(
    path.read_text(encoding="utf-8") for path in HERE.parent.rglob("test_*.py") if path != Path(__file__)
)


@pytest.mark.parametrize("case", LISTED)
def test_a_listed_case_has_a_reason_and_a_test(case: str) -> None:
    """The id stands in the test that states what holds here."""
    assert re.search(rf"\b{case}\b", TESTS, re.IGNORECASE)
    assert len(LISTED[case].split()) > 5
