"""Updates of git packages through the real commands, against real repositories; cases C and field reports.

Touches: files, git, processes.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.pkg.changes.kit import times
from tests.support.gitrepos import GitRepo
from tests.support.package_cli import PackageCli


def extension(name: str) -> dict[str, str]:
    return {f"extensions/{name}.py": "def extension(pi): ...\n"}


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A repository with one extension on `main`."""
    repo = GitRepo(tmp_path.resolve() / "remotes", "ext")
    repo.commit(extension("one"))
    return repo


def listed(pi: PackageCli, place: int = 0) -> tuple[str, list[str]]:
    """Commit and extension names of a package."""
    item = pi.run("list", "--json").document["observed"][place]
    return item["commit"], [Path(found["path"]).stem for found in item["resources"]["extensions"]]


def short(commit: str) -> str:
    return commit[:7]


def test_a_branch_moves_with_an_update(pi: PackageCli, repo: GitRepo) -> None:
    """NOOP 2, 11; C8: what is loaded, what is recorded and what the remote has are one commit."""
    repo.branch("dev")
    pi.run("install", f"git:{repo.url}@dev")
    old, new = repo.head(), repo.commit(extension("two"))
    done = pi.run("update")
    assert f"git:{repo.url}@dev {short(old)} → {short(new)} (branch dev)\n" in done.out
    assert (new, ["one", "two"]) == listed(pi)


def test_the_default_branch_moves_too(pi: PackageCli, repo: GitRepo) -> None:
    """C15: without a ref the remote's default branch counts, whatever a checkout looks like here."""
    pi.run("install", f"git:{repo.url}")
    new = repo.commit(extension("two"))
    assert (0, new) == (pi.run("update").code, listed(pi)[0])


@pytest.mark.parametrize("ref", ["v1.0", "commit"])
def test_a_tag_or_commit_stays(pi: PackageCli, repo: GitRepo, ref: str) -> None:
    """NOOP 2: a pin is left where it is; a newer tag is named."""
    repo.tag("v1.0")
    old = repo.head()
    pi.run("install", f"git:{repo.url}@{old if ref == 'commit' else ref}")
    repo.commit(extension("two"))
    repo.tag("v1.1")
    newer = ", v1.1 available" if ref == "v1.0" else ""
    assert f" pinned at {short(old)}{newer}\n" in pi.run("update").out
    assert (old, ["one"]) == listed(pi)


def test_a_tag_that_was_moved_is_told_and_not_followed(pi: PackageCli, repo: GitRepo) -> None:
    """Somebody who can move a tag cannot move what is installed from it."""
    repo.tag("v1")
    old = repo.head()
    pi.run("install", f"git:{repo.url}@v1")
    new = repo.commit(extension("two"))
    repo._git("tag", "-f", "v1")
    repo._git("push", "-q", "--force", "origin", "refs/tags/v1")
    assert f"pinned at {short(old)} (the tag is {short(new)} now" in pi.run("update").out
    assert old == listed(pi)[0]


def test_another_tag_is_the_other_commit(pi: PackageCli, repo: GitRepo) -> None:
    """NOOP 1: installing `@v2` over `@v1` ends at v2's commit and says the way."""
    repo.tag("v1")
    old = repo.head()
    pi.run("install", f"git:{repo.url}@v1")
    new = repo.commit(extension("two"))
    repo.tag("v2")
    assert f"{short(old)} → {short(new)}" in pi.run("install", f"git:{repo.url}@v2").out
    assert (new, ["one", "two"]) == listed(pi)


def test_a_rewritten_history_is_followed(pi: PackageCli, repo: GitRepo) -> None:
    """NOOP 4, C7: the remote's commit counts, whatever led to it; exit 0."""
    repo.commit(extension("two"))
    pi.run("install", f"git:{repo.url}")
    repo.rewind("HEAD~1")
    new = repo.commit(extension("three"))
    assert 0 == pi.run("update").code
    assert (new, ["one", "three"]) == listed(pi)


def test_the_same_version_with_other_code_is_news(pi: PackageCli, repo: GitRepo) -> None:
    """NOOP 10: content decides, not the version text."""
    project = {"pyproject.toml": '[project]\nname = "same"\nversion = "1.0"\n'}
    repo.commit({**project, **extension("one")})
    pi.run("install", f"git:{repo.url}")
    repo.commit(extension("two"))
    assert " → " in pi.run("update").out
    assert ["one", "two"] == listed(pi)[1]


def test_nothing_new_changes_no_file(pi: PackageCli, repo: GitRepo) -> None:
    """ATOM 13, C5: not in the checkout, whose dirt is kept, not in the generations, not in the settings."""
    pi.run("install", f"git:{repo.url}")
    (checkout,) = pi.locations.checkouts.glob(f"**/{repo.head()}")
    (checkout / "dirt.txt").write_text("mine")
    before = times(pi.folder / "agent")
    assert f"unchanged at {short(repo.head())}\n" in pi.run("update").out
    assert before == times(pi.folder / "agent")


def test_a_new_commit_starts_clean(pi: PackageCli, repo: GitRepo) -> None:
    """C6: what somebody left in the old checkout, ignored files too, is not in the new one."""
    repo.commit({".gitignore": "*.log\n"})
    pi.run("install", f"git:{repo.url}")
    (checkout,) = pi.locations.checkouts.glob(f"**/{repo.head()}")
    for name in ("dirt.txt", "ignored.log"):
        (checkout / name).write_text("mine")
    new = repo.commit(extension("two"))
    pi.run("update")
    (fresh,) = pi.locations.checkouts.glob(f"**/{new}")
    assert not {"dirt.txt", "ignored.log"} & set(os.listdir(fresh))


def test_a_short_commit_over_an_existing_one(pi: PackageCli, repo: GitRepo) -> None:
    """C9: a full commit works, and so does a short one."""
    old = repo.head()
    repo.commit(extension("two"))
    pi.run("install", f"git:{repo.url}")
    for ref in (old, old[:8]):
        assert 0 == pi.run("install", f"git:{repo.url}@{ref}").code
        assert old == listed(pi)[0]


def test_any_ref_names_the_package(pi: PackageCli, repo: GitRepo) -> None:
    """C10: `update REPO@whatever` is about the declared one."""
    pi.run("install", f"git:{repo.url}")
    new = repo.commit(extension("two"))
    assert (0, new) == (pi.run("update", f"git:{repo.url}@whatever").code, listed(pi)[0])


def test_a_forgotten_prefix_is_proposed(pi: PackageCli) -> None:
    """C11: the declared string, for its own address without `git:`."""
    pi.write({"agent/settings.toml": 'packages = ["git:host.example/u/r@v1"]\n'})
    done = pi.run("update", "host.example/u/r")
    assert (1, True) == (done.code, "Did you mean git:host.example/u/r@v1?" in done.err)


def test_a_dependency_that_cannot_be_had_is_tried_again(
    pi: PackageCli, repo: GitRepo, tmp_path: Path
) -> None:
    """C13, ATOM 16: the old commit stays in force; once the dependency is there, the new one comes."""
    pi.run("install", f"git:{repo.url}")
    old = repo.head()
    project = '[project]\nname = "needy"\nversion = "1"\ndependencies = ["not-there-yet"]\n'
    new = repo.commit({"pyproject.toml": project, **extension("two")})
    pi.environ["PIP_NO_INDEX"] = "1"
    pi.environ["PIP_FIND_LINKS"] = str(tmp_path / "links")
    (tmp_path / "links").mkdir()
    done = pi.run("update")
    assert (1, old, True) == (done.code, listed(pi)[0], "not-there-yet" in done.err)
    from tests.support.wheels import build_wheel

    build_wheel(tmp_path / "links", "not-there-yet")
    assert (0, new) == (pi.run("update").code, listed(pi)[0])


def test_one_missing_repository_does_not_stop_the_others(pi: PackageCli, tmp_path: Path) -> None:
    """ATOM 18: the first and the third move, the second is named in a table, exit 1."""
    repos = [GitRepo(tmp_path.resolve() / "many", name) for name in ("a", "b", "c")]
    for repo in repos:
        repo.commit(extension("one"))
        pi.run("install", f"git:{repo.url}")
    heads = [repo.commit(extension("two")) for repo in repos]
    stays = listed(pi, 1)[0]
    shutil.rmtree(repos[1].bare)
    done = pi.run("update")
    assert (1, [heads[0], stays, heads[2]]) == (done.code, [listed(pi, place)[0] for place in range(3)])
    assert "examined 3 packages: 2 updated, 1 refused" in done.out
    assert f"  git:{repos[1].url}  refused, still {short(stays)}\n" in done.out


def test_an_install_that_failed_midway_leaves_no_trap(pi: PackageCli, repo: GitRepo) -> None:
    """ATOM 14: after a failure, or with a folder already in the way, the next install succeeds."""
    hidden = repo.bare.rename(repo.bare.with_name("hidden"))
    assert 1 == pi.run("install", f"git:{repo.url}").code
    hidden.rename(repo.bare)
    place = pi.locations.checkouts / "localhost" / str(repo.bare).removesuffix(".git").lstrip("/")
    place.mkdir(parents=True)
    assert 0 == pi.run("install", f"git:{repo.url}").code
    assert ["one"] == listed(pi)[1]


def test_two_names_of_one_repository_are_two_packages_only_if_they_differ(
    pi: PackageCli, tmp_path: Path
) -> None:
    """SRC 28: `a/ext` and `b/ext` do not overwrite each other."""
    for owner in "ab":
        repo = GitRepo(tmp_path.resolve() / owner, "ext")
        repo.commit(extension(owner))
        pi.run("install", f"git:{repo.url}")
    assert [["a"], ["b"]] == [listed(pi, place)[1] for place in range(2)]


def test_a_check_fetches_nothing(pi: PackageCli, repo: GitRepo) -> None:
    """The remote is asked for its refs; no commit is brought here."""
    pi.run("install", f"git:{repo.url}")
    old, new = repo.head(), repo.commit(extension("two"))
    before = times(pi.folder / "agent")
    done = pi.run("update", "--check")
    assert f"would update git:{repo.url} {short(old)} → {short(new)}\n" in done.out
    assert before == times(pi.folder / "agent")
