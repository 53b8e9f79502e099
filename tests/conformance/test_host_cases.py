"""Every case of the host is proven by a test that names its number."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest

from tests.conformance.case_index import named_tests
from tests.conformance.host_rows import HERE
from tests.support.golden_cases import CASES

ROOMS = ("tests/conformance", "tests/core")
_PLACE = re.compile(r"(?:[A-Z]+ ?)?\d+(?:[–-]\d+)?")
_NUMBER = re.compile(r"(?:host[- ](?:case )?C?|13\.[ABC] |\bC(?=[678]\d\b))(\d+)(?:[–-](\d+))?")


@cache
def cases() -> dict[int, str]:
    """Number → what holds."""
    tables = tomllib.loads((HERE / "data" / "host_cases.toml").read_text(encoding="utf-8"))
    return {int(number): text for table in tables.values() for number, text in table.items()}


@cache
def proofs() -> dict[int, list[str]]:
    """Number → the tests that name it; the golden cases are tests by themselves."""
    found: dict[int, list[str]] = {number: [] for number in cases()}
    for number in map(int, CASES):
        found[number].append("tests/conformance/test_golden.py")
    for name, text in named_tests(ROOMS):
        for number in numbers_in(name.partition("::")[2], text.partition(" ")[2]):
            if number in found:
                found[number].append(name)
    return found


def numbers_in(name: str, sentence: str) -> set[int]:
    """The numbers in a test's name, at the head of its sentence, and behind the word host."""
    found = {int(number) for number in re.findall(r"^test_(\d\d)_", name)}
    head, colon, _ = sentence.partition(":")
    places = [part.strip() for part in head.split(",")]
    if colon and all(_PLACE.fullmatch(place) for place in places):
        found.update(number for place in places if place[0].isdigit() for number in _range(place))
    for first, last in _NUMBER.findall(sentence):
        found.update(range(int(first), int(last or first) + 1))
    return found


def _range(place: str) -> Iterator[int]:
    first, _, last = place.replace("–", "-").partition("-")
    return iter(range(int(first), int(last or first) + 1))


def test_the_list_is_whole() -> None:
    """88 cases, numbered through."""
    assert [*range(1, 89)] == [*cases()]


@pytest.mark.parametrize("number", cases())
def test_a_case_is_named_by_a_test(number: int) -> None:
    """Somebody shows that it holds."""
    assert proofs()[number], f"no test names host case {number}: {cases()[number]}"


def test_numbers_of_other_things_are_none() -> None:
    """A number in the middle of a sentence, or a case of another list, names nothing."""
    assert {22, 23, 24, 5} == numbers_in("test_22_x", "22–24, C09, 5: as host said, 77 times.")
    assert {87} == numbers_in("test_x", "A cut at 2000 lines: 501. (host C87)")
    assert set() == numbers_in("test_x", "Exit 3: no.")
