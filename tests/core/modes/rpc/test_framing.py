"""Bytes become records: a line feed ends a line, and nothing else does."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_core.modes.rpc.framing import Framing, Line, Record, Unreadable

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def lines_of(data: bytes, *cuts: int, max_bytes: int = 1000) -> list[Line]:
    """All lines of some bytes that come in pieces."""
    framing = Framing(max_bytes)
    places = [0, *sorted(cuts), len(data)]
    found: list[Line] = []
    for start, end in pairwise(places):
        found += framing.feed(data[start:end])
    return [*found, *framing.close()]


@given(
    values=st.lists(st.dictionaries(st.text(), JSON_VALUES, max_size=3), max_size=4),
    ending=st.sampled_from([b"\n", b"\r\n"]),
    cuts=st.lists(st.integers(0, 200), max_size=6),
)
def test_what_is_written_is_read_however_it_is_cut(
    values: list[dict[str, Any]], ending: bytes, cuts: list[int]
) -> None:
    """Every object comes back whole and in order, whatever its strings hold and wherever a piece ends."""
    data = b"".join(json.dumps(value).encode() + ending for value in values)
    inside = [min(cut, len(data)) for cut in cuts]
    assert [Record(value) for value in values] == lines_of(data, *inside, max_bytes=10**6)


@pytest.mark.parametrize("inside", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c", "\r"])
def test_only_a_line_feed_ends_a_line(inside: str) -> None:
    """78: what other programs take for the end of a line is data, as it is or escaped."""
    value = {"message": f"a{inside}b"}
    escaped = json.dumps(value, ensure_ascii=inside < " ").encode() + b"\n"
    assert [Record(value)] == lines_of(escaped)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"type": ', "Expecting value"),
        (b"hello", "Expecting value"),
        (b"[1]", "a command is a JSON object"),
        (b'"text"', "a command is a JSON object"),
        (b"null", "a command is a JSON object"),
        (b'{"n": NaN}', "NaN is no JSON number"),
        (b'{"n": -Infinity}', "-Infinity is no JSON number"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"n": ' + b"1" * 5000 + b"}", "digits"),
    ],
)
def test_what_is_no_record_has_a_reason(data: bytes, reason: str) -> None:
    """A bad line is one unreadable line, and the line behind it counts."""
    bad, good = lines_of(data + b'\n{"type":"x"}\n', max_bytes=10**6)
    assert isinstance(bad, Unreadable)
    assert reason in bad.reason
    assert Record({"type": "x"}) == good


def test_a_byte_order_mark_and_empty_lines_are_passed_over() -> None:
    """Some shells begin a pipe with a mark, and some clients end it with an empty line."""
    assert [Record({"a": 1})] == lines_of(b'\xef\xbb\xbf{"a":1}\n\r\n \n\n')


def test_a_last_line_without_its_end_counts() -> None:
    """What a client wrote before it went away is read."""
    assert [Record({"a": 1})] == lines_of(b'{"a":1}')


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_the_limit_is_for_the_line_without_its_end(ending: bytes) -> None:
    """A line of exactly the limit is read; one byte more is not."""
    data = json.dumps({"a": "b" * 20}).encode()
    assert [Record({"a": "b" * 20})] == lines_of(data + ending, max_bytes=len(data))
    (refused,) = lines_of(data + ending, max_bytes=len(data) - 1)
    assert Unreadable(f"the line is longer than {len(data) - 1} bytes") == refused


@given(cuts=st.lists(st.integers(0, 60), max_size=8))
def test_a_line_that_is_too_long_is_refused_once_and_never_held(cuts: list[int]) -> None:
    """However it comes, it is one unreadable line, and what follows counts."""
    found = lines_of(b'{"a":"' + b"x" * 50 + b'"}\n{"b":1}\n', *cuts, max_bytes=20)
    assert [Unreadable("the line is longer than 20 bytes"), Record({"b": 1})] == found
