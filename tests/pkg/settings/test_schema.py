"""The schema of settings files, against what reading a file reports.

Touches: files.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.settings.keys import KEYS, Key
from pi_pkg.settings.layer import layer_of
from pi_pkg.settings.schema import schema

VALIDATOR = jsonschema_rs.validator_for(schema())


def test_the_shipped_schema_is_the_made_one() -> None:
    """What editors read is made from the one table of keys."""
    shipped = resources.files("pi_pkg.settings").joinpath("settings.schema.json").read_text("utf-8")
    assert json.dumps(schema(), indent=2, ensure_ascii=False) + "\n" == shipped


def test_the_schema_is_one() -> None:
    """It keeps to its own dialect."""
    assert jsonschema_rs.meta.is_valid(schema())


def at(key: Key, value: Any) -> dict[str, Any]:
    """A document with one value."""
    *above, name = key.path.split(".")
    document: dict[str, Any] = {name: value}
    for step in reversed(above):
        document = {step: document}
    return document


odd = st.recursive(
    st.integers(-2, 2) | st.booleans() | st.sampled_from([0.5, -0.5, "ask", "uv", "x", ""]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(st.sampled_from(KEYS), odd)
def test_schema_and_reader_agree(key: Key, value: Any) -> None:
    """A value is valid exactly where reading has nothing to say about it."""
    document = at(key, value)
    found = layer_of(document, path="/s.toml", scope="user").diagnostics
    assert VALIDATOR.is_valid(document) == (not found)


entries = st.lists(
    st.just("x")
    | odd
    | st.fixed_dictionaries({"source": st.just("x") | odd}, optional={"skills": odd, "autoload": odd}),
    max_size=3,
)


@given(entries)
def test_they_agree_about_packages(packages: list[Any]) -> None:
    """The same holds for entries of packages."""
    document = {"packages": packages}
    found = layer_of(document, path="/s.toml", scope="user").diagnostics
    assert VALIDATOR.is_valid(document) == (not found)
