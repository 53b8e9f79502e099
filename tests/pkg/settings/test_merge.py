"""How two layers become one view: K1 and the laws of merging.

Touches: nothing.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.settings.merge import merged, settings_of
from pi_pkg.settings.model import Layer

leaves = st.integers() | st.booleans() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)
tables: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.dictionaries(st.sampled_from("abc"), leaves, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), leaves | inner, max_size=3),
    max_leaves=8,
)


def effective(user: dict[str, Any], project: dict[str, Any] | None) -> dict[str, Any]:
    below = Layer("user", "u", user)
    return dict(settings_of(below, None if project is None else Layer("project", "p", project)).effective)


def test_tables_merge_at_every_depth() -> None:
    """K1: a grandchild that the project does not name stays."""
    expected = {"a": {"x": 1, "y": {"p": 9, "q": 2}}}
    assert expected == effective({"a": {"x": 1, "y": {"p": 1, "q": 2}}}, {"a": {"y": {"p": 9}}})


def test_lists_and_values_replace() -> None:
    """Only tables merge."""
    assert {"a": [3], "b": 1} == effective({"a": [1, 2], "b": {"x": 1}}, {"a": [3], "b": 1})


def test_modifiers_change_the_list_of_tools() -> None:
    """A project's `+name` and `-name` are appended; a plain name replaces the list."""
    assert {"default-tools": ["a", "+b"]} == effective({"default-tools": ["a"]}, {"default-tools": ["+b"]})
    assert {"default-tools": ["b"]} == effective({"default-tools": ["a"]}, {"default-tools": ["b"]})


def test_an_untrusted_project_does_not_exist() -> None:
    """K10: without a project layer the view is the user's."""
    assert {"a": 1} == effective({"a": 1}, None)


def test_a_path_of_keys_finds_its_value() -> None:
    """`get` stops at what is no table."""
    settings = settings_of(Layer("user", "u", {"a": {"b": 1}}), None)
    assert (1, None, 7) == (settings.get("a", "b"), settings.get("a", "b", "c"), settings.get("x", default=7))


@given(tables)
def test_nothing_over_and_nothing_under_change_nothing(table: dict[str, Any]) -> None:
    """The empty table is the identity on both sides."""
    assert table == merged(table, {}) == merged({}, table)


@given(tables, tables, tables)
def test_merging_in_any_grouping_gives_the_same(
    one: dict[str, Any], two: dict[str, Any], three: dict[str, Any]
) -> None:
    """Merging is associative whenever a name means a table in all layers or in none."""
    left, right = merged(merged(one, two), three), merged(one, merged(two, three))
    if same_shape(one, two) and same_shape(two, three) and same_shape(one, three):
        assert left == right


def same_shape(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(
        isinstance(one[key], dict) == isinstance(other[key], dict)
        and (not isinstance(one[key], dict) or same_shape(one[key], other[key]))
        for key in one.keys() & other.keys()
    )


def leaf_paths(table: dict[str, Any], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """What stands at the end of every path: a value, or an empty table."""
    found: dict[tuple[str, ...], Any] = {}
    for key, value in table.items():
        inner = leaf_paths(value, (*above, key)) if isinstance(value, dict) and value else {}
        found |= inner or {(*above, key): value}
    return found


def at(table: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        table = table[key]
    return table


@given(tables, tables)
def test_the_project_is_all_there(user: dict[str, Any], project: dict[str, Any]) -> None:
    """K1: every value of the project counts, at whatever depth; an empty table takes nothing away."""
    view = merged(user, project)
    assert all(value in ({}, at(view, path)) for path, value in leaf_paths(project).items())


@given(tables, tables)
def test_the_user_is_there_wherever_the_project_is_silent(
    user: dict[str, Any], project: dict[str, Any]
) -> None:
    """A value of the user goes only where the project has a value on its path, or a table in its place."""
    view = merged(user, project)
    for path, value in leaf_paths(user).items():
        below: Any = project
        for depth, key in enumerate(path):
            if not isinstance(below, dict) or key not in below:
                said = not isinstance(below, dict)
                assert said or at(view, path) == value
                break
            below = below[key]
            assert depth < len(path)


@given(tables, tables)
def test_nothing_comes_from_nowhere(user: dict[str, Any], project: dict[str, Any]) -> None:
    """Every value of the view is the user's or the project's, at the same path; neither is changed."""
    before = repr((user, project))
    for path, value in leaf_paths(merged(user, project)).items():
        assert (
            value in [found for one in (user, project) for found in [leaf_paths(one).get(path)]]
            or value == {}
        )
    assert before == repr((user, project))
