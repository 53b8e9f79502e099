"""Laws of switching, over filters, lists and scopes of every kind: one thing changes, and it changes back.

Touches: files.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_pkg.errors import CannotToggle
from pi_pkg.locations import Locations
from pi_pkg.settings.layer import layer_of
from pi_pkg.settings.model import Layer
from pi_pkg.settings.store import settings_store
from pi_pkg.toggle.model import Key, Place, Wish, states_of
from pi_pkg.toggle.proof import Trial
from pi_pkg.toggle.toggle import toggle

PATTERNS = [
    "a.py", "extensions/a.py", "extensions/*.py", "*", "!**", "!**/b.py", "!a.py", "+extensions/a.py",
    "-extensions/a.py", "+extensions/b.py", "-extensions/b.py", "-extensions/sub/__init__.py", "+e*",
    "-./extensions/a.py", "gone.py",
]  # fmt: skip
LISTED = ["../ex", "../ex/x.py", "!**/a.py", "-own.py", "+../pk/extensions/a.py", "!own.py", "x*.py"]
filters = st.none() | st.lists(st.sampled_from(PATTERNS), max_size=3)
lists = st.none() | st.lists(st.sampled_from(LISTED), max_size=3)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Locations:
    root = tmp_path_factory.mktemp("toggle").resolve()
    for path in (
        "pk/extensions/a.py", "pk/extensions/b.py", "pk/extensions/sub/__init__.py", "ex/x.py", "ex/y.py",
        "agent/extensions/own.py", "proj/.pi/extensions/here.py", "home/x",
    ):  # fmt: skip
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    return Locations(root / "agent", root / "proj", root / "home")


def document(source: str, patterns: list[str] | None, listed: list[str] | None, autoload: bool) -> str:
    """A settings file with one package entry and one list."""
    entry: dict[str, Any] = {"source": source}
    if not autoload:
        entry["autoload"] = False
    if patterns is not None:
        entry["extensions"] = patterns
    found: dict[str, Any] = {"packages": [entry if len(entry) > 1 else source]}
    if listed is not None:
        found["extensions"] = listed
    return "# kept\n" + tomlkit.dumps(found)


def layer(path: Path, text: str) -> Layer:
    return layer_of(tomllib.loads(text), path=str(path), scope="user")


def switched(place: Place, user: Layer, text: str, key: Key, *, on: bool) -> str | None:
    """The text after switching one extension; None if it was refused, which changes nothing."""
    place.settings.write_text(text)
    outcome = toggle(
        settings_store(place.locations, place.scope), place, user, [Wish(f"extensions:{key[1]}", on)]
    )[0]
    after = place.settings.read_text()
    if outcome.error is not None:
        assert isinstance(outcome.error, CannotToggle)
        assert text == after
        return None
    return after


few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@few
@given(st.data(), filters, lists, st.booleans())
def test_the_user_switches_one_thing_and_back(
    places: Locations,
    data: st.DataObject,
    patterns: list[str] | None,
    listed: list[str] | None,
    autoload: bool,
) -> None:
    """Everything else stays as it was; the second time everything is as it was."""
    place = Place(places, "user")
    text = document("../pk", patterns, listed, autoload)
    check(place, layer(place.settings, text), text, data)


@few
@given(st.data(), filters, filters, st.booleans())
def test_a_project_switches_one_thing_and_back(
    places: Locations, data: st.DataObject, patterns: list[str] | None, own: list[str] | None, is_delta: bool
) -> None:
    """The same for a project above the user's entry, whether it replaces it or is a delta over it."""
    user = layer(places.user_settings, document("../pk", patterns, None, True))
    text = document("../../pk", own, None, not is_delta)
    check(Place(places, "project"), user, text, data)


def check(place: Place, user: Layer, text: str, data: st.DataObject) -> None:
    before = Trial(place, text, user).states
    key = data.draw(st.sampled_from(sorted(before)))
    after = switched(place, user, text, key, on=not before[key])
    if after is None:
        return
    assert {**before, key: not before[key]} == Trial(place, after, user).states
    assert after.startswith("# kept\n")
    back = switched(place, user, after, key, on=before[key])
    assert back is not None
    assert before == Trial(place, back, user).states


@few
@given(st.data(), filters, lists)
def test_switching_twice_is_switching_once(
    places: Locations, data: st.DataObject, patterns: list[str] | None, listed: list[str] | None
) -> None:
    """What is so already is left as it is, to the byte."""
    place = Place(places, "user")
    text = document("../pk", patterns, listed, True)
    trial = Trial(place, text, layer(place.settings, text))
    key = data.draw(st.sampled_from(sorted(states_of(trial.found))))
    assert text == switched(place, layer(place.settings, text), text, key, on=trial.states[key])
