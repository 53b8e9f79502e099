"""Deferred tools are out of sight until the search brings them."""

from __future__ import annotations

import math

import pytest
from pi_sample_dynamic_tools import extension
from pi_sample_dynamic_tools.conversions import CONVERSIONS, matching

from pi_core.testing.plugin import SessionMaker


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("mile", ["miles_to_kilometres", "kilometres_to_miles"]),
        ("Celsius", ["fahrenheit_to_celsius", "celsius_to_fahrenheit"]),
        ("parsecs", []),
        ("", []),
    ],
)
def test_the_search_goes_by_words(query: str, names: list[str]) -> None:
    """Singular and plural are the same; the case does not matter."""
    assert [item.name for item in matching(query)] == names


def test_conversions_undo_each_other() -> None:
    """There and back is where one was."""
    there = {(item.of, item.to): item for item in CONVERSIONS}
    for (of, to), item in there.items():
        assert math.isclose(there[to, of].convert(item.convert(7.0)), 7.0)


def test_what_is_found_can_be_called_in_the_next_turn(pi_session: SessionMaker) -> None:
    """The first request offers the search alone; its result says what it brought."""
    script = [
        {"tool": "find_tools", "arguments": {"query": "miles"}},
        {"tool": "miles_to_kilometres", "arguments": {"value": 10}},
        "Sixteen.",
    ]
    pi = pi_session(extension, script=script)
    pi.prompt("how far is ten miles?")
    found, converted = pi.results
    assert list(found.added_tool_names) == ["miles_to_kilometres", "kilometres_to_miles"]
    assert converted.content[0].text == "16.0934 kilometres"
    assert not converted.is_error


def test_what_was_not_found_is_not_offered(pi_session: SessionMaker) -> None:
    """A call of a tool that is out of sight is refused."""
    pi = pi_session(extension, script=[{"tool": "miles_to_kilometres", "arguments": {"value": 1}}, "Oh."])
    pi.prompt("guess")
    assert pi.results[0].is_error
