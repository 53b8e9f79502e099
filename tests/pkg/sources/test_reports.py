"""What went wrong elsewhere in reading sources and telling packages apart: field reports SRC, and PLAT 34.

Touches: files, git, processes.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from pi_pkg.errors import SourceError
from pi_pkg.install.process import find_program
from pi_pkg.sources.model import GitSource, LocalSource
from pi_pkg.sources.parse import parse_source
from tests.support.gitrepos import GitRepo
from tests.support.package_cli import PackageCli


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A repository with one extension at its root and one below `sub`."""
    repo = GitRepo(tmp_path.resolve() / "remotes", "ext")
    repo.commit({"extensions/top.py": "", "sub/extensions/inner.py": ""})
    return repo


def names(pi: PackageCli) -> list[list[str]]:
    """The extension names of each package, in order."""
    items = pi.run("list", "--json").document["observed"]
    return [[Path(found["path"]).stem for found in item["resources"]["extensions"]] for item in items]


@pytest.mark.parametrize("spelling", ["~/x", "~/x/", "{home}/x", "../home/x", "file://{home}/x", " ~/x "])
def test_what_was_installed_is_removed_by_any_spelling(pi: PackageCli, spelling: str) -> None:
    """SRC 20: tilde, slash at the end, absolute, relative: each names the package that was installed."""
    pi.package("home/x")
    assert 0 == pi.run("install", "~/x/").code
    said = pi.run("remove", spelling.replace("{home}", str(pi.locations.home)))
    assert (0, []) == (said.code, pi.declared())


def test_what_was_not_installed_is_not_removed(pi: PackageCli) -> None:
    """SRC 20: nothing matched is a failure, not a success."""
    pi.package("home/x")
    pi.run("install", "~/x")
    assert (1, ["../home/x"]) == (pi.run("remove", "~/y").code, pi.declared())


def test_a_stored_path_stays_a_path(pi: PackageCli) -> None:
    """SRC 21: what is stored without a slash in front still reads as a path."""
    pi.package("agent/packages/x")
    pi.run("install", str(pi.folder / "agent/packages/x"))
    (stored,) = pi.declared()
    source = parse_source(stored, base=pi.locations.agent_dir, home=pi.locations.home)
    assert isinstance(source, LocalSource)
    assert str(pi.folder / "agent/packages/x") == source.path


@pytest.mark.parametrize("entry", ["packages/x", "git:", "h.example/o/r", "npm:x", "\\u0000"])
def test_a_broken_entry_stops_no_command(pi: PackageCli, entry: str) -> None:
    """SRC 21: listing shows it as broken, and its own text removes it."""
    pi.package("pk")
    pi.write({"agent/settings.toml": f'packages = ["{entry}", "../pk"]\n'})
    document = pi.run("list", "--json").document
    assert ["broken", "ok"] == [item["state"] for item in document["observed"]]
    if entry != "\\u0000":
        assert 0 == pi.run("remove", entry).code
        assert ["../pk"] == pi.declared()


def test_a_listed_path_exists(pi: PackageCli) -> None:
    """SRC 22: whatever is stored, the listing names the folder itself."""
    pi.package("pk")
    pi.run("install", "../pk")
    (item,) = pi.run("list", "--json").document["observed"]
    assert str(pi.folder / "pk") == item["root"]
    assert str(pi.folder / "pk") in pi.run("list").out


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        ("ssh://git@h.example/repo", None),
        ("ssh://git@h.example:2222/o/r", "git:h.example/o/r"),
        ("git@h.example:r.git", None),
        ("git@h.example:g/sub/r@v1", None),
        ("git:git@h.example:g/sub/r@v1", "git:h.example/g/sub/r"),
        ("https://user:secret@h.example/o/r", "git:h.example/o/r"),
        ("git:file:///srv/r.git", "git:file:///srv/r"),
        ("svn://h.example/o/r", None),
    ],
)
def test_an_address_is_never_a_path(text: str, identity: str | None) -> None:
    """SRC 23: what has a scheme or `user@host:` is a repository, or refused with what would be accepted."""
    if identity is None:
        with pytest.raises(SourceError, match=r"git:|https://"):
            parse_source(text, base=Path("/w"), home=Path("/h"))
        return
    found = parse_source(text, base=Path("/w"), home=Path("/h"))
    assert isinstance(found, GitSource)
    assert identity == found.identity


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("github:o", "git:HOST/ORG/REPO"),
        ("gitea:o/r", "pypi:NAME, git:HOST/ORG/REPO"),
        ("GitHub:o/r", "github:o/r"),
    ],
)
def test_an_unknown_prefix_lists_the_known_ones(pi: PackageCli, text: str, said: str) -> None:
    """SRC 24: it is no path that does not exist; a known shorthand is the repository that it means."""
    refused = pi.run("install", text)
    assert 1 == refused.code
    assert said in refused.out + refused.err
    found = parse_source("github:o/r", base=Path("/w"), home=Path("/h"))
    assert "git:github.com/o/r" == found.identity


def test_a_fragment_is_read_before_git_runs(pi: PackageCli, repo: GitRepo) -> None:
    """SRC 25: ref and subdirectory are taken apart; the folder below is the package."""
    assert 0 == pi.run("install", f"git:{repo.url}@main#subdirectory=sub").code
    assert [["inner"]] == names(pi)


@pytest.mark.parametrize(
    "fragment", ["main:sub", "main#sub", "path=sub", "subdirectory=../sub", "subdirectory="]
)
def test_another_fragment_is_refused(pi: PackageCli, repo: GitRepo, fragment: str) -> None:
    """SRC 25: what cannot be meant is refused with the accepted form, and nothing is left on disk."""
    refused = pi.run("install", f"git:{repo.url}#{fragment}")
    assert 1 == refused.code
    assert not pi.locations.checkouts.exists() or not list(pi.locations.checkouts.iterdir())
    assert not pi.user_settings.exists()


def test_a_folder_that_the_repository_lacks_is_told(pi: PackageCli, repo: GitRepo) -> None:
    """SRC 25: a wrong subdirectory is one sentence, and nothing is declared."""
    refused = pi.run("install", f"git:{repo.url}#subdirectory=gone")
    assert (1, True) == (refused.code, "gone" in refused.out + refused.err)
    assert not pi.user_settings.exists()


def test_two_addresses_of_one_repository_are_one_package(
    pi: PackageCli, repo: GitRepo, tmp_path: Path
) -> None:
    """SRC 26: over https and over ssh, each fetched by its own address, it is one entry and one checkout."""
    config = tmp_path / "gitconfig"
    rewrites = ("https://h.example/o/ext", "ssh://git@h.example/o/ext")
    lines = [f'[url "{repo.url}"]\n', *(f"\tinsteadOf = {address}\n" for address in rewrites)]
    config.write_text("".join(lines), encoding="utf-8")
    pi.environ["GIT_CONFIG_GLOBAL"] = str(config)
    for address in rewrites:
        done = pi.run("install", address)
        assert 0 == done.code, done.err
        assert [address] == pi.declared()
    (item,) = pi.run("list", "--json").document["observed"]
    assert "git:h.example/o/ext" == item["identity"]


def test_the_command_line_reads_sources_as_install_does(pi: PackageCli, repo: GitRepo) -> None:
    """SRC 27: `-e` with a repository is that repository, also beside a folder of the same name."""
    pi.package(f"proj/git:{repo.url.partition('/')[0]}")
    manager, source = pi.manager(), f"git:{repo.url}"
    with manager.fetch([source]) as fetched:
        found = manager.resolve(trusted=False, extra_sources=[source], fetched=fetched)
    assert ["top"] == [Path(item.path).stem for item in found.extensions]


def test_two_repositories_of_one_name_stand_side_by_side(pi: PackageCli, tmp_path: Path) -> None:
    """SRC 28: host and whole path tell packages apart; source and commit of each are known."""
    repos = [GitRepo(tmp_path.resolve() / owner, "ext") for owner in ("a", "b")]
    heads = [repo.commit({f"extensions/of_{repo.bare.parent.name}.py": ""}) for repo in repos]
    assert 0 == pi.run("install", *(f"git:{repo.url}" for repo in repos)).code
    items = pi.run("list", "--json").document["observed"]
    assert heads == [item["commit"] for item in items]
    assert [["of_a"], ["of_b"]] == names(pi)


def test_a_program_is_found_as_the_platform_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLAT 34: where names have endings, the file with one of them is started, not a script beside it."""
    for name in ("tool", "tool.cmd"):
        (tmp_path / name).write_text("", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    environ = {"PATH": str(tmp_path)}
    assert str(tmp_path / "tool") == find_program("tool", environ)
    monkeypatch.setenv("PATHEXT", os.pathsep.join([".EXE", ".cmd"]))
    monkeypatch.setattr(shutil, "_win_path_needs_curdir", lambda *asked: False, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    found = find_program("tool", environ)
    monkeypatch.undo()
    assert str(tmp_path / "tool.cmd") == found
