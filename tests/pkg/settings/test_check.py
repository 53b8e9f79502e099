"""Values of the wrong type: each is left out alone, with the line where it stands.

Touches: nothing.
"""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.settings.keys import KEYS
from pi_pkg.settings.layer import layer_of
from pi_pkg.settings.model import Layer


def read(text: str) -> Layer:
    return layer_of(tomllib.loads(text), path="/s.toml", scope="user", text=text)


def said(text: str) -> list[str]:
    return [finding.message for finding in read(text).diagnostics]


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ("\nsession-dir = 7", "2:1", "'session-dir' is 7, not a string; it is left out"),
        ("[model]\ndefault-model = []", "2:1", "'model.default-model' is [], not a string"),
        ("model = 1", "1:1", "'model' is 1, not a table"),
        ("retry = { provider = 1 }", "1:11", "'retry.provider' is 1, not a table"),
        ("[ui]\nquiet-startup = 1", "2:1", "'ui.quiet-startup' is 1, not true or false"),
        ("steering-mode = 'both'", "1:1", "'steering-mode' is 'both', not one of 'one-at-a-time', 'all'"),
        ("[retry]\nmax-retries = -1", "2:1", "'retry.max-retries' is -1, not a whole number of at least 0"),
        ("[retry]\nmax-retries = true", "2:1", "'retry.max-retries' is True, not a whole number"),
        ("[budgets]\nwarn-s = nan", "2:1", "'budgets.warn-s' is nan, not a number of at least 0"),
        ("default-tools = ['a', 1]", "1:23", "'default-tools[2]' is 1, not a string"),
        ("[keys]\n'p/x' = ['a', 1]", "2:15", "'keys.p/x[2]' is 1, not a string"),
        ("[keys]\n'p/x' = 1", "2:1", "'keys.p/x' is 1, not a string or a list of strings"),
        ("clashes.prefer.x = 1", "1:1", "'clashes.prefer.x' is 1, not a string"),
        ("install.index-url = 1", "1:1", "'install.index-url' is 1, not a string; what needs it will refuse"),
        ("packages = ['a',\n 1]", "2:2", "item 2 of 'packages' is 1, so it is left out"),
        ("[[packages]]\nsource = 'a'\nskills = 'x'", "3:1", "'skills' is 'x', not a list"),
        ("prompts = [\n1]", "2:1", "'prompts' holds 1, which is no string"),
        ("themes = 1979-05-27", "1:1", "'themes' is datetime.date(1979, 5, 27), not a list"),
    ],
)
def test_a_wrong_type_is_named_with_its_line(text: str, place: str, found: str) -> None:
    """What was found, what belongs there, and where it stands."""
    (message,) = said(text)
    assert message.startswith(f"/s.toml:{place}: {found}")


def test_what_is_wrong_is_left_out_alone() -> None:
    """Neighbours and unknown keys stay, and readers see right types only."""
    layer = read("[model]\ndefault-model = 1\ndefault-provider = 'p'\nmine = 1\n[x]\ny = 1")
    assert {"model": {"default-provider": "p", "mine": 1}, "x": {"y": 1}} == layer.values


def test_a_wrong_index_stays_for_its_reader() -> None:
    """An index that is spelt wrongly must not become the default one: installing refuses it."""
    assert {"install": {"index-url": 1}} == read("install.index-url = 1").values
    assert {"install": 1} == read("install = 1").values


def test_spellings_of_the_other_file_mean_nothing() -> None:
    """K9: this file is new, so nothing in it is migrated; keys of other programs are kept as they are."""
    layer = read("queueMode = 'all'\nwebsockets = true\n[retry]\nmaxDelayMs = 5")
    assert {"queueMode": "all", "websockets": True, "retry": {"maxDelayMs": 5}} == layer.values
    assert () == layer.diagnostics


def test_a_value_is_shown_in_short() -> None:
    """A long value does not fill the screen."""
    (message,) = said(f"session-dir = [{', '.join(['1'] * 100)}]")
    assert len(message) < 150


names = st.sampled_from(
    ["packages", "source", "autoload", *{step for key in KEYS for step in key.path.split(".")}, "other"]
)
values = st.recursive(
    st.integers(-9, 9) | st.booleans() | st.floats(allow_nan=False) | st.dates()
    | st.sampled_from(["", "x", "ask", "!a", "-b", "../p", "pypi:x", "git:", "\x00", "é"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(st.dictionaries(names, values, max_size=5))
def test_nothing_is_too_odd_to_be_read(document: dict[str, Any]) -> None:
    """Any document becomes a layer; every finding names the file, a line and a column."""
    text = tomlkit.dumps(document)
    for finding in read(text).diagnostics:
        place = finding.message.split(": ", 1)[0].removeprefix("/s.toml:").split(":")
        line, column = map(int, place)
        assert 1 <= line <= text.count("\n") + 1
        assert column >= 1
