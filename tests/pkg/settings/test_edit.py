"""Changes of a settings document: what is touched, and that all else stays byte for byte.

Touches: nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st
from tomlkit import TOMLDocument

from pi_pkg.settings.edit import put_package, remove_package, set_value, unset_value
from pi_pkg.settings.model import PackageEntry

LIST = """\
# my packages
packages = [
  "pypi:a@1",  # the first
  # about b
  { source = "pypi:b", skills = [] },
]

[retry]  # often
enabled = true
"""


def edited(text: str, change: Callable[[TOMLDocument], object]) -> str:
    document = tomlkit.parse(text)
    change(document)
    return document.as_string()


def put(text: str, source: str, name: str = "", **filters: Any) -> str:
    entry = PackageEntry(source, **filters)
    return edited(
        text, lambda document: put_package(document, entry, lambda found: (name or source) in found)
    )


def test_a_package_is_appended() -> None:
    """A new package goes to the end of the list, in the list's own layout."""
    expected = LIST.replace("skills = [] },\n", 'skills = [] },\n  "pypi:c",\n')
    assert expected == put(LIST, "pypi:c")


def test_the_list_is_made_above_the_first_table() -> None:
    """A file without packages gets the list as a top-level key, not as a key of its last table."""
    expected = {"theme": "x", "packages": ["pypi:a"], "retry": {"enabled": True}}
    text = put('theme = "x"\n\n[retry]\nenabled = true\n', "pypi:a")
    assert expected == tomllib.loads(text)


def test_a_declared_package_gets_its_new_source_in_place() -> None:
    """B7: the source is replaced, filters, neighbours and comments stay."""
    expected = LIST.replace('"pypi:b"', '"pypi:b@2"')
    assert expected == put(LIST, "pypi:b@2", "pypi:b")
    assert LIST.replace("a@1", "a@2") == put(LIST, "pypi:a@2", "pypi:a")


def test_an_equal_source_changes_nothing() -> None:
    """The same entry again leaves the text as it is."""
    assert LIST == put(LIST, "pypi:a@1")


def test_a_package_declared_twice_is_declared_once_afterwards() -> None:
    """B8: the first entry takes the new source, the others go."""
    text = 'packages = ["git:h/o/r", "pypi:a", { source = "git:h/o/r@v1", skills = [] }]\n'
    assert 'packages = ["git:h/o/r@v2", "pypi:a"]\n' == put(text, "git:h/o/r@v2", "h/o/r")


def test_filters_make_a_table() -> None:
    """An entry with filters is written as a table, absent ones left out, empty ones kept."""
    text = put("", "x", extensions=("!a",), themes=(), autoload=False)
    expected = {"source": "x", "autoload": False, "extensions": ["!a"], "themes": []}
    assert [expected] == tomllib.loads(text)["packages"]


def test_an_array_of_tables_keeps_its_form() -> None:
    """`[[packages]]` is edited as `[[packages]]`."""
    text = '[[packages]]\nsource = "a"\nskills = ["s"]\n'
    assert [{"source": "a", "skills": ["s"]}, {"source": "b"}] == tomllib.loads(put(text, "b"))["packages"]
    assert text.replace('"a"', '"a@2"') == put(text, "a@2", "a")


def test_a_package_is_taken_out() -> None:
    """Its item goes with the comment beside it; everything else stays."""
    text = edited(LIST, lambda document: remove_package(document, lambda source: "pypi:a" in source))
    assert LIST.replace('  "pypi:a@1",  # the first\n', "") == text


def test_the_last_package_leaves_an_empty_list() -> None:
    """An emptied list stays a list."""
    text = edited('packages = ["x"]\n', lambda document: remove_package(document, lambda source: True))
    assert {"packages": []} == tomllib.loads(text)


def test_what_is_not_declared_is_not_taken_out() -> None:
    """No match, no list, no change."""
    for text in (LIST, "", 'packages = "x"\n'):
        assert text == edited(text, lambda document: remove_package(document, lambda source: source == "zz"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", {"a": {"b": 1}}, id="made"),
        pytest.param("[a]\nc = 2\n", {"a": {"c": 2, "b": 1}}, id="K5"),
        pytest.param("a.c = 2\n", {"a": {"c": 2, "b": 1}}, id="dotted"),
        pytest.param("a = {c = 2}\n", {"a": {"c": 2, "b": 1}}, id="inline"),
        pytest.param('a = "weird"\n', {"a": {"b": 1}}, id="no table"),
        pytest.param("[z]\ny = 1\n", {"a": {"b": 1}, "z": {"y": 1}}, id="other table"),
    ],
)
def test_a_nested_value_is_set(text: str, expected: dict[str, Any]) -> None:
    """K5: only the nested key is touched; what is no table on the way is replaced by one."""
    assert expected == tomllib.loads(edited(text, lambda document: set_value(document, ("a", "b"), 1)))


def test_a_value_is_deleted() -> None:
    """Unsetting deletes the key and leaves the table."""
    text = edited("[a]\nb = 1\nc = 2\n", lambda document: unset_value(document, ("a", "b")))
    assert "[a]\nc = 2\n" == text


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcd")), max_size=12))
def test_any_series_of_changes_ends_as_a_list_would(changes: list[tuple[bool, str]]) -> None:
    """Putting and removing packages acts like an ordered set, and the rest of the file never moves."""
    text, model = (
        LIST.replace('"pypi:a@1",  # the first', '"a",  # the first').replace("pypi:b", "b"),
        ["a", "b"],
    )
    for adding, name in changes:
        matches = name.__eq__
        if adding:
            text = edited(text, lambda document: put_package(document, PackageEntry(name), matches))  # noqa: B023 - called at once
            model += [] if name in model else [name]
        else:
            text = edited(text, lambda document: remove_package(document, matches))  # noqa: B023 - called at once
            model = [known for known in model if known != name]
    found = tomllib.loads(text)
    assert model == [item if isinstance(item, str) else item["source"] for item in found["packages"]]
    assert text.endswith("[retry]  # often\nenabled = true\n")
