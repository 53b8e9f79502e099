"""A guard that may not even be tried, because it fits another host, refuses tools like one that failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_core.resources.loader import ResourceLoader, ResourceRequest, Resources
from pi_pkg import Locations

GUARD = '[tool.pi]\nguard = true\nrequires-host = ">=99"\n'


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    """A user with a guard package for another host, whose code fails if it runs."""
    package = tmp_path / "pk" / "extensions"
    package.mkdir(parents=True)
    (package / "gate.py").write_text("raise AssertionError('imported')\n", encoding="utf-8")
    (tmp_path / "pk" / "pyproject.toml").write_text(GUARD, encoding="utf-8")
    for folder in ("agent", "project"):
        (tmp_path / folder).mkdir()
    return Locations(tmp_path / "agent", tmp_path / "project", tmp_path)


async def load(locations: Locations, settings: str) -> Resources:
    locations.user_settings.write_text(settings, encoding="utf-8")
    environ = {"PI_OFFLINE": "1"}
    return await ResourceLoader(locations, ResourceRequest(), environ=environ).load()


async def test_a_guard_for_another_host_refuses_tools(locations: Locations) -> None:
    """It stands among the extensions as one that refuses, the finding names both versions, no code ran."""
    loaded = await load(locations, 'packages = ["../pk"]\n')
    (guard,) = loaded.extensions
    assert guard.stands_in_for is not None
    assert "requires pi >=99, this is pi" in guard.stands_in_for.message
    assert ["tool_call"] == [handler.event for handler in guard.handlers]
    assert {"host-incompatible", "guard-missing"} <= {finding.code for finding in loaded.diagnostics}


async def test_a_guard_that_was_switched_off_refuses_nothing(locations: Locations) -> None:
    """Whoever takes the guard out of the settings works without it."""
    loaded = await load(locations, 'packages = [{ source = "../pk", extensions = [] }]\n')
    assert () == loaded.extensions
