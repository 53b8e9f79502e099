"""The order of a page, whatever a file claims."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_core.export.order import walk
from pi_core.history.entries import CustomEntry, Entry

NAMES = st.sampled_from("abcdef")
FILES = st.lists(st.tuples(NAMES, st.none() | NAMES), max_size=8)


def entries(rows: list[tuple[str, str | None]]) -> list[Entry]:
    return [CustomEntry(id=own, parent_id=parent, timestamp="", custom_type="c") for own, parent in rows]


@given(FILES)
def test_every_entry_comes_once_and_after_its_parent(rows: list[tuple[str, str | None]]) -> None:
    """Also where ids are there twice, parents are missing, or entries are each other's parents."""
    given_entries = entries(rows)
    places = walk(given_entries)
    assert sorted(map(id, given_entries)) == sorted(id(place.entry) for place in places)
    assert all(place.parent < number for number, place in enumerate(places))


def test_branches_stand_behind_each_other_and_further_in() -> None:
    """The first branch to its end, then the second; a chain stays at its depth."""
    rows = [("a", None), ("b", "a"), ("c", "b"), ("d", "b"), ("e", "c"), ("f", "d")]
    places = walk(entries(rows))
    assert [("a", -1, 0), ("b", 0, 0), ("c", 1, 1), ("e", 2, 1), ("d", 1, 1), ("f", 4, 1)] == [
        (place.entry.id, place.parent, place.depth) for place in places
    ]


def test_a_long_conversation_is_no_deep_recursion() -> None:
    """Ten thousand entries, each the child of the one before."""
    rows: list[tuple[str, str | None]] = [(str(n), str(n - 1) if n else None) for n in range(10_000)]
    assert 10_000 == len(walk(entries(rows)))
