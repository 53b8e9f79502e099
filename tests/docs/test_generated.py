"""Pages and pictures that are made from the code are as the code is now."""

from __future__ import annotations

import dataclasses

import pytest

from hookspecs.events import EVENTS
from hookspecs.laws import LAWS
from pi_core.cli.options import OPTIONS
from pi_core.extensions.budgets import Budgets
from pi_pkg.settings.keys import KEYS
from tests.docs.cli_reference import cli_page, words
from tests.docs.generate import DOCS, MADE
from tests.docs.hook_reference import hooks_page, spoken
from tests.docs.house_picture import arrows, heights, imports
from tests.docs.settings_reference import settings_page


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_is_not_stale(name: str) -> None:
    """`python -m tests.docs.generate` would change nothing."""
    assert MADE[name]() == (DOCS / name).read_text(encoding="utf-8"), "run: python -m tests.docs.generate"


@pytest.mark.parametrize("event", EVENTS)
def test_the_reference_has_every_part_of_an_event(event: str) -> None:
    """Its section has all that the specification says, the law and the answers."""
    section = hooks_page().partition(f"\n## {event}\n")[2].partition("\n## ")[0]
    assert ["Fires", "Sees", "May answer", "Law", "On failure", "Since"] == list(spoken(event))
    assert all(text in section for text in spoken(event).values())
    assert all(f"`{answer}`: " in section for answer in LAWS[event].answer)


def test_the_reference_has_every_setting() -> None:
    """Each key once."""
    assert [1] * len(KEYS) == [settings_page().count(f"| `{key.path}` |") for key in KEYS]


def test_every_budget_is_a_setting() -> None:
    """What the host reads from `[budgets]` is what the table of settings, and so the reference, has."""
    read = {f"budgets.{spec.name.replace('_', '-')}" for spec in dataclasses.fields(Budgets)}
    assert {key.path for key in KEYS if key.path.startswith("budgets.")} == read


def test_the_reference_has_every_flag_and_command() -> None:
    """Each spelling of each option, and a section or a mention for each word."""
    text = cli_page()
    assert not [name for option in OPTIONS for name in option.names if f"`{name}" not in text]
    assert not [word for word in words() if f"### pi {word}\n" not in text and f"`pi {word}`" not in text]


def test_the_picture_tells_all_imports() -> None:
    """What a room imports can be reached by arrows, and none leads up."""
    graph, drawn = imports(), arrows(imports())
    reached = {name: {end for start, end in drawn if start == name} for name in graph}
    for _ in graph:
        reached = {name: ends.union(*(reached[end] for end in ends)) for name, ends in reached.items()}
    assert not {name: graph[name] - reached[name] for name in graph if graph[name] - reached[name]}
    height = heights(graph)
    assert not [(start, end) for start, end in drawn if height[start] < height[end]]
