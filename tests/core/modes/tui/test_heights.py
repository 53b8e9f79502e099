"""Sums of heights are right after any change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_core.modes.tui.log.heights import Heights

SIZES = st.lists(st.integers(0, 9), min_size=1, max_size=40)


@given(SIZES, st.lists(st.tuples(st.integers(0, 39), st.integers(0, 9)), max_size=30))
def test_sums_are_those_of_the_heights(sizes: list[int], changes: list[tuple[int, int]]) -> None:
    """Whatever was changed in between, and whatever was asked before."""
    heights, plain = Heights(), list(sizes)
    for size in sizes:
        heights.append(size)
    for place, size in changes:
        if place < len(plain):
            heights[place] = plain[place] = size
            assert sum(plain[:place]) == heights.start(place)
    assert sum(plain) == heights.total
    assert [sum(plain[:place]) for place in range(len(plain) + 1)] == [
        heights.start(place) for place in range(len(plain) + 1)
    ]


@given(SIZES, st.integers(0, 400))
def test_a_line_is_in_the_block_around_it(sizes: list[int], line: int) -> None:
    """Blocks without a line are in no line; a line behind the end is in the last block."""
    heights = Heights()
    heights.replace(sizes)
    place = heights.at(line)
    if line < heights.total:
        assert heights.start(place) <= line < heights.start(place + 1)
    else:
        assert len(sizes) - 1 == place
