"""What stands beside pi itself: found, filtered by `env:NAME`, last in rank, and never installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.resources.environment import environment_packages
from pi_pkg.resources.model import PackageRoot
from tests.pkg.resources.world import World
from tests.support.builders import RecordingBuilder
from tests.support.package_cli import PackageCli


@pytest.fixture
def bundle(world: World) -> PackageRoot:
    """A distribution beside pi with a manifest of its own."""
    world.files("site/bundle/ext/a.py", "site/bundle/ext/b.py", "site/bundle/skills/s/SKILL.md")
    world.files("site/bundle/__init__.py")
    world.write("site/bundle/pi.toml", 'extensions = ["ext"]\nskills = ["skills"]\n')
    world.write("site/my_bundle-2.0.dist-info/entry_points.txt", "[pi]\nbundle = bundle\n")
    (found,) = environment_packages([str(world.root / "site")], outside=world.locations.agent_dir)
    return found


def test_a_bundle_counts_without_being_named(world: World, bundle: PackageRoot) -> None:
    """Its resources have the scope `environment` and stand behind all others."""
    world.files("agent/extensions/mine.py", "pk/extensions/theirs.py")
    world.user('packages = ["../pk"]')
    found = world.resolve(packages=(bundle,)).extensions
    assert ["user", "user", "environment", "environment"] == [item.provenance.scope for item in found]
    assert {"env:my-bundle"} == {item.provenance.source for item in found[2:]}


@pytest.mark.parametrize("name", ["my-bundle", "My_Bundle", "my.bundle"])
def test_an_entry_filters_it(world: World, bundle: PackageRoot, name: str) -> None:
    """`env:NAME`, the name in any spelling, chooses among what it offers."""
    world.user(f'packages = [{{ source = "env:{name}", extensions = ["!b.py"], skills = [] }}]')
    resolved = world.resolve(packages=(bundle,))
    assert ["site/bundle/ext/a.py on", "site/bundle/ext/b.py off"] == world.listing("E", resolved)
    assert (["site/bundle/skills/s/SKILL.md off"], []) == (
        world.listing("S", resolved),
        world.codes(resolved),
    )


def test_a_projects_delta_reaches_it(world: World, bundle: PackageRoot) -> None:
    """A project switches one thing of it off for itself, and the rest stays the environment's."""
    world.project('packages = [{ source = "env:my-bundle", autoload = false, extensions = ["-ext/a.py"] }]')
    found = world.resolve(packages=(bundle,)).extensions
    assert [("a.py", False), ("b.py", True)] == [(Path(item.path).name, item.enabled) for item in found]


def test_nothing_installs_it(pi: PackageCli) -> None:
    """To install it is refused with the way to do it; an entry makes no command look for it."""
    builder = RecordingBuilder()
    pi.write({"agent/settings.toml": 'packages = [{ source = "env:my-bundle", skills = [] }]\n'})
    manager = pi.manager(builder=builder)
    (outcome,) = manager.install(["env:my-bundle"]).outcomes
    assert ("refused", True) == (outcome.did, "where pi itself is installed" in str(outcome.error))
    manager.update()
    manager.sync()
    assert "bundle" not in " ".join(builder.log)
