"""What one settings file says, and a finding for everything in it that cannot be used.

Touches: nothing.
"""

from __future__ import annotations

import tomllib

import pytest

from pi_pkg.settings.layer import USER_ONLY, layer_of
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry


def read(text: str, scope: LayerScope = "user") -> Layer:
    return layer_of(tomllib.loads(text), path="/s.toml", scope=scope)


def codes(layer: Layer) -> list[str]:
    return [finding.code for finding in layer.diagnostics]


def test_a_string_and_a_table_without_filters_say_the_same() -> None:
    """A package entry is a source, with or without braces around it."""
    layer = read('packages = ["pypi:a", { source = "pypi:b" }]')
    assert (PackageEntry("pypi:a"), PackageEntry("pypi:b")) == layer.packages
    assert all(entry.is_string for entry in layer.packages)


def test_absent_and_empty_filters_are_told_apart() -> None:
    """No key is everything, an empty list is nothing."""
    layer = read('packages = [{ source = "x", extensions = ["!a"], skills = [], autoload = false }]')
    assert PackageEntry("x", ("!a",), (), None, None, False) == layer.packages[0]
    assert not layer.packages[0].is_string


def test_an_array_of_tables_is_a_list_too() -> None:
    """`[[packages]]` is read like the inline form."""
    assert (PackageEntry("x", skills=("s",)),) == read('[[packages]]\nsource = "x"\nskills = ["s"]').packages


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param('packages = "../x"', "settings-packages-no-list", id="packages-string"),
        pytest.param("packages = [1]", "settings-entry-invalid", id="number"),
        pytest.param("packages = [{ skills = [] }]", "settings-entry-invalid", id="no source"),
        pytest.param('packages = [{ source = "x", autoload = "false" }]', "settings-type", id="G13"),
        pytest.param('packages = [{ source = "x", skills = "s" }]', "settings-type", id="E6"),
        pytest.param('packages = [{ source = "x", colour = 1 }]', "settings-entry-key", id="key"),
        pytest.param('skills = "s"', "settings-type", id="list"),
        pytest.param("prompts = [1]", "settings-type", id="item"),
    ],
)
def test_what_cannot_be_used_is_reported(text: str, code: str) -> None:
    """A wrong type leaves out its own value and nothing else, and says so."""
    assert [code] == codes(read(text + '\nthemes = ["t"]' if "[[" not in text else text))
    assert ("t",) == read(text + '\nthemes = ["t"]').themes


def test_a_broken_entry_leaves_its_neighbours() -> None:
    """The other packages of the list count."""
    assert ("a", "b") == tuple(entry.source for entry in read('packages = ["a", 1, "b"]').packages)


def test_autoload_of_another_type_counts_as_true() -> None:
    """G13: only the boolean false turns it off."""
    assert read('packages = [{ source = "x", autoload = "false" }]').packages[0].autoload


USERS_OWN = {
    "default-project-trust": '"never"',
    "install": '{ backend = "pip" }',
    "budgets": "{ handler-s = 9.5 }",
    "clashes": '{ hide = ["a/tool:b"] }',
    "keys": '{ "a/b" = ["ctrl+a", "f2"] }',
}


@pytest.mark.parametrize("key", USER_ONLY)
def test_keys_of_the_user_do_nothing_in_a_project(key: str) -> None:
    """A clone must not choose an index, a budget, a key or its own trust."""
    text = f"{key} = {USERS_OWN[key]}\ntheme = 'y'"
    project = read(text, "project")
    assert ({"theme": "y"}, ["settings-key-user-only"]) == (dict(project.values), codes(project))
    assert [] == codes(read(text))


def test_unknown_keys_are_kept() -> None:
    """What another version wrote is none of our business."""
    assert {"zzz": {"a": 1}} == read("[zzz]\na = 1").values
