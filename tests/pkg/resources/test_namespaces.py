"""Import packages below a namespace (PEP 420), searched as an import would search, without one."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_pkg.resources.entry_points import locate
from pi_pkg.resources.model import EntryPoint, PackageRoot
from tests.pkg.resources.world import World

BUNDLE = ("acme/bundle/__init__.py", "acme/bundle/extensions/a.py", "acme/bundle/skills/s/SKILL.md")


def test_a_bundle_below_a_namespace(world: World) -> None:
    """Its resources are found in a wheel, and its extensions keep their import names."""
    world.files(*(f"site/{name}" for name in BUNDLE))
    site, points = world.root / "site", (EntryPoint("pi", "bundle", "acme.bundle"),)
    root = PackageRoot("pypi:x", "pypi:x", "pypi", "user", site, "1", entry_points=points, import_root=site)
    world.user('packages = ["pypi:x"]')
    resolved = world.resolve(packages=(root,))
    assert [("acme.bundle.extensions.a", str(site))] == [
        (item.module, item.import_root) for item in resolved.extensions
    ]
    assert ["site/acme/bundle/skills/s/SKILL.md on"] == world.listing("S", resolved)


def test_a_tree_below_a_namespace_is_the_same(world: World) -> None:
    """A source tree with the layout in `src` gives what its wheel gives."""
    world.files(*(f"tree/src/{name}" for name in BUNDLE))
    world.write(
        "tree/pyproject.toml", '[project]\nname = "x"\n[project.entry-points.pi]\nb = "acme.bundle"\n'
    )
    world.user('packages = ["../tree"]')
    (extension,) = world.resolve().extensions
    assert ("acme.bundle.extensions.a", str(world.root / "tree/src")) == (
        extension.module,
        extension.import_root,
    )


def test_a_namespace_has_portions_in_several_folders(world: World) -> None:
    """Two distributions share a namespace; each bundle is found in its own portion."""
    world.files("one/acme/first/__init__.py", "two/acme/second/__init__.py")
    roots = [str(world.root / "one"), str(world.root / "two")]
    found = [locate(f"acme.{name}", roots) for name in ("first", "second")]
    assert roots == [located.import_root for located in found if located is not None]


def test_a_package_hides_the_portions_behind_it(world: World) -> None:
    """A regular package of the same name ends the search for its parts, as it does for an import."""
    world.files("one/acme/__init__.py", "two/acme/second/__init__.py")
    assert locate("acme.second", [str(world.root / "one"), str(world.root / "two")]) is None


PLACES = st.sampled_from([
    "n/__init__.py", "n.py", "n/m/__init__.py", "n/m.py", "n/m/o.py", "n/m/o/__init__.py", "n/m/x.txt",
    "n/x.txt",
])  # fmt: skip


def as_imported(module: str, roots: list[str]) -> str | None:
    """Where the import machinery would find it: its file, or the first folder of a namespace."""
    search, origin = roots, None
    for name in module.split("."):
        PathFinder.invalidate_caches()
        spec = PathFinder.find_spec(name, search)
        if spec is None:
            return None
        search, origin = list(spec.submodule_search_locations or ()), spec.origin
    return origin or search[0]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.sets(st.tuples(st.sampled_from("ab"), PLACES), min_size=1, max_size=5))
@pytest.mark.parametrize("module", ["n", "n.m", "n.m.o"])
def test_modules_stand_where_an_import_finds_them(
    tmp_path_factory: pytest.TempPathFactory, module: str, files: set[tuple[str, str]]
) -> None:
    """For random folders the place is the import machinery's own."""
    base = tmp_path_factory.mktemp("roots")
    for root, name in files:
        (base / root / name).parent.mkdir(parents=True, exist_ok=True)
        (base / root / name).write_text("raise AssertionError('imported')\n", encoding="utf-8")
    roots = [str(base / "a"), str(base / "b")]
    located = locate(module, roots)
    assert as_imported(module, roots) == (None if located is None else located.path)
    assert "n" not in sys.modules
    assert located is None or Path(located.path).is_relative_to(located.import_root)
