"""Git packages through the real commands, against real repositories: cases C1-C4, C7, C8, C12, B8.

Touches: files, git, processes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.gitrepos import GitRepo
from tests.support.package_cli import PackageCli

ONE = {"extensions/one.py": "def extension(pi): ...\n"}
TWO = {"extensions/two.py": "def extension(pi): ...\n"}


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A repository with the tag `v1` (one extension) and a later commit on `main` (two)."""
    repo = GitRepo(tmp_path.resolve() / "remotes", "ext")
    repo.commit(ONE)
    repo.tag("v1")
    repo.commit(TWO)
    return repo


def listed(pi: PackageCli) -> tuple[str, bool, list[str]]:
    """Commit, pin and extension names of the only package."""
    (item,) = pi.run("list", "--json").document["observed"]
    names = [Path(found["path"]).stem for found in item["resources"]["extensions"]]
    return item["commit"], item["pinned"], names


def test_a_tag_is_installed_as_a_pin(pi: PackageCli, repo: GitRepo) -> None:
    """C1: the commit of the tag is in force and recorded; the settings keep the tag."""
    said = pi.run("install", f"git:{repo.url}@v1")
    commit, pinned, names = listed(pi)
    assert (True, ["one"]) == (pinned, names)
    assert f"installed git:{repo.url}@v1 {commit[:7]}\n" == said.out
    assert [f"git:{repo.url}@v1"] == pi.declared()


def test_a_branch_is_no_pin(pi: PackageCli, repo: GitRepo) -> None:
    """A branch and the default branch move with updates."""
    for ref in ("", "@main"):
        pi.run("install", f"git:{repo.url}{ref}")
        assert (repo.head(), False, ["one", "two"]) == listed(pi)


def test_a_full_commit_is_installed(pi: PackageCli, repo: GitRepo) -> None:
    """C9: a full commit id is a pin."""
    pi.run("install", f"git:{repo.url}@{repo.head()}")
    assert (repo.head(), True, ["one", "two"]) == listed(pi)


@pytest.mark.parametrize("installed", [False, True], ids=["C2", "C3"])
def test_a_missing_ref_changes_nothing(pi: PackageCli, repo: GitRepo, installed: bool) -> None:
    """C2, C3: exit 1, the settings and the checkout in force are as before, nothing new is left."""
    if installed:
        pi.run("install", f"git:{repo.url}@v1")
    before = pi.user_settings.read_bytes() if installed else None
    done = pi.run("install", f"git:{repo.url}@nope")
    assert 1 == done.code
    assert "has no branch, tag or commit 'nope'" in done.err
    assert before == (pi.user_settings.read_bytes() if installed else None)
    if installed:
        assert ["one"] == listed(pi)[2]


def test_another_ref_replaces_the_entry(pi: PackageCli, repo: GitRepo) -> None:
    """C4: installing `@v1` over the unpinned one moves back and rewrites the entry."""
    pi.run("install", f"git:{repo.url}")
    head = repo.head()
    done = pi.run("install", f"git:{repo.url}@v1")
    assert f"changed git:{repo.url}@v1 {head[:7]} → {listed(pi)[0][:7]}\n" == done.out
    assert ([f"git:{repo.url}@v1"], ["one"]) == (pi.declared(), listed(pi)[2])


def test_other_spellings_are_one_package(pi: PackageCli, repo: GitRepo) -> None:
    """B8: the entry is replaced by the new spelling, not joined by it."""
    pi.run("install", f"git:{repo.url}")
    pi.run("install", f"git:{repo.url.removesuffix('.git')}.git@main")
    assert [f"git:{repo.url}@main"] == pi.declared()


def test_installing_again_follows_the_branch(pi: PackageCli, repo: GitRepo) -> None:
    """C7, C8: an unpinned package moves to the remote's commit, also over a rewritten history."""
    pi.run("install", f"git:{repo.url}")
    head = repo.head()
    repo.rewind("HEAD~1")
    repo.commit({"extensions/three.py": "def extension(pi): ...\n"})
    done = pi.run("install", f"git:{repo.url}")
    assert f"changed git:{repo.url} {head[:7]} → {repo.head()[:7]}\n" == done.out
    assert ["one", "three"] == listed(pi)[2]


def test_installing_another_package_moves_nothing(pi: PackageCli, repo: GitRepo) -> None:
    """A new commit on the remote waits until that package is asked for."""
    pi.run("install", f"git:{repo.url}")
    before = repo.head()
    repo.commit({"extensions/three.py": ""})
    pi.package("proj/a")
    pi.run("install", "./a")
    items = pi.run("list", "--json").document["observed"]
    assert before == items[0]["commit"]


def test_a_subdirectory_is_a_package_of_its_own(pi: PackageCli, repo: GitRepo) -> None:
    """Two folders of one repository are two packages."""
    repo.commit({"p/extensions/deep.py": "", "q/extensions/other.py": ""})
    for name in "pq":
        assert 0 == pi.run("install", f"git:{repo.url}#subdirectory={name}").code
    items = pi.run("list", "--json").document["observed"]
    assert ["deep", "other"] == [Path(item["resources"]["extensions"][0]["path"]).stem for item in items]


def test_a_repository_that_does_not_answer_is_named(pi: PackageCli) -> None:
    """One sentence, exit 1, nothing left in the settings."""
    done = pi.run("install", "git:file:///nowhere/at/all.git")
    assert 1 == done.code
    assert "refused git:file:///nowhere/at/all.git: " in done.err
    assert not pi.user_settings.exists()


def test_a_removed_package_is_gone(pi: PackageCli, repo: GitRepo) -> None:
    """C10, C12: any ref in the argument matches; nothing of it is in force any more."""
    pi.run("install", f"git:{repo.url}@v1")
    assert f"removed git:{repo.url}@other\n" == pi.run("remove", f"git:{repo.url}@other").out
    assert ([], "No packages installed.\n") == (pi.declared(), pi.run("list").out)


def test_a_forgotten_prefix_is_proposed(pi: PackageCli, repo: GitRepo) -> None:
    """C11: the declared string is proposed for its own address without `git:`."""
    pi.write({"agent/settings.toml": 'packages = ["git:host.example/u/r@v1"]\n'})
    done = pi.run("remove", "host.example/u/r")
    assert "Did you mean git:host.example/u/r@v1?" in done.err


def test_an_old_package_that_cannot_be_fetched_does_not_stand_in_the_way(
    pi: PackageCli, repo: GitRepo
) -> None:
    """A declared repository that was never fetched and is gone is left out and reported."""
    pi.write({"agent/settings.toml": 'packages = ["git:file:///gone.git"]\n'})
    pi.package("proj/a")
    done = pi.run("install", "./a", "--json")
    assert (0, True) == (done.code, "package-missing" in done.codes)
    states = [item["state"] for item in pi.run("list", "--json").document["observed"]]
    assert ["missing", "ok"] == states
