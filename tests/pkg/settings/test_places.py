"""Where the values of a document stand, against the parser's own reading of it.

Touches: nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.settings.places import Steps, places

TEXT = '''\
# a comment = 1
theme = "x"  # [not a table]
a.b."c d" = 1
list = [ 1, # one
  [2, "]"], {x = 1, "y" = """
]}""" },
]

[[packages]]
source = 'a'
[packages.more]
z = 1
[[packages]]
"source" = """q\\""""""
[model]
  default-model = 7
'''


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        (("theme",), (2, 1)),
        (("a", "b"), (3, 1)),
        (("a", "b", "c d"), (3, 1)),
        (("list",), (4, 1)),
        (("list", 0), (4, 10)),
        (("list", 1), (5, 3)),
        (("list", 1, 1), (5, 7)),
        (("list", 2, "y"), (5, 21)),
        (("packages",), (9, 1)),
        (("packages", 0, "source"), (10, 1)),
        (("packages", 0, "more", "z"), (12, 1)),
        (("packages", 1), (13, 1)),
        (("packages", 1, "source"), (14, 1)),
        (("model", "default-model"), (16, 3)),
    ],
    ids=str,
)
def test_places(steps: Steps, place: tuple[int, int]) -> None:
    """A key stands where it begins, an item where it begins, a table where its header begins."""
    assert place == places(TEXT)[steps]


def ways(value: Any, steps: Steps = ()) -> Iterator[Steps]:
    if steps:
        yield steps
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ways(item, (*steps, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from ways(item, (*steps, number))


keys = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=4)
leaves = (
    st.integers(-9, 9) | st.booleans() | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=6)
    | st.sampled_from(['"', "'", "\\", '"""', "'''", "]", "}", "#", "a\nb", "[x]"])
)  # fmt: skip
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(keys, values, max_size=4))
def test_every_value_has_a_place(document: dict[str, Any]) -> None:
    """Whatever the layout, the places are those of the values that the parser finds, no more, no fewer."""
    text = tomlkit.dumps(document)
    assert set(ways(tomllib.loads(text))) == set(places(text))


@given(st.dictionaries(st.sampled_from(["a", "b c", "d.e"]), st.integers(0, 99), min_size=1))
def test_a_place_is_where_the_key_is_written(document: dict[str, int]) -> None:
    """Line and column lead to the text of the key."""
    text = "# x\n" + tomlkit.dumps(document)
    lines = text.split("\n")
    for (key,), (line, column) in places(text).items():
        written = lines[line - 1][column - 1 :].partition(" = ")[0]
        assert {key: 1} == tomllib.loads(f"{written} = 1")
