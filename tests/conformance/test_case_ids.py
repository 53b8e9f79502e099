"""Every case of the extension system is proven by a test that names it."""

from __future__ import annotations

import pytest

from tests.conformance.case_index import REPORTS, cases, cases_in, proofs, reports, reports_in
from tests.conformance.host_rows import differences


def test_the_list_is_whole() -> None:
    """217 cases were recorded."""
    assert 217 == len(cases())


@pytest.mark.parametrize("case", cases())
def test_a_case_is_named_by_a_test(case: str) -> None:
    """One that came out differently on purpose is named by the test that holds what is right here."""
    assert proofs()[case], f"no test names {case}: {cases()[case]}"


def test_a_case_is_a_word_of_its_own() -> None:
    """In a name or a sentence; a longer word is none."""
    assert {"N01", "G03"} == cases_in("test_n01_g03_and_more (N01), C100, xN02, case 13")


NUMBERS = [(kind, number) for kind, numbers in REPORTS.items() for number in numbers]


@pytest.mark.parametrize(("kind", "number"), NUMBERS)
def test_a_report_is_named_by_a_test(kind: str, number: int) -> None:
    """What people reported of systems like ours is tested here, or listed with the reason why not."""
    listed = differences()["reports"]
    assert (str(number) in listed) is not bool(reports().get(number)), f"{kind} {number}"


def test_a_report_is_named_after_its_kind() -> None:
    """Several numbers may follow one name."""
    assert {73, 102, 107, 8} == reports_in("test_iso_73_x LIFE 102, 107; EVT 8, and case 5")
