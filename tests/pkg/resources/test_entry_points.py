"""Entry points are text, and modules are found on disk without importing anything."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pi_pkg.resources.entry_points import dotted_name, locate, parse_entry_points, parse_value
from pi_pkg.resources.environment import environment_packages
from pi_pkg.resources.model import EntryPoint

TEXT = """\
[console_scripts]
tool = pkg:main

# a comment
[pi]
bundle = my_bundle
[pi.extensions]
gate=my_bundle.gate : extension
broken
"""


def test_the_entry_points_of_our_groups() -> None:
    """Other groups, comments and lines without `=` are passed over; order is the file's."""
    assert (
        EntryPoint("pi", "bundle", "my_bundle"),
        EntryPoint("pi.extensions", "gate", "my_bundle.gate : extension"),
    ) == parse_entry_points(TEXT)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a.b:c", ("a.b", "c")), ("a.b", ("a.b", None)), ("a:b.c", ("a", "b.c")), (" a : b [x] ", ("a", "b")),
        ("", None), ("a-b", None), ("a..b", None), ("a:", None), ("1a", None), ("a b", None),
    ],
)  # fmt: skip
def test_an_entry_point_value(value: str, expected: tuple[str, str | None] | None) -> None:
    """`module:attr`, the attribute optional, extras ignored; anything else is malformed."""
    assert expected == parse_value(value)


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("raise AssertionError('imported')\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("pkg", "pkg/__init__.py"),
        ("pkg.sub.mod", "pkg/sub/mod.py"),
        ("single", "single.py"),
        ("space", "space"),
    ],
)
def test_a_module_is_located(tmp_path: Path, module: str, path: str) -> None:
    """Packages, modules and namespace folders are found in the first folder that has them, unimported."""
    make(tmp_path, "b/pkg/__init__.py", "b/pkg/sub/mod.py", "b/single.py", "b/space/x.py", "c/single.py")
    before = set(sys.modules)
    located = locate(module, [str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "c")])
    assert located is not None
    assert (str(tmp_path / "b" / path), str(tmp_path / "b")) == (located.path, located.import_root)
    assert before == set(sys.modules)


def test_a_missing_module_is_located_nowhere(tmp_path: Path) -> None:
    """A name that no folder holds is None."""
    assert locate("pkg.gone", [str(tmp_path)]) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pkg/gate.py", "pkg.gate"), ("pkg/__init__.py", "pkg"), ("pkg/extensions/a.py", "pkg.extensions.a"),
        ("extensions/a.py", None), ("pkg/x y.py", None), ("pkg/data.md", None), ("top.py", None),
    ],
)  # fmt: skip
def test_only_files_of_packages_have_import_names(tmp_path: Path, path: str, expected: str | None) -> None:
    """A file below a regular package keeps its import name; scripts beside packages have none."""
    make(tmp_path, "pkg/__init__.py", path)
    assert expected == dotted_name(str(tmp_path / path), str(tmp_path))


def distribution(site: Path, info: str, entry_points: str) -> None:
    (site / info).mkdir(parents=True)
    (site / info / "entry_points.txt").write_text(entry_points, encoding="utf-8")


def test_distributions_beside_pi_are_found(tmp_path: Path) -> None:
    """Those that advertise something are listed by name, with their version; the first folder wins."""
    make(tmp_path, "one/my_bundle/__init__.py")
    distribution(tmp_path / "one", "My_Bundle-1.0.dist-info", "[pi]\nb = my_bundle\n")
    distribution(tmp_path / "one", "plain-2.0.dist-info", "[console_scripts]\nx = y:z\n")
    distribution(tmp_path / "two", "my_bundle-0.9.dist-info", "[pi]\nb = my_bundle\n")
    folders = [str(tmp_path / "one"), str(tmp_path / "two"), "", str(tmp_path / "gone")]
    (found,) = environment_packages(folders, outside=tmp_path / "agent")
    assert ("env:my-bundle", "1.0", tmp_path / "one") == (found.identity, found.version, found.import_root)


def test_generations_are_not_beside_pi(tmp_path: Path) -> None:
    """A generation that was appended to the import path is not taken for pi's own environment."""
    distribution(tmp_path / "agent/envs/g/site", "b-1.dist-info", "[pi]\nb = b\n")
    assert () == environment_packages([str(tmp_path / "agent/envs/g/site")], outside=tmp_path / "agent")
