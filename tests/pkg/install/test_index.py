"""The record of a generation: written once, read without libraries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_pkg.install.index import GenerationIndex, InstalledPackage, Note, encode, read_index

WHEEL = InstalledPackage(
    identity="pypi:todo",
    source="pypi:todo@^1",
    kind="pypi",
    dist="todo",
    version="1.2",
    commit=None,
    ref_kind=None,
    root="SITE",
    import_root="SITE",
    entry_points=(("pi", "todo", "todo"),),
)


def index_at(folder: Path) -> GenerationIndex:
    site = str(folder / "lib" / "site-packages")
    tree = InstalledPackage(
        identity="local:/x", source="../x", kind="local", dist=None, version=None, commit=None, ref_kind=None,
        root="/x", import_root=None, entry_points=(), provider="tree",
    )  # fmt: skip
    fields = {name: getattr(WHEEL, name) for name in InstalledPackage.__slots__}
    wheel = InstalledPackage(**{**fields, "root": site, "import_root": site})
    return GenerationIndex(
        folder.name, (wheel, tree), site, "cpython-311", "f00d", "d1", (("todo", "1.2"),), (Note("c", "m"),)
    )


def put(scope: Path, name: str, pointer: object = None) -> GenerationIndex:
    index = index_at(scope / name)
    (scope / name).mkdir(parents=True)
    (scope / name / "pi-index.json").write_bytes(encode(index, scope / name))
    (scope / "current.json").write_text(json.dumps(pointer or {"generation": name}), "utf-8")
    return index


def test_a_written_record_reads_back_equal(tmp_path: Path) -> None:
    """What was recorded is what is read: packages in order, paths absolute, notes kept."""
    index = put(tmp_path, "000001-aa")
    assert index == read_index(tmp_path)


def test_a_moved_scope_keeps_its_paths(tmp_path: Path) -> None:
    """Paths inside the generation are relative to it, so that a moved agent folder still reads right."""
    put(tmp_path / "old", "g")
    (tmp_path / "old").rename(tmp_path / "new")
    assert index_at(tmp_path / "new" / "g") == read_index(tmp_path / "new")


def test_nothing_installed_reads_as_nothing(tmp_path: Path) -> None:
    """A scope folder that is not there has no record."""
    assert read_index(tmp_path / "absent") is None


@pytest.mark.parametrize(
    "pointer", ["{", "[]", '{"generation": 1}', '{"generation": "../g"}', '{"generation": ""}']
)
def test_a_damaged_pointer_reads_as_nothing(tmp_path: Path, pointer: str) -> None:
    """A pointer that names no plain folder is no pointer, and cannot lead out of the scope folder."""
    put(tmp_path / "scope", "g")
    put(tmp_path, "g")
    (tmp_path / "scope" / "current.json").write_text(pointer, "utf-8")
    assert read_index(tmp_path / "scope") is None


@pytest.mark.parametrize("text", ["", "{}", '{"version": 99}', "null"])
def test_a_damaged_record_reads_as_nothing(tmp_path: Path, text: str) -> None:
    """A record that was cut short or is of another version has to be built again."""
    put(tmp_path, "g")
    (tmp_path / "g" / "pi-index.json").write_text(text, "utf-8")
    assert read_index(tmp_path) is None


def test_an_older_generation_can_be_read_by_name(tmp_path: Path) -> None:
    """The record of any generation is read by its name, in force or not."""
    older = put(tmp_path, "000001-aa")
    put(tmp_path, "000002-bb")
    assert older == read_index(tmp_path, "000001-aa")


def test_a_package_is_found_by_identity(tmp_path: Path) -> None:
    """Packages are known by the identity of their source."""
    index = index_at(tmp_path)
    assert index.packages[0] == index.package("pypi:todo")
    assert index.package("pypi:other") is None
