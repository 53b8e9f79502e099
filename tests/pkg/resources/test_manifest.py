"""What a package says about itself is read without running it; what is wrong is said, not guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.resources.documents import MAX_BYTES
from pi_pkg.resources.manifest import read_manifest, read_package_manifest
from pi_pkg.resources.model import EntryPoint, Manifest


def read(folder: Path, **files: str) -> Manifest:
    for name, text in files.items():
        (folder / name.replace("_", ".").replace("..", "_")).write_text(text, encoding="utf-8")
    manifest = read_manifest(folder)
    assert manifest is not None
    return manifest


def codes(manifest: Manifest) -> list[str]:
    return [finding.code for finding in manifest.diagnostics]


def test_the_table_of_a_tree(tmp_path: Path) -> None:
    """Every key of `[tool.pi]` is read; a type that is not named is None, an empty list is empty."""
    manifest = read(
        tmp_path,
        pyproject_toml='[tool.pi]\nextensions = ["a.py"]\nskills = []\nrequires-host = ">=1.6"\n'
        'tested-host = "1.6"\nguard = true\nchangelog = "C.md"\n',
    )
    listed = tuple(manifest.listed(kind) for kind in RESOURCE_TYPES)
    assert (("a.py",), (), None, None) == listed
    assert (">=1.6", "1.6", True, "C.md") == (
        manifest.requires_host, manifest.tested_host, manifest.guard, manifest.changelog,
    )  # fmt: skip
    assert str(tmp_path / "pyproject.toml") == manifest.path


def test_no_file_is_no_manifest(tmp_path: Path) -> None:
    """A folder without any of the files has no manifest."""
    assert read_manifest(tmp_path) is None


@pytest.mark.parametrize("table", ["[tool.pi]", "[tool.other]", "", 'tool = "x"', '[tool]\npi = "x"'])
def test_a_table_without_lists_declares_nothing(tmp_path: Path, table: str) -> None:
    """E3: an empty, missing or odd table leaves the conventional folders in force."""
    assert not read(tmp_path, pyproject_toml=table).declares_resources


def test_a_string_for_a_list_is_dropped_and_told(tmp_path: Path) -> None:
    """E6: `extensions = "./a.py"` counts as not written."""
    manifest = read(tmp_path, pyproject_toml='[tool.pi]\nextensions = "./a.py"\nskills = ["s", 1]\n')
    assert (None, ("s",)) == (manifest.extensions, manifest.skills)
    assert ["manifest-invalid", "manifest-invalid"] == codes(manifest)


def test_an_odd_guard_still_guards(tmp_path: Path) -> None:
    """A `guard` that is neither true nor false counts as true: a sloppy protection must not fail open."""
    assert read(tmp_path, pyproject_toml='[tool.pi]\nguard = "yes"\n').guard


@pytest.mark.parametrize(
    "text", ["[tool.pi\n", "a = 1\na = 2\n", "\ud800"], ids=["syntax", "twice", "encoding"]
)
def test_an_unreadable_file_counts_as_absent(tmp_path: Path, text: str) -> None:
    """E7: a broken pyproject.toml is told and leaves the conventional folders in force."""
    (tmp_path / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert (False, ["manifest-unreadable"]) == (manifest.declares_resources, codes(manifest))


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    """A manifest beyond the size anybody writes by hand is not parsed."""
    assert ["manifest-unreadable"] == codes(read(tmp_path, pyproject_toml="#" * (MAX_BYTES + 1)))


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    """An editor's BOM is no error."""
    assert ("a.py",) == read(tmp_path, pyproject_toml='\ufeff[tool.pi]\nextensions = ["a.py"]\n').extensions


def test_pi_toml_stands_in_for_a_missing_table(tmp_path: Path) -> None:
    """A tree whose pyproject names no resources is read by the `pi.toml` beside it."""
    manifest = read(tmp_path, pyproject_toml="[tool.pi]\nguard = true\n", pi_toml='skills = ["s"]\n')
    assert (("s",), True) == (manifest.skills, manifest.guard)


def test_an_import_package_is_read_by_pi_toml_alone(tmp_path: Path) -> None:
    """Inside an import package only `pi.toml` counts, since pyproject.toml does not travel in a wheel."""
    (tmp_path / "pyproject.toml").write_text('[tool.pi]\nextensions = ["a.py"]\n', encoding="utf-8")
    assert read_package_manifest(str(tmp_path)) is None
    (tmp_path / "pi.toml").write_text('prompts = ["p"]\n', encoding="utf-8")
    manifest = read_package_manifest(str(tmp_path))
    assert manifest is not None
    assert (None, ("p",)) == (manifest.extensions, manifest.prompts)


def test_package_json_gives_everything_but_code(tmp_path: Path) -> None:
    """A `pi` key of package.json names skills, prompts and themes; its extensions are reported."""
    manifest = read(tmp_path, package_json='{"pi": {"extensions": ["./index.ts"], "skills": ["./skills"]}}')
    assert ((), ("./skills",)) == (manifest.extensions, manifest.skills)
    assert ["javascript-extensions"] == codes(manifest)


@pytest.mark.parametrize("text", ["{", "[]", '{"pi": null}', '{"name": "x"}'])
def test_any_other_package_json_is_none_of_ours(tmp_path: Path, text: str) -> None:
    """A package.json without a `pi` object is no manifest and no finding."""
    (tmp_path / "package.json").write_text(text, encoding="utf-8")
    assert read_manifest(tmp_path) is None


PROJECT = """
[project]
name = "bundle"
version = "1"
dependencies = ["rich>=13", "tomlkit"]
[project.entry-points.pi]
bundle = "my_bundle"
[project.entry-points."pi.extensions"]
gate = "my_bundle.gate:extension"
[project.entry-points.other]
x = "y"
"""


def test_the_project_table(tmp_path: Path) -> None:
    """Name, dependencies and the entry points of our two groups are read; others are not ours."""
    manifest = read(tmp_path, pyproject_toml=PROJECT)
    assert ("bundle", ("rich>=13", "tomlkit")) == (manifest.project_name, manifest.dependencies)
    assert (
        EntryPoint("pi", "bundle", "my_bundle"),
        EntryPoint("pi.extensions", "gate", "my_bundle.gate:extension"),
    ) == manifest.entry_points


@pytest.mark.parametrize(
    ("dynamic", "severity"), [("version", "info"), ("dependencies", "warning"), ("entry-points", "warning")]
)
def test_what_only_a_build_knows_is_told(tmp_path: Path, dynamic: str, severity: str) -> None:
    """Dynamic metadata is a diagnostic that offers `--build`; nothing is run to find out."""
    manifest = read(tmp_path, pyproject_toml=f'[project]\nname = "x"\ndynamic = ["{dynamic}"]\n')
    (finding,) = manifest.diagnostics
    assert ("manifest-dynamic", severity) == (finding.code, finding.severity)
    assert "--build" in str(finding.hint)


def test_a_setup_program_is_told(tmp_path: Path) -> None:
    """A tree whose metadata is a program says so."""
    assert ["manifest-dynamic"] == codes(
        read(tmp_path, setup_py="raise SystemExit(1)\n", pi_toml="skills = []\n")
    )
