"""A file that a person and several running programs change: field reports SET 39, 40, 42.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.locations import Locations
from pi_pkg.settings.edit import put_package, set_value
from pi_pkg.settings.model import PackageEntry
from pi_pkg.settings.store import read_settings, settings_store


@pytest.fixture
def places(tmp_path: Path) -> Locations:
    places = Locations(tmp_path / "agent", tmp_path / "proj", tmp_path / "home")
    for path in (places.user_settings, places.project_settings):
        path.parent.mkdir(parents=True)
        path.write_text("# by hand\nmine = 1\n")
    return places


def test_an_edit_by_hand_survives_a_save(places: Locations) -> None:
    """SET 39: saving reads again, changes its own key and keeps unknown keys, comments and order."""
    store = settings_store(places, "user")
    store.read()
    places.user_settings.write_text("# by hand\nnew = 2 # too\nmine = 1\n")
    store.edit(lambda document: set_value(document, ("ui", "theme"), "dark"))
    assert '# by hand\nnew = 2 # too\nmine = 1\n\n[ui]\ntheme = "dark"\n' == places.user_settings.read_text()


def test_reading_again_reads_every_layer(places: Locations) -> None:
    """SET 40: what changed in either file counts from the next reading on."""
    before = read_settings(places, trusted=True)
    places.user_settings.write_text('packages = ["pypi:a"]\nmine = 2\n')
    places.project_settings.write_text("theirs = 3\n")
    after = read_settings(places, trusted=True)
    assert {"mine": 1} == before.effective
    assert {"packages": ["pypi:a"], "mine": 2, "theirs": 3} == after.effective


def test_a_session_that_started_earlier_overwrites_nothing(places: Locations) -> None:
    """SET 42: one session installs, another that read the file before sets its theme; both are there."""
    early, late = settings_store(places, "user"), settings_store(places, "user")
    early.read()
    entry = PackageEntry("pypi:a")
    late.edit(lambda document: put_package(document, entry, lambda source: source == "pypi:a"))
    early.edit(lambda document: set_value(document, ("ui", "theme"), "dark"))
    found = read_settings(places, trusted=False)
    assert ((entry,), "dark", 1) == (found.user.packages, found.get("ui", "theme"), found.get("mine"))
