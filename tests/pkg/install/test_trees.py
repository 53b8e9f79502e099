"""A tree is described by its own files, and none of them is run."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pi_pkg.install.disk import RealDisk
from pi_pkg.install.plan import TreeRoot
from pi_pkg.install.trees import Tree, read_tree, write_tree_info
from tests.pkg.install.conftest import local, write_tree

FULL = """
[project]
name = "My.Tree"
version = "1.2.0"
requires-python = ">=3.8"
dependencies = ["a>=1", "b; python_version < '3'"]
[project.optional-dependencies]
fast = ["c; sys_platform != 'none'"]
[project.scripts]
tree-tool = "my_tree.tool:main"
[project.entry-points.pi]
my-tree = "my_tree"
[project.entry-points."pi.extensions"]
gate = "my_tree.gate:extension"
"""


def full(tmp_path: Path) -> Tree:
    return read_tree(local(write_tree(tmp_path / "t", FULL, src__my_tree____init__="", my_tree="")))


def test_a_tree_says_what_it_is(tmp_path: Path) -> None:
    """Name, version, requirements and entry points come from the project table; src/ is looked at first."""
    found = full(tmp_path)
    assert ("my-tree", "1.2.0", ("a>=1", "b; python_version < '3'"), tmp_path / "t" / "src") == (
        found.name, found.version, found.dependencies, found.import_root,
    )  # fmt: skip
    expected = (
        ("console_scripts", "tree-tool", "my_tree.tool:main"),
        ("pi", "my-tree", "my_tree"),
        ("pi.extensions", "gate", "my_tree.gate:extension"),
    )
    assert expected == found.entry_points
    assert () == found.notes


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"src__x____init__": ""}, "src"),
        ({"src__x": ""}, "src"),
        ({"x____init__": ""}, "."),
        ({"x": ""}, "."),
        ({"src__other": "", "x": ""}, "."),
    ],
)
def test_its_modules_are_in_src_or_beside_the_project_file(
    tmp_path: Path, files: Mapping[str, str], expected: str
) -> None:
    """The folder that makes the advertised module importable is found in either layout."""
    project = '[project]\nname = "x"\nversion = "1"\n[project.entry-points.pi]\nx = "x"\n'
    found = read_tree(local(write_tree(tmp_path / "t", project, **files)))
    assert (tmp_path / "t" / expected).resolve() == (found.import_root or Path("none")).resolve()


def test_a_missing_module_is_told(tmp_path: Path) -> None:
    """An entry point whose module is nowhere is an error note that names it."""
    project = '[project]\nname = "x"\nversion = "1"\n[project.entry-points.pi]\nx = "nowhere.deep"\n'
    found = read_tree(local(write_tree(tmp_path / "t", project)))
    assert (None, [("entry-point-missing", "error")]) == (
        found.import_root, [(note.code, note.severity) for note in found.notes],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("project", "code"),
    [
        ('[project]\nname = "x"\ndynamic = ["version"]\n', "manifest-dynamic"),
        ('[project]\nname = "x"\nversion = "1"\ndynamic = ["dependencies", "readme"]\n', "manifest-dynamic"),
        ('[project]\nname = "x"\nversion = "one"\n', "version-invalid"),
        ("[project\n", "manifest-unreadable"),
        ("x = 1\n" + "#" * (1 << 20), "manifest-unreadable"),
        ('[project]\nname = "x"\nversion = "1"\ndynamic = ["readme"]\n', None),
        ("", None),
    ],
)
def test_what_only_running_would_tell_is_a_note(tmp_path: Path, project: str, code: str | None) -> None:
    """Dynamic metadata and broken files are told, not guessed; what does not matter here is not told."""
    found = read_tree(local(write_tree(tmp_path / "t", project)))
    assert ([] if code is None else [code]) == [note.code for note in found.notes]


def test_a_bare_setup_script_is_told(tmp_path: Path) -> None:
    """A tree that only has a setup.py offers to be built."""
    found = read_tree(local(write_tree(tmp_path / "t", "", setup="raise SystemExit(1)\n")))
    assert [("manifest-dynamic", True)] == [
        (note.code, "--build" in (note.hint or "")) for note in found.notes
    ]


def test_a_mark_at_the_start_of_the_file_is_no_error(tmp_path: Path) -> None:
    """A byte order mark before the text is skipped."""
    folder = write_tree(tmp_path / "t")
    (folder / "pyproject.toml").write_bytes(b'\xef\xbb\xbf[project]\nname = "x"\n')
    assert "x" == read_tree(local(folder)).name


def test_a_single_file_needs_nothing(tmp_path: Path) -> None:
    """A module on its own is no distribution and has no dependencies."""
    (tmp_path / "ext.py").touch()
    found = read_tree(local(tmp_path / "ext.py"))
    assert (None, (), None) == (found.name, found.dependencies, found.import_root)


def test_a_changed_project_file_is_another_tree(tmp_path: Path) -> None:
    """The digest follows the file that decides what is installed, and nothing else in the tree."""
    first = full(tmp_path)
    (tmp_path / "t" / "README").touch()
    assert first.digest == read_tree(first.root).digest
    write_tree(tmp_path / "t", FULL.replace("1.2.0", "1.2.1"))
    assert first.digest != read_tree(first.root).digest


def test_the_standard_library_knows_a_tree(tmp_path: Path) -> None:
    """The metadata we write is found like any other: version, requirements, entry points, origin."""
    write_tree_info(full(tmp_path), tmp_path / "site", RealDisk())
    (found,) = importlib.metadata.distributions(path=[str(tmp_path / "site")])
    assert ("my-tree", "1.2.0") == (found.metadata["Name"], found.version)
    assert [
        "a>=1",
        "b; python_version < '3'",
        "c ; (sys_platform != 'none') and extra == \"fast\"",
    ] == found.requires
    assert {"tree-tool", "my-tree", "gate"} == {point.name for point in found.entry_points}
    origin = json.loads(found.read_text("direct_url.json") or "")
    assert {"url": (tmp_path / "t").as_uri(), "dir_info": {"editable": True}} == origin


def test_a_checkout_tells_its_commit(tmp_path: Path) -> None:
    """The origin record of a git tree names repository, commit, ref and folder."""
    folder = write_tree(tmp_path / "t", FULL, my_tree="")
    root = TreeRoot("git:h/o/r", "s", folder, "git", "c" * 40, "tag", "v1", "https://h/o/r", "packages/x")
    info = write_tree_info(read_tree(root), tmp_path / "site", RealDisk())
    expected = {
        "url": "https://h/o/r",
        "vcs_info": {"vcs": "git", "commit_id": "c" * 40, "requested_revision": "v1"},
        "subdirectory": "packages/x",
    }
    assert expected == json.loads((info / "direct_url.json").read_text("utf-8"))
