"""Roots become a generation, with either backend alike."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pi_pkg.install.index import InstalledPackage, read_index
from pi_pkg.install.plan import EVERYTHING, TreeRoot
from tests.pkg.install.conftest import Scope, local, pypi, write_tree
from tests.support.wheels import build_wheel

PROJECT = """
[project]
name = "Tree_One"
version = "1.2"
dependencies = ["shared>=1", "pluggy"]
[project.entry-points.pi]
one = "tree_one"
"""


def versions(scope: Scope) -> dict[str, str]:
    """What the generation in force holds."""
    found = read_index(scope.folder)
    return dict(found.distributions) if found else {}


def test_three_kinds_of_source_are_one_generation(scope: Scope, tmp_path: Path) -> None:
    """A wheel from the index, a local tree and a checkout are resolved together and recorded in order."""
    scope.index.wheel("todo", requires=["shared"], entry_points={"pi": {"todo": "todo"}})
    scope.index.wheel("shared", "1.5")
    tree = write_tree(tmp_path / "tree", PROJECT, src__tree_one____init__="")
    checkout = write_tree(tmp_path / "checkout", extensions__gate="")
    git = TreeRoot("git:h/o/r", "git:h/o/r@v1", checkout, "git", "c" * 40, "tag", "v1", "https://h/o/r")
    found = scope.install(pypi("todo"), local(tree), git)
    assert [("pypi:todo", "1.0"), (f"local:{tree}", "1.2"), ("git:h/o/r", None)] == [
        (package.identity, package.version) for package in found.packages
    ]
    assert {"todo": "1.0", "shared": "1.5", "tree-one": "1.2"} == versions(scope)


def test_a_package_is_recorded_with_all_that_a_start_needs(scope: Scope) -> None:
    """The record says where the modules are and what the distribution advertises."""
    scope.index.wheel("todo", entry_points={"pi": {"todo": "todo"}})
    found = scope.install(pypi("todo"))
    site = found.site_packages
    assert Path(site, "todo.py").is_file()
    expected = InstalledPackage(
        "pypi:todo", "pypi:todo", "pypi", "todo", "1.0", None, None, site, site, (("pi", "todo", "todo"),)
    )
    assert (expected,) == found.packages


def test_only_what_is_missing_is_installed(scope: Scope, tmp_path: Path) -> None:
    """A root or a tree that needs nothing new starts no installer."""
    scope.index.wheel("todo", requires=["shared"])
    scope.index.wheel("shared", "1.5")
    scope.install(pypi("todo"))
    scope.runs.clear()
    scope.install(pypi("todo"), local(write_tree(tmp_path / "tree", PROJECT, tree_one="")), pypi("pluggy"))
    assert [] == scope.runs
    assert {"todo": "1.0", "shared": "1.5", "tree-one": "1.2"} == versions(scope)


def test_nothing_changed_is_nothing_done(uv_scope: Scope) -> None:
    """The same roots again start no program and write nothing."""
    uv_scope.index.wheel("todo")
    first = uv_scope.install(pypi("todo"))
    uv_scope.runs.clear()
    before = uv_scope.state()
    assert first == uv_scope.install(pypi("todo"))
    assert ([], before) == (uv_scope.runs, uv_scope.state())


def test_a_new_root_moves_nothing_else(scope: Scope) -> None:
    """What is installed keeps its version when another package comes."""
    scope.index.wheel("a", "1.0")
    scope.install(pypi("a"))
    scope.index.wheel("a", "1.1")
    scope.index.wheel("b")
    scope.install(pypi("a"), pypi("b"))
    assert {"a": "1.0", "b": "1.0"} == versions(scope)


def test_an_update_takes_the_newest(scope: Scope) -> None:
    """Renewing a root really upgrades it, and only it."""
    for name in ("a", "b"):
        scope.index.wheel(name, "1.0")
    scope.install(pypi("a"), pypi("b"))
    for name in ("a", "b"):
        scope.index.wheel(name, "1.1")
    scope.install(pypi("a"), pypi("b"), renew=["pypi:a"])
    assert {"a": "1.1", "b": "1.0"} == versions(scope)
    scope.install(pypi("a"), pypi("b"), renew=[EVERYTHING])
    assert {"a": "1.1", "b": "1.1"} == versions(scope)


def test_an_update_without_news_changes_nothing(scope: Scope) -> None:
    """Where the index has nothing newer, the generation in force stays and nothing is left over."""
    scope.index.wheel("a")
    first = scope.install(pypi("a"))
    before = scope.state()
    assert first == scope.install(pypi("a"), renew=[EVERYTHING])
    assert before == scope.state()


def test_a_removal_takes_what_only_it_needed(scope: Scope) -> None:
    """Distributions that no root needs any more are gone; no installer runs."""
    scope.index.wheel("a", requires=["only-a", "both"])
    scope.index.wheel("b", requires=["both"])
    scope.index.wheel("only-a")
    scope.index.wheel("both")
    scope.install(pypi("a"), pypi("b"))
    scope.runs.clear()
    scope.install(pypi("b"))
    assert {"b": "1.0", "both": "1.0"} == versions(scope)
    assert [] == scope.runs


def test_an_upgrade_takes_away_what_it_no_longer_needs(scope: Scope) -> None:
    """A dependency that only the older version had goes with it, also when another root made it move."""
    scope.index.wheel("a", "1.0", requires=["old-need"])
    scope.index.wheel("old-need")
    scope.install(pypi("a"))
    scope.index.wheel("a", "2.0")
    scope.index.wheel("b", requires=["a>=2"])
    found = scope.install(pypi("a"), pypi("b"))
    assert {"a": "2.0", "b": "1.0"} == versions(scope)
    assert not Path(found.site_packages, "old_need.py").exists()


def test_a_removal_needs_no_index(scope: Scope) -> None:
    """An index that went away does not keep a package installed."""
    scope.index.wheel("a")
    scope.index.wheel("b")
    scope.install(pypi("a"), pypi("b"))
    scope.index.close()
    scope.install(pypi("b"))
    assert {"b": "1.0"} == versions(scope)


def test_a_narrower_wish_replaces_the_version(scope: Scope) -> None:
    """A root whose requirement the installed version does not meet is chosen anew."""
    scope.index.wheel("a", "1.0")
    scope.index.wheel("a", "2.0")
    scope.install(pypi("a"))
    scope.install(pypi("a<2"))
    assert {"a": "1.0"} == versions(scope)


def test_the_hosts_libraries_come_from_the_host(scope: Scope) -> None:
    """A dependency that the environment has is not installed a second time, newer or not."""
    scope.index.wheel("a", requires=["pluggy>=1"])
    scope.index.wheel("pluggy", "1.8.0")
    scope.install(pypi("a"))
    assert {"a": "1.0"} == versions(scope)


def test_an_extra_of_the_hosts_library_is_added(scope: Scope) -> None:
    """What an extra of a host library needs is installed, the library itself is not."""
    scope.index.wheel("a", requires=["hostlib[speed]"])
    scope.index.wheel("turbo", "1.1")
    scope.install(pypi("a"))
    assert {"a": "1.0", "turbo": "1.1"} == versions(scope)


def test_a_root_that_the_host_has_says_so(uv_scope: Scope) -> None:
    """A root satisfied by the environment is recorded as its package, with a note and without a program."""
    found = uv_scope.install(pypi("pluggy>=1"))
    assert ("environment", "1.7.0") == (found.packages[0].provider, found.packages[0].version)
    assert ["pypi:pluggy>=1: satisfied by environment 1.7.0"] == [note.message for note in found.notes]
    assert [] == uv_scope.runs


def test_a_wheel_file_is_unpacked(scope: Scope, tmp_path: Path) -> None:
    """A wheel on this machine is installed from its file, its dependencies from the index."""
    scope.index.wheel("shared")
    wheel = build_wheel(tmp_path / "my wheels", "filed", "2.0", requires=["shared"])
    found = scope.install(local(wheel))
    assert {"filed": "2.0", "shared": "1.0"} == versions(scope)
    assert ("local", "generation", found.site_packages) == (
        found.packages[0].kind, found.packages[0].provider, found.packages[0].root,
    )  # fmt: skip


def test_a_rebuilt_wheel_file_is_installed_again(uv_scope: Scope, tmp_path: Path) -> None:
    """Content decides, not the version: new code under an old version is installed."""
    wheel = build_wheel(tmp_path / "w", "filed", files={"filed.py": "OLD = 1\n"})
    uv_scope.install(local(wheel))
    build_wheel(tmp_path / "w", "filed", files={"filed.py": "NEW = 1\n"})
    found = uv_scope.install(local(wheel))
    assert "NEW = 1\n" == Path(found.site_packages, "filed.py").read_text("utf-8")


def test_a_package_may_require_a_tree(scope: Scope, tmp_path: Path) -> None:
    """A tree of the scope counts as its distribution for everybody else; the index is not asked for it."""
    scope.index.wheel("a", requires=["tree-one>=1"])
    scope.index.wheel("tree-one", "9.0")
    scope.index.wheel("shared")
    tree = write_tree(tmp_path / "tree", PROJECT, tree_one="")
    scope.install(pypi("a"), local(tree))
    assert {"a": "1.0", "shared": "1.0", "tree-one": "1.2"} == versions(scope)


def test_an_extra_of_a_tree_may_be_required(scope: Scope, tmp_path: Path) -> None:
    """A package that asks for a tree's extra gets what the extra needs, where its marker holds."""
    scope.index.wheel("a", requires=["tree-one[fast]"])
    for name in ("shared", "speed"):
        scope.index.wheel(name)
    items = ["speed; sys_platform != 'none'", "no; sys_platform == 'none'"]
    extras = f"[project.optional-dependencies]\nfast = {json.dumps(items)}\n"
    scope.install(pypi("a"), local(write_tree(tmp_path / "tree", PROJECT + extras, tree_one="")))
    assert {"a", "shared", "speed", "tree-one"} == set(versions(scope))


def test_scripts_run_with_the_generations_interpreter(scope: Scope) -> None:
    """A script that was carried over starts the interpreter of its own generation."""
    scope.index.wheel("a", entry_points={"console_scripts": {"a-tool": "a:main"}})
    scope.install(pypi("a"))
    found = scope.install(pypi("a"), pypi("pluggy"))
    folder = scope.folder / found.generation
    script = folder / "bin" / "a-tool"
    assert str(folder) in script.read_text("utf-8").splitlines()[0]
    assert os.access(script, os.X_OK)


def test_the_old_generation_is_untouched_by_the_new(scope: Scope) -> None:
    """Files are shared between generations, and yet an upgrade changes nothing in the older one."""
    scope.index.wheel("a", "1.0")
    scope.index.wheel("b")
    first = scope.install(pypi("a"), pypi("b"))
    before = scope.state()
    scope.index.wheel("a", "1.1")
    scope.install(pypi("a"), pypi("b"), renew=["pypi:a"])
    after = scope.state()
    assert {name: text for name, text in before.items() if name.startswith(first.generation)} == {
        name: text for name, text in after.items() if name.startswith(first.generation)
    }


def test_progress_is_told(scope: Scope) -> None:
    """Long work says what it does, and the words come from the work itself."""
    scope.index.wheel("a")
    scope.install(pypi("a"))
    assert {"install", "check"} == {step.stage for step in scope.steps}
    assert any("a" in step.message for step in scope.steps)


def test_nothing_of_the_work_is_left_behind(scope: Scope) -> None:
    """A finished generation holds no stub, guard, log or constraint of ours."""
    scope.index.wheel("a")
    found = scope.install(pypi("a"))
    names = {path.name for path in (scope.folder / found.generation).rglob("*")}
    assert "a.py" in names
    assert not names & {"constraints.txt", "installer.log", "_pi_guard.pth", ".lock", "built"}
    assert [] == list(Path(found.site_packages).glob("pluggy*"))
