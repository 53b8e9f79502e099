"""Which scope a command is about, and that every message about it is true; field reports SCOPE.

Touches: files, git, processes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_pkg.install.index import read_index
from pi_pkg.trust.model import StoredDecision
from pi_pkg.trust.store import TrustStore, canonical_folder
from tests.support.gitrepos import GitRepo
from tests.support.package_cli import PackageCli


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path.resolve() / "remotes", "ext")
    repo.commit({"extensions/one.py": "def extension(pi): ...\n"})
    return repo


def commits(pi: PackageCli, *words: str) -> list[tuple[str, str]]:
    items = pi.run("list", "--json", *words).document["observed"]
    return [(item["scope"], item["commit"]) for item in items]


def test_a_named_update_acts_where_the_source_is_declared(pi: PackageCli, repo: GitRepo) -> None:
    """SCOPE 43: a package of the user is not brought into the project on the way."""
    pi.run("install", f"git:{repo.url}")
    new = repo.commit({"extensions/two.py": ""})
    pi.run("update", f"git:{repo.url}")
    assert [("user", new)] == commits(pi)
    assert ([], False) == (os.listdir(pi.folder / "proj"), pi.locations.project_envs.exists())


def test_both_scopes_are_updated_each_for_itself(pi: PackageCli, repo: GitRepo) -> None:
    """What both declare moves in both, the user's line first; the project is named."""
    pi.run("install", f"git:{repo.url}")
    pi.run("install", "-l", f"git:{repo.url}@main")
    old, new = repo.head()[:7], repo.commit({"extensions/two.py": ""})
    lines = pi.run("update").out.splitlines()
    assert [
        f"git:{repo.url} {old} → {new[:7]}",
        f"git:{repo.url}@main {old} → {new[:7]} in the project (branch main)",
        "examined 2 packages: 2 updated",
    ] == lines
    assert [("user", new), ("project", new)] == commits(pi)


@pytest.mark.parametrize(("flag", "moved"), [("-l", "project"), ("--user", "user")])
def test_one_scope_can_be_meant(pi: PackageCli, repo: GitRepo, flag: str, moved: str) -> None:
    """The other one stays as it is."""
    pi.run("install", f"git:{repo.url}")
    pi.run("install", "-l", f"git:{repo.url}")
    new = repo.commit({"extensions/two.py": ""})
    pi.run("update", flag)
    assert {moved} == {scope for scope, commit in commits(pi) if commit == new}


def test_an_undecided_project_takes_no_part(pi: PackageCli, repo: GitRepo) -> None:
    """L15: `always` trusts for reading; bringing code here needs somebody's word about this project."""
    default = 'default-project-trust = "always"\n'
    pi.write({"agent/settings.toml": default, "proj/.pi/settings.toml": f'packages = ["git:{repo.url}"]\n'})
    for command in ("update", "sync"):
        done = pi.run(command)
        assert (0, True) == (done.code, "was left out: nobody decided about its content" in done.err)
        assert not pi.locations.project_envs.exists()
    assert "installed git:" in pi.run("sync", "--approve").out


def test_a_trusted_folder_takes_part(pi: PackageCli, repo: GitRepo) -> None:
    """A stored decision is somebody's word."""
    pi.write({"proj/.pi/settings.toml": f'packages = ["git:{repo.url}"]\n'})
    folder = canonical_folder(pi.locations.project_dir)
    TrustStore(pi.locations.trust_store).record([(folder, StoredDecision(True))])
    assert f"installed git:{repo.url} {repo.head()[:7]} in the project" in pi.run("update").out


def test_an_untrusted_project_that_is_meant_is_refused(pi: PackageCli) -> None:
    """M4: exit 1 and how to approve, whichever command."""
    pi.write({"proj/.pi/settings.toml": "packages = []\n"})
    for command in ("update", "sync", "rollback"):
        done = pi.run(command, "-l")
        assert (1, True) == (done.code, "is not trusted; refused to" in done.err)


def test_the_home_folder_has_no_project(pi: PackageCli) -> None:
    """Its `.pi` is the user's own: without `-l` the user's packages are meant, with it nothing is done."""
    at_home = pi.at(pi.locations.home)
    assert (0, 1) == (at_home.run("update").code, at_home.run("update", "-l").code)


def test_a_removal_says_who_still_has_it(pi: PackageCli) -> None:
    """SCOPE 44: the other scope's entry is named, and the list agrees."""
    pi.package("proj/a")
    pi.run("install", "./a")
    pi.run("install", "-l", "./a")
    done = pi.run("remove", "./a")
    assert f"removed ./a (still declared in {pi.project_settings})\n" == done.out
    assert ["project"] == [item["scope"] for item in pi.run("list", "--json").document["observed"]]


def test_a_source_that_leads_nowhere_is_told(pi: PackageCli) -> None:
    """SCOPE 45: file and entry are named; what is inside the project is stored relative to it."""
    pi.write({"proj/.pi/settings.toml": 'packages = ["/nonexistent/x"]\n'})
    (finding,) = pi.run("list", "--approve", "--json").document["diagnostics"]
    assert ("warning", "/nonexistent/x", str(pi.project_settings)) == (
        finding["severity"], finding["source"], finding["path"]
    )  # fmt: skip
    pi.package("proj/tools/a")
    pi.run("install", "-l", "--approve", f"{pi.folder}/proj/tools/a")
    assert "../tools/a" in pi.declared(pi.project_settings)


def test_another_project_is_not_listed_and_is_named(pi: PackageCli) -> None:
    """SCOPE 46: what was installed for A is nowhere in B; removing it in B says where it is."""
    pi.package("shared")
    pi.run("install", "-l", "../shared")
    other = pi.folder / "other"
    other.mkdir()
    assert "No packages installed.\n" == pi.at(other).run("list").out
    done = pi.at(other).run("remove", "-l", "../shared")
    assert (1, True) == (done.code, f"It is installed for {pi.folder}/proj: go there and add -l." in done.err)


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("state", ["ok", "missing", "broken", "disabled", "not installed"])
def test_every_listed_entry_has_a_command_that_removes_it(pi: PackageCli, scope: str, state: str) -> None:
    """SCOPE 47, 49: the printed command takes exactly that entry out, whatever became of the package."""
    pi.package("proj/a")
    entry = {
        "ok": '"../a"',
        "missing": '"../gone"',
        "broken": '"npm:left-pad"',
        "disabled": '{ source = "../a", extensions = [] }',
        "not installed": '"pypi:never"',
    }[state]
    settings = pi.project_settings if scope == "project" else pi.user_settings
    entry = entry if scope == "project" else entry.replace("../", "../proj/")
    pi.write({str(settings.relative_to(pi.folder)): f'packages = [{entry}, "pypi:other"]\n'})
    item = pi.run("list", "--approve", "--json").document["observed"][0]
    assert (scope, str(settings)) == (item["scope"], item["declared_in"])
    program, *words = item["remove"]
    done = pi.run(*words, "--approve")
    assert ("pi", 0, ["pypi:other"]) == (program, done.code, pi.declared(settings))


def test_an_entry_is_removed_by_the_text_that_is_listed(pi: PackageCli) -> None:
    """SRC 20: a path that is relative to the settings file, typed as it is shown."""
    pi.package("elsewhere/a")
    pi.run("install", "../elsewhere/a")
    (item,) = pi.run("list", "--json").document["observed"]
    pi.write({"agent/settings.toml": 'packages = ["./../elsewhere/a"]\n'})
    assert "../elsewhere/a" == item["source"]
    assert (0, []) == (pi.run("remove", "./../elsewhere/a").code, pi.declared())


def test_a_record_without_an_entry_is_nobodys_package(pi: PackageCli, repo: GitRepo) -> None:
    """SCOPE 48: a deleted entry is not listed; a repair lets the files go."""
    pi.run("install", f"git:{repo.url}")
    pi.write({"agent/settings.toml": "packages = []\n"})
    assert "No packages installed.\n" == pi.run("list").out
    said = f"removed git:{repo.url} (no settings name it)\n"
    assert said == pi.run("sync").out
    assert read_index(pi.locations.user_envs) is None


@pytest.mark.parametrize(
    ("entry", "project", "user"),
    [
        pytest.param('"../a"', "overrides-user", "overridden-by-project", id="a whole entry"),
        pytest.param(
            '{ source = "../a", autoload = false, extensions = ["-extensions/ext.py"] }',
            "changes-user",
            "changed-by-project",
            id="a delta",
        ),
    ],
)
def test_an_entry_tells_how_it_stands_to_the_other(
    pi: PackageCli, entry: str, project: str, user: str
) -> None:
    """SCOPE 50: nothing of the user is replaced without a word."""
    pi.package("proj/a")
    pi.run("install", "./a")
    pi.write({"proj/.pi/settings.toml": f"packages = [{entry}]\n"})
    items = pi.run("list", "--approve", "--json").document["observed"]
    assert {"user": user, "project": project} == {item["scope"]: item["relation"] for item in items}
    shown = "overrides the user's entry" if project == "overrides-user" else "changes the user's entry"
    assert shown in pi.run("list", "--approve").out
