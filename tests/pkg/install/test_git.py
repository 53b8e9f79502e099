"""git brings exactly one commit, and nothing of the repository runs."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from pi_pkg.install.errors import GitError
from pi_pkg.install.git import Checkout, Git, Repository, git_environ, subdirectory_of
from pi_pkg.install.process import Finished, run_process
from tests.support.gitrepos import GitRepo


@pytest.fixture
def remote(tmp_path: Path) -> GitRepo:
    """A repository with two commits on `main`; both tags stand on the first, `dev` is ahead."""
    made = GitRepo(tmp_path)
    made.commit({"a.txt": "one\n", "sub/b.txt": "b\n"})
    made.tag("v1")
    made.tag("v1-annotated", annotated=True)
    made.commit({"a.txt": "two\n"})
    made.branch("dev")
    made.commit({"a.txt": "dev\n"})
    made.switch("main")
    return made


@pytest.fixture
def git() -> Git:
    """The git of this machine in the environment of the test."""
    return Git(dict(os.environ))


def at(remote: GitRepo) -> Repository:
    return Repository(remote.url, "", "srv/repo")


def bring(git: Git, remote: GitRepo, tmp_path: Path, ref: str | None) -> Checkout:
    return git.checkout(tmp_path / "checkouts", at(remote), ref)


@pytest.mark.parametrize(
    ("ref", "kind", "text"),
    [
        (None, "branch", "two\n"),
        ("main", "branch", "two\n"),
        ("dev", "branch", "dev\n"),
        ("refs/heads/dev", "branch", "dev\n"),
        ("v1", "tag", "one\n"),
        ("v1-annotated", "tag", "one\n"),
        ("refs/tags/v1-annotated", "tag", "one\n"),
    ],
)
def test_a_ref_is_what_the_remote_says(
    git: Git, remote: GitRepo, tmp_path: Path, ref: str | None, kind: str, text: str
) -> None:
    """Branches move, tags are pins, an annotated tag is the commit behind it."""
    found = bring(git, remote, tmp_path, ref)
    assert (kind, text) == (found.ref_kind, (found.path / "a.txt").read_text("utf-8"))


@pytest.mark.parametrize("length", [40, 12, 7])
def test_a_commit_is_a_pin(git: Git, remote: GitRepo, tmp_path: Path, length: int) -> None:
    """A commit that no branch points at any more is found, by its full name or by its first digits."""
    old = remote.head()
    remote.commit({"a.txt": "three\n"})
    found = bring(git, remote, tmp_path, old[:length])
    assert ("commit", old, "two\n") == (
        found.ref_kind,
        found.commit,
        (found.path / "a.txt").read_text("utf-8"),
    )


@pytest.mark.parametrize("able", [True, False])
def test_any_server_gives_a_commit(git: Git, remote: GitRepo, tmp_path: Path, able: bool) -> None:
    """Commits come from servers that give one by its name, or leave files out, and from those that cannot."""
    for key in ("allowFilter", "allowAnySHA1InWant", "allowReachableSHA1InWant"):
        remote._git("-C", str(remote.bare), "config", f"uploadpack.{key}", str(able).lower())
    old = Git(
        {
            **git.environ,
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "protocol.version",
            "GIT_CONFIG_VALUE_0": "0",
        }
    )
    first = remote.head()
    remote.commit({"a.txt": "three\n"})
    for ref in (first, first[:8]):
        found = old.checkout(tmp_path / ref, at(remote), ref)
        assert (first, "two\n") == (found.commit, (found.path / "a.txt").read_text("utf-8"))
    assert "promisor" not in (found.path / ".git" / "config").read_text("utf-8")


def test_a_tag_stands_before_a_branch_of_its_name(git: Git, remote: GitRepo, tmp_path: Path) -> None:
    """The pin is the safe reading; the branch can be asked for by its full name."""
    remote.branch("v1")
    assert "tag" == bring(git, remote, tmp_path, "v1").ref_kind
    assert "branch" == bring(git, remote, tmp_path, "refs/heads/v1").ref_kind


def test_a_checkout_is_named_by_its_commit(git: Git, remote: GitRepo, tmp_path: Path) -> None:
    """The folder tells repository and commit, and the files are that commit's."""
    found = bring(git, remote, tmp_path, "v1")
    assert tmp_path / "checkouts" / "localhost" / "srv" / "repo" / found.commit == found.path
    done = run_process(
        ["git", "-C", str(found.path), "rev-parse", "HEAD"], env=os.environ, cwd=tmp_path, timeout_s=10
    )
    assert found.commit == done.stdout


def test_the_same_commit_is_fetched_once(remote: GitRepo, tmp_path: Path) -> None:
    """Where the commit stands already, the remote is asked for its refs only, the folder for its state."""
    asked: list[str] = []

    def run(
        argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, timeout_s: float, **rest: object
    ) -> Finished:
        verbs = {"ls-remote", "init", "fetch", "checkout", "rev-parse", "status"}
        asked.append(next(word for word in argv if word in verbs))
        return run_process(argv, env=env, cwd=cwd, timeout_s=timeout_s)

    git = Git(dict(os.environ), run=run)
    first = bring(git, remote, tmp_path, "v1")
    asked.clear()
    assert first == bring(git, remote, tmp_path, "v1")
    assert ["ls-remote", "status"] == asked


def test_a_branch_that_moved_or_was_rewritten_is_followed(git: Git, remote: GitRepo, tmp_path: Path) -> None:
    """A checkout is never merged into: the branch's present commit counts, forwards or rewritten."""
    first = bring(git, remote, tmp_path, "main")
    remote.rewind("v1")
    remote.commit({"a.txt": "rewritten\n"})
    second = bring(git, remote, tmp_path, "main")
    assert ["two\n", "rewritten\n"] == [
        (found.path / "a.txt").read_text("utf-8") for found in (first, second)
    ]


@pytest.mark.parametrize("ref", ["nosuch", "refs/heads/nosuch", "0" * 40, "1234567", "abc"])
def test_a_ref_that_is_not_there(git: Git, remote: GitRepo, tmp_path: Path, ref: str) -> None:
    """A missing ref is named, and nothing stays on the disk."""
    with pytest.raises(GitError, match=ref):
        bring(git, remote, tmp_path, ref)
    assert [] == files_below(tmp_path / "checkouts")


BAD_REFS = (
    "--upload-pack=touch PWNED", "-x", "a..b", "a b", "a\nb", "a~1", "a^{}", "a:b", "*", "x.lock",
    "/a", "a/", "@{1}", "",
)  # fmt: skip


@pytest.mark.parametrize("ref", BAD_REFS)
def test_a_ref_that_could_be_something_else(remote: GitRepo, tmp_path: Path, ref: str) -> None:
    """What is no ref by git's own rules, options above all, never reaches git."""

    def run(*rest: object, **more: object) -> Finished:
        raise AssertionError("git was started")

    with pytest.raises(GitError, match="can be no branch"):
        bring(Git(dict(os.environ), run=run), remote, tmp_path, ref)


@pytest.mark.parametrize(
    "url", ["--upload-pack=touch PWNED", "ext::sh -c touch% PWNED", "-oProxyCommand=touch PWNED"]
)
def test_an_address_that_could_be_something_else(git: Git, tmp_path: Path, url: str) -> None:
    """An address is never read as an option, and protocols that run programs are shut."""
    open_git = Git({**git.environ, "GIT_ALLOW_PROTOCOL": "ext:file"})
    with pytest.raises(GitError):
        open_git.checkout(tmp_path / "checkouts", Repository(url, "h", "p"), None)
    assert not any(
        path.name.startswith("PWNED") for path in (*tmp_path.rglob("*"), *Path("/").glob("PWNED*"))
    )


def test_no_hook_runs(remote: GitRepo, tmp_path: Path) -> None:
    """Neither a template nor the user's configuration can make a hook run in a checkout."""
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path / 'PWNED'}\n", "utf-8")
        (hooks / name).chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\nhooksPath = {hooks}\n[init]\ntemplateDir = {hooks.parent}\n", "utf-8")
    environ = {**os.environ, "GIT_TEMPLATE_DIR": str(hooks.parent), "GIT_CONFIG_GLOBAL": str(config)}
    bring(Git(environ), remote, tmp_path, "v1")
    assert not (tmp_path / "PWNED").exists()


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../outside", "sub/../../x", ".git/config"])
def test_a_link_that_leaves_the_checkout_is_refused(
    git: Git, remote: GitRepo, tmp_path: Path, target: str
) -> None:
    """A repository with such a link is refused by name, and nothing of it stays."""
    os.symlink(target, remote.work / "link")
    remote.commit_all()
    with pytest.raises(GitError, match="link"):
        bring(git, remote, tmp_path, None)
    assert [] == files_below(tmp_path / "checkouts")


def test_a_link_inside_the_checkout_is_fine(git: Git, remote: GitRepo, tmp_path: Path) -> None:
    """Links within the repository work."""
    os.symlink("../a.txt", remote.work / "sub" / "link")
    remote.commit_all()
    found = bring(git, remote, tmp_path, None)
    assert "two\n" == (found.path / "sub" / "link").read_text("utf-8")


def test_submodules_are_left_out(git: Git, remote: GitRepo, tmp_path: Path) -> None:
    """A repository cannot pull others in."""
    (remote.work / ".gitmodules").write_text(f'[submodule "m"]\npath = m\nurl = {remote.url}\n', "utf-8")
    remote._git("update-index", "--add", "--cacheinfo", f"160000,{remote.head()},m")
    remote.commit_all()
    found = bring(git, remote, tmp_path, None)
    assert [] == files_below(found.path / "m")


def test_an_empty_repository_says_so(git: Git, tmp_path: Path) -> None:
    """A repository without a commit has nothing to install."""
    with pytest.raises(GitError, match="no default branch"):
        bring(git, GitRepo(tmp_path, "empty"), tmp_path, None)


def test_a_repository_that_is_not_there(git: Git, tmp_path: Path) -> None:
    """The address is named with git's own reason, and a later try works."""
    missing = Repository((tmp_path / "later.git").as_uri(), "", "later")
    with pytest.raises(GitError, match=r"later\.git did not answer"):
        git.checkout(tmp_path / "checkouts", missing, None)
    remote = GitRepo(tmp_path, "later")
    remote.commit({"a.txt": "x"})
    assert (git.checkout(tmp_path / "checkouts", missing, None).path / "a.txt").is_file()


def test_a_killed_fetch_stands_in_nobodys_way(git: Git, remote: GitRepo, tmp_path: Path) -> None:
    """What an earlier try left behind is not taken for a checkout."""
    (tmp_path / "checkouts" / ".trash-dead").mkdir(parents=True)
    (tmp_path / "checkouts" / "localhost" / "srv" / "repo").mkdir(parents=True)
    assert (bring(git, remote, tmp_path, "v1").path / "a.txt").is_file()


def test_a_private_repository_fails_at_once(git: Git, tmp_path: Path) -> None:
    """A server that wants a password is an error within seconds: nobody is asked, no password is shown."""

    class Locked(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Locked)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    url = f"http://user:sekret@127.0.0.1:{server.server_address[1]}/o/r"
    started = time.monotonic()
    with pytest.raises(GitError, match="did not answer") as caught:
        git.checkout(tmp_path / "checkouts", Repository(url, "127.0.0.1", "o/r"), None)
    server.shutdown()
    server.server_close()
    assert time.monotonic() - started < 45
    assert "sekret" not in f"{caught.value} {caught.value.detail}"
    assert "credential" in str(caught.value)


def test_without_git_there_is_an_error(remote: GitRepo, tmp_path: Path) -> None:
    """A machine without git says so, and a `git` of the working folder is not taken for it."""
    (tmp_path / "git").touch(0o755)
    with pytest.raises(GitError, match="git is not installed"):
        bring(Git({"PATH": f".{os.pathsep}{tmp_path / 'absent'}"}), remote, tmp_path, None)


@pytest.mark.parametrize("path", ["../x", "a/../../x", "a//b", "a/./b", "a\\b", "c:/x", ".trash-x/y"])
def test_a_path_that_leads_out_is_refused(git: Git, remote: GitRepo, tmp_path: Path, path: str) -> None:
    """A repository's path is a folder below the checkouts, whatever it says."""
    with pytest.raises(GitError, match="unsafe"):
        git.checkout(tmp_path / "checkouts", Repository(remote.url, "h", path), "v1")


def test_a_folder_of_a_repository(git: Git, remote: GitRepo, tmp_path: Path) -> None:
    """A package may be a folder of a repository; it must be one, and inside."""
    found = bring(git, remote, tmp_path, "v1")
    assert (subdirectory_of(found, "sub", "r") / "b.txt").is_file()
    assert found.path == subdirectory_of(found, None, "r")
    for wrong in ("nosuch", "a.txt", "..", "sub/../..", ".git"):
        with pytest.raises(GitError):
            subdirectory_of(found, wrong, "r")


def test_a_folder_that_is_not_there_leaves_nothing(git: Git, remote: GitRepo, tmp_path: Path) -> None:
    """A wrong subdirectory is told before anything is put in place."""
    with pytest.raises(GitError, match="no folder nosuch"):
        git.checkout(tmp_path / "checkouts", at(remote), "v1", "nosuch")
    assert [] == files_below(tmp_path / "checkouts")


def test_the_users_environment_reaches_git_without_its_traps() -> None:
    """Keys and proxies are kept, what would redirect git is dropped, nobody is asked anything."""
    found = git_environ(
        {"SSH_AUTH_SOCK": "s", "GIT_DIR": "x", "GIT_SSH_COMMAND": "ssh -i k", "https_proxy": "p"}
    )
    assert ("s", "p", "ssh -i k -oBatchMode=yes", "0") == (
        found["SSH_AUTH_SOCK"], found["https_proxy"], found["GIT_SSH_COMMAND"], found["GIT_TERMINAL_PROMPT"],
    )  # fmt: skip
    assert "GIT_DIR" not in found


def files_below(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*") if not path.is_dir())
