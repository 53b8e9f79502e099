"""Every case of the extension system is proven by a test that names it."""

from __future__ import annotations

import pytest

from tests.conformance.case_index import cases, cases_in, proofs

NOT_YET = {
    "rpc": {"U04", "Y01", "Y02", "Y03", "Y04", "Y05", "Y06", "Y07"},
}
"""Cases of rooms that are not part of this version."""
WAITING = frozenset[str]().union(*NOT_YET.values())


def test_the_list_is_whole() -> None:
    """217 cases were recorded."""
    assert 217 == len(cases())


@pytest.mark.parametrize("case", [case for case in cases() if case not in WAITING])
def test_a_case_is_named_by_a_test(case: str) -> None:
    """One that came out differently on purpose is named by the test that holds what is right here."""
    assert proofs()[case], f"no test names {case}: {cases()[case]}"


def test_a_case_is_a_word_of_its_own() -> None:
    """In a name or a sentence; a longer word is none."""
    assert {"N01", "G03"} == cases_in("test_n01_g03_and_more (N01), C100, xN02, case 13")
