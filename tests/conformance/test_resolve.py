"""Package and resource resolution against the recorded reference, 628 scenarios.

A row is listed by its id if ours differs on purpose; most listed rows rest on a recorded defect.

Touches: files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pi_pkg.settings.model import Layer, PackageEntry, Settings
from tests.conformance.host_rows import Row, hold, row_id
from tests.conformance.resolve_replay import Scenario, expected, rows


@pytest.mark.parametrize("row", rows(), ids=row_id)
def test_resources_are_resolved_as_recorded(tmp_path: Path, row: Row) -> None:
    """Path, state, scope, origin, source and base of every resource, in order, are the reference's."""
    scenario = Scenario(tmp_path, row)
    hold("resolve", row, expected(row), scenario.listing(scenario.resolve()))


def reversed_filters(entry: PackageEntry) -> PackageEntry:
    """The entry with each filter written backwards; a sparse one stays, since its order counts."""
    if not entry.autoload:
        return entry
    return replace(
        entry,
        extensions=backwards(entry.extensions),
        skills=backwards(entry.skills),
        prompts=backwards(entry.prompts),
        themes=backwards(entry.themes),
    )


def backwards(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if texts is None else texts[::-1]


def reversed_layer(layer: Layer) -> Layer:
    return replace(layer, packages=tuple(reversed_filters(entry) for entry in layer.packages))


@pytest.mark.parametrize("row", [row for row in rows() if row["topic"] in ("filters", "mixed")], ids=row_id)
def test_the_order_of_a_filter_is_irrelevant(tmp_path: Path, row: Row) -> None:
    """Reversing every filter list of a recorded scenario changes no state (§4.2)."""
    scenario = Scenario(tmp_path, row)
    settings = scenario.settings()
    project = None if settings.project is None else reversed_layer(settings.project)
    other = Settings(reversed_layer(settings.user), project, settings.effective)
    assert scenario.listing(scenario.resolve(settings)) == scenario.listing(scenario.resolve(other))


@pytest.mark.parametrize("row", [row for row in rows() if "defect" in row], ids=row_id)
def test_every_disabled_resource_names_its_rule(tmp_path: Path, row: Row) -> None:
    """What is off says which settings file and which pattern switched it off; what is on says nothing."""
    scenario = Scenario(tmp_path, row)
    resolved = scenario.resolve()
    for kind in ("extensions", "skills", "prompts", "themes"):
        for item in getattr(resolved, kind):
            assert (item.rule is None) is item.enabled
            assert item.enabled or "settings.toml" in str(item.rule)
