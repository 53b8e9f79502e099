"""Packages of one run: what `-e` brings, and that it is declared nowhere.

Touches: files, git, processes, network (loopback only).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.errors import InstallError, SourceError
from pi_pkg.install.generation import generations
from pi_pkg.manager import PackageManager
from pi_pkg.resources.model import ResolvedResources
from tests.support.builders import RecordingBuilder
from tests.support.gitrepos import GitRepo
from tests.support.index import SimpleIndex
from tests.support.package_cli import PackageCli


def extensions(found: ResolvedResources) -> list[tuple[str, str]]:
    return [(Path(item.path).stem, item.provenance.scope) for item in found.extensions]


def commits(manager: PackageManager, source: str) -> list[str | None]:
    """The commits of what one run brings."""
    with manager.fetch([source]) as fetched:
        return [root.commit for root in fetched.packages]


def test_what_can_be_used_in_place_needs_nothing(pi: PackageCli) -> None:
    """A file and a folder without dependencies are not installed."""
    pi.package("proj/a")
    pi.write({"proj/one.py": ""})
    manager = pi.manager()
    assert () == manager.fetch(["./a", "./one.py"]).packages
    found = manager.resolve(trusted=False, extra_sources=["./a", "./one.py"])
    assert [("ext", "temporary"), ("one", "temporary")] == extensions(found)
    assert not pi.locations.runs.exists()


def test_a_repository_is_used_for_one_run(pi: PackageCli, tmp_path: Path) -> None:
    """It is fetched, its extensions come first, and no settings name it."""
    repo = GitRepo(tmp_path.resolve() / "remotes")
    repo.commit({"extensions/remote.py": ""})
    manager = pi.manager()
    source = f"git:{repo.url}"
    with manager.fetch([source]) as fetched:
        found = manager.resolve(trusted=False, extra_sources=[source], fetched=fetched)
    assert [("remote", "temporary")] == extensions(found)
    assert (False, "No packages installed.\n") == (pi.user_settings.exists(), pi.run("list").out)


def test_a_moved_branch_is_looked_up_again(pi: PackageCli, tmp_path: Path) -> None:
    """Each run sees the branch as it is; without an answer, as it was."""
    repo = GitRepo(tmp_path.resolve() / "remotes")
    repo.commit({"extensions/remote.py": ""})
    manager, source = pi.manager(), f"git:{repo.url}"
    commits(manager, source)
    head = repo.commit({"extensions/more.py": ""})
    assert [head] == commits(manager, source)
    repo.bare.rename(repo.bare.with_name("gone"))
    assert [head] == commits(manager, source)


def test_what_has_not_moved_costs_no_build(pi: PackageCli) -> None:
    """A run with the same sources looks, and builds only what is newer."""
    builder = RecordingBuilder()
    manager = pi.manager(builder=builder)
    commits(manager, "pypi:a")
    builder.log.clear()
    builder.versions = {"pypi:a": "2"}
    commits(manager, "pypi:a")
    assert ["look pypi:a", "root pypi:a fresh", "build pypi:a"] == builder.log


def test_offline_nothing_is_looked_up(pi: PackageCli) -> None:
    """What was here before is used as it is; what never was is refused with the reason."""
    builder = RecordingBuilder()
    commits(pi.manager(builder=builder), "pypi:a")
    builder.log.clear()
    offline = pi.manager(builder=builder, offline=True)
    assert ([None], []) == (commits(offline, "pypi:a"), builder.log)
    with pytest.raises(InstallError, match=r"pypi:b is not on this machine.*offline"):
        offline.fetch(["pypi:b"])


def test_what_a_run_holds_stays(pi: PackageCli) -> None:
    """Another run that brings something newer does not take the older one away under it."""
    builder = RecordingBuilder()
    with pi.manager(builder=builder).fetch(["pypi:a"]) as mine:
        builder.versions = {"pypi:a": "2"}
        commits(pi.manager(builder=builder), "pypi:a")
        assert mine.index is not None
        (folder,) = pi.locations.runs.iterdir()
        assert mine.index.generation in generations(folder)


def test_a_distribution_is_used_for_one_run(pi: PackageCli, tmp_path: Path) -> None:
    """It comes from the index into a generation of its own."""
    with SimpleIndex(tmp_path / "index") as index:
        index.wheel("pi-ext", "1.0", entry_points={"pi.extensions": {"ext": "pi_ext:extension"}})
        pi.environ["PIP_INDEX_URL"] = index.url
        manager = pi.manager()
        with manager.fetch(["pypi:pi-ext"]) as fetched:
            found = manager.resolve(trusted=False, extra_sources=["pypi:pi-ext"], fetched=fetched)
    assert [("pi_ext", "temporary")] == extensions(found)
    assert not pi.locations.user_envs.exists()


def test_a_tree_with_dependencies_is_installed(pi: PackageCli) -> None:
    """Its dependencies need a place."""
    pi.package("proj/a")
    pi.write({"proj/a/pyproject.toml": '[project]\nname = "a"\nversion = "1"\ndependencies = ["x"]\n'})
    builder = RecordingBuilder()
    with pi.manager(builder=builder).fetch(["./a"]) as fetched:
        (root,) = fetched.packages
    assert (f"local:{pi.folder}/proj/a", "temporary") == (root.identity, root.scope)


def test_what_was_never_here_is_an_error(pi: PackageCli) -> None:
    """A source that cannot be brought is refused, a wrong one too."""
    manager = pi.manager(builder=RecordingBuilder(refuses={"pypi:a"}))
    with pytest.raises(InstallError, match="cannot build pypi:a"):
        manager.fetch(["pypi:a"])
    with pytest.raises(SourceError):
        manager.fetch(["npm:a"])
