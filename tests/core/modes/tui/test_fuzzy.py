"""The search in lists: letters in their order, those that hang together first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_core.modes.tui.fuzzy import best, places, score


@pytest.mark.parametrize(
    ("sought", "items", "found"),
    [
        ("", ["b", "a"], ["b", "a"]),
        ("son", ["person", "sonnet", "season of"], ["sonnet", "person", "season of"]),
        ("cs45", ["claude-opus-4-5", "claude-sonnet-4-5"], ["claude-sonnet-4-5", "claude-opus-4-5"]),
        ("MODEL", ["thinking", "model"], ["model"]),
        ("gpt mini", ["gpt-5", "gpt-5-mini"], ["gpt-5-mini"]),
        ("xyz", ["abc"], []),
    ],
)
def test_the_best_come_first(sought: str, items: list[str], found: list[str]) -> None:
    """Words must all fit; the case does not matter; equals keep their order."""
    assert found == best(sought, items, str)


@given(st.text(max_size=12), st.text(max_size=30))
def test_places_are_where_the_letters_stand(sought: str, text: str) -> None:
    """What fits has a place for each letter, in the text; what does not has none."""
    at = places(sought, text)
    if score(sought, text) is None:
        assert [] == at
    elif len(text.lower()) == len(text):
        assert {text.lower()[place] for place in at} == set("".join(sought.lower().split()))
