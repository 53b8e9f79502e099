"""`pi install git:…` against a server that speaks smart http, and against repositories that mean harm.

Field reports NET 32, SRC 25, 26, SEC: nothing is asked, nothing of a repository runs, no part of a source is
taken for an option.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pkg.stress.stage import EXTENSION
from tests.support.agent_cli import COMMAND, AgentCli, agent_cli
from tests.support.githttp import GitServer
from tests.support.gitrepos import GitRepo

PTY = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    return agent_cli(tmp_path)


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """`main` is ahead of the annotated tag `v1`; two folders are packages of their own."""
    made = GitRepo(tmp_path / "srv" / "o", "r")
    made.commit({f"{name}extensions/e.py": f"{EXTENSION}# one\n" for name in ("", "a/", "b/")})
    made.tag("v1", annotated=True)
    made.commit({"extensions/e.py": f"{EXTENSION}# two\n"})
    return made


@pytest.fixture
def server(tmp_path: Path, repo: GitRepo) -> Iterator[GitServer]:
    with GitServer(tmp_path / "srv") as served:
        yield served


def installed(pi: AgentCli) -> dict[str, str]:
    """Commits in force, by source."""
    found = json.loads(pi.run("list", "--json").out)["observed"]
    assert {"ok"} >= {item["state"] for item in found}
    return {item["source"]: item["commit"] for item in found}


def fetches(server: GitServer) -> int:
    """How often packs were sent, listings of refs aside."""
    return sum(path.endswith("/git-upload-pack") for path in server.requests)


@pytest.mark.parametrize(
    ("ref", "text"), [("", "two"), ("@main", "two"), ("@v1", "one"), ("@FULL", "one"), ("@SHORT", "one")]
)
def test_every_kind_of_ref(pi: AgentCli, repo: GitRepo, server: GitServer, ref: str, text: str) -> None:
    """The default branch, a branch, an annotated tag, a whole commit and its first digits."""
    old = repo._git("rev-parse", "v1^{commit}")
    source = f"git:{server.url('o/r.git')}{ref.replace('FULL', old).replace('SHORT', old[:8])}"
    assert 0 == pi.run("install", source).code
    expected = old if text == "one" else repo.head()
    assert {source: expected} == installed(pi)
    (file,) = pi.agent_dir.glob(f"checkouts/127.0.0.1/o/r/{expected}/extensions/e.py")
    assert text in file.read_text("utf-8")


def test_several_packages_of_one_clone(pi: AgentCli, server: GitServer) -> None:
    """SRC 25: folders of one commit are fetched once, and go one by one."""
    sources = [f"git:{server.url('o/r.git')}@v1#subdirectory={name}" for name in "ab"]
    assert 0 == pi.run("install", sources[0]).code
    packs = fetches(server)
    assert 0 == pi.run("install", sources[1]).code
    assert (sources, packs + 1) == (list(installed(pi)), fetches(server))  # the refs, no second pack
    assert 1 == len(list(pi.agent_dir.glob("checkouts/127.0.0.1/o/r/*")))
    assert 0 == pi.run("remove", sources[0]).code
    assert [sources[1]] == list(installed(pi))


def test_a_branch_is_followed_wherever_it_goes(pi: AgentCli, repo: GitRepo, server: GitServer) -> None:
    """NOOP 4: forwards, and back over a history that was rewritten."""
    source = f"git:{server.url('o/r.git')}"
    pi.run("install", source)
    repo.rewind("v1")
    repo.commit({"extensions/e.py": f"{EXTENSION}# rewritten\n"})
    assert 0 == pi.run("update").code
    assert {source: repo.head()} == installed(pi)


def test_what_a_user_rewrites_is_rewritten(
    pi: AgentCli, repo: GitRepo, server: GitServer, tmp_path: Path
) -> None:
    """SRC 26: `insteadOf` moves the transport and not the identity; ssh and https forms are one package."""
    config = tmp_path / "gitconfig"
    rules = ("https://code.example.test/", "ssh://git@code.example.test/", "git@code.example.test:")
    lines = "".join(f"insteadOf = {rule}\n" for rule in rules)
    config.write_text(f'[url "{server.url("")}"]\n{lines}', "utf-8")
    env = {"GIT_CONFIG_GLOBAL": str(config)}
    for form in ("code.example.test/o/r", "ssh://git@code.example.test/o/r", "git@code.example.test:o/r"):
        assert 0 == pi.run("install", f"git:{form}", env=env).code
        assert {f"git:{form}": repo.head()} == installed(pi)
    assert 1 == len(list(pi.agent_dir.glob("checkouts/code.example.test/o/r/*")))


def test_a_repository_that_moved_is_found(
    pi: AgentCli, repo: GitRepo, server: GitServer, tmp_path: Path
) -> None:
    """A server may send git on to another place."""
    with GitServer(tmp_path / "nothing", moved=server.url("").rstrip("/")) as old:
        source = f"git:{old.url('o/r.git')}"
        assert 0 == pi.run("install", source).code
        assert {source: repo.head()} == installed(pi)


@pytest.mark.parametrize("user", ["", "user:wrong", "token"])
@pytest.mark.parametrize("terminal", [False, True], ids=["no-terminal", "terminal"])
def test_a_private_repository_fails_at_once(
    pi: AgentCli, repo: GitRepo, tmp_path: Path, user: str, terminal: bool
) -> None:
    """NET 32: exit 1 within seconds and no prompt, not even where somebody sits; no password is shown."""
    with GitServer(tmp_path / "srv", password="right") as server:
        words = ["install", f"git:{server.url('o/r.git', user)}"]
        command = [sys.executable, "-c", PTY, *COMMAND, *words] if terminal else [*COMMAND, *words]
        started = time.monotonic()
        done = subprocess.run(
            command, cwd=pi.project, env=pi.environ(), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60, check=False,
        )  # fmt: skip
    said = done.stdout + done.stderr
    assert (1, True) == (done.returncode, time.monotonic() - started < 45)
    assert "It needs credentials" in said
    assert not user or user.rpartition(":")[2] not in said
    assert not (pi.agent_dir / "settings.toml").exists()


def test_a_private_repository_is_installed(pi: AgentCli, repo: GitRepo, tmp_path: Path) -> None:
    """With the right password; with a credential helper of the user's the source needs none."""
    with GitServer(tmp_path / "srv", password="right") as server:
        assert 0 == pi.run("install", f"git:{server.url('o/r.git', 'user:right')}").code
        config = tmp_path / "gitconfig"
        config.write_text(
            '[credential]\nhelper = "!f() { echo username=user; echo password=right; }; f"\n', "utf-8"
        )
        env = {"GIT_CONFIG_GLOBAL": str(config)}
        assert 0 == pi.run("install", f"git:{server.url('o/r.git')}", env=env).code
        assert {f"git:{server.url('o/r.git')}": repo.head()} == installed(pi)


def damage_file(folder: Path) -> None:
    (folder / "extensions" / "e.py").write_text("raise SystemExit\n", "utf-8")


def damage_tree(folder: Path) -> None:
    shutil.rmtree(folder / "extensions")


def damage_git(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    (folder / "extensions" / "e.py").unlink()


@pytest.mark.parametrize("damage", [damage_file, damage_tree, damage_git])
def test_a_dirty_checkout_is_clean_after_an_installation(
    pi: AgentCli, server: GitServer, damage: object
) -> None:
    """Whoever installs a package again gets the code of its commit, whatever somebody did to the files."""
    source = f"git:{server.url('o/r.git')}"
    pi.run("install", source)
    (folder,) = pi.agent_dir.glob("checkouts/127.0.0.1/o/r/*")
    text = (folder / "extensions" / "e.py").read_text("utf-8")
    damage(folder)  # type: ignore[operator]  # one of the three functions
    assert 0 == pi.run("install", source).code
    assert text == (folder / "extensions" / "e.py").read_text("utf-8")


def test_a_deleted_checkout_comes_back_as_it_was(pi: AgentCli, repo: GitRepo, server: GitServer) -> None:
    """A repair moves nothing: the recorded commit is brought, not what its branch has become."""
    source = f"git:{server.url('o/r.git')}"
    pi.run("install", source)
    before = repo.head()
    repo.commit({"extensions/e.py": f"{EXTENSION}# three\n"})
    shutil.rmtree(pi.agent_dir / "checkouts")
    assert "cannot be read" in pi.run("list").out
    assert 0 == pi.run("sync").code
    assert {source: before} == installed(pi)


BAD = (
    "git:URL@--upload-pack=touch${IFS}PWNED", "git:URL@-x", "git:URL@v1..v2", "git:URL@v1~1", "git:URL@a b",
    "git:URL#subdirectory=--help", "git:URL#subdirectory=../..", "git:URL#subdirectory=/etc",
    "git:URL#subdirectory=.git", "git:--upload-pack=touch PWNED", "git:-oProxyCommand=touch PWNED",
    "git:ext::sh -c touch% PWNED", "ext::sh -c touch% PWNED", "git:ssh://-oProxyCommand=touch PWNED/o/r",
    "git:fd::17/o/r", "git:https://h.example/../../x", "git:https://h.example/o/%2e%2e/r",
    "git:h.example/o\\r",
    "git:URL\n[x]", "git:URL\0", "git:URL@\x1b[2J", "https://h.example/o/r?x=1@--y",
)  # fmt: skip


@pytest.mark.parametrize("source", BAD)
def test_a_source_that_could_be_something_else(
    pi: AgentCli, server: GitServer, tmp_path: Path, source: str
) -> None:
    """SEC: refused in one sentence; no option, no other program, no path out of its place, no file left."""
    source = source.replace("URL", server.url("o/r.git"))
    if "\0" in source:
        pi.write(
            str(pi.agent_dir / "settings.toml"), 'packages = ["' + source.replace("\0", "\\u0000") + '"]\n'
        )
        done = pi.run("sync")
        assert done.code in {0, 1}
    else:
        done = pi.run("install", source, env={"GIT_ALLOW_PROTOCOL": "ext:fd:file:http:https:ssh"})
        assert 1 == done.code
        assert not (pi.agent_dir / "settings.toml").exists()
    assert ("Traceback" in done.err, "\x1b" in done.err) == (False, False)
    assert [] == [*tmp_path.rglob("PWNED*"), *Path("/").glob("PWNED*")]
    assert [] == [path for path in pi.agent_dir.glob("checkouts/*") if not path.name.startswith(".trash")]


def test_no_hook_and_no_filter_of_a_repository_runs(
    pi: AgentCli, repo: GitRepo, server: GitServer, tmp_path: Path
) -> None:
    """SEC: what it carries, what the user's templates and hook folders say: nothing of it is executed."""
    marker = tmp_path / "ran"
    script = f"#!/bin/sh\necho $0 >> {marker}\n"
    names = (
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "post-merge",
        "fsmonitor-watchman",
    )
    folders = [tmp_path / "template" / "hooks", repo.work / "hooks", repo.work / ".githooks"]
    for folder in folders:
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text(script, "utf-8")
            (folder / name).chmod(0o755)
    attributes = "* filter=evil diff=evil merge=evil\n"
    (repo.work / ".gitattributes").write_text(attributes, "utf-8")
    (repo.work / ".gitconfig").write_text(f'[filter "evil"]\nsmudge = {marker}\n', "utf-8")
    (repo.work / ".gitmodules").write_text(
        f'[submodule "m"]\npath = m\nurl = {repo.url}\nupdate = !touch x\n', "utf-8"
    )
    repo.commit_all()
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[core]\nhooksPath = {folders[0]}\nfsmonitor = {folders[0] / names[-1]}\n"
        f"[init]\ntemplateDir = {folders[0].parent}\n[submodule]\nrecurse = true\n", "utf-8",
    )  # fmt: skip
    env = {"GIT_CONFIG_GLOBAL": str(config), "GIT_TEMPLATE_DIR": str(folders[0].parent)}
    for words in (["install", f"git:{server.url('o/r.git')}"],) * 2 + (["update"],):
        assert 0 == pi.run(*words, env=env).code
    assert not marker.exists()


@pytest.mark.parametrize(
    ("links", "named"),
    [
        ({"x": "/etc/passwd"}, "x -> /etc/passwd"),
        ({"x": "y", "y": "../../../../../.."}, "leads out of the checkout"),
        ({"deep/er/x": "../../.."}, "leads out of the checkout"),
        ({"x": ".git/config"}, "into git's own folder"),
        ({"x": "/proc/self/environ"}, "x -> /proc/self/environ"),
    ],
    ids=["absolute", "chain", "deep", "git", "proc"],
)
def test_links_that_leave_the_tree(
    pi: AgentCli, repo: GitRepo, server: GitServer, links: dict[str, str], named: str
) -> None:
    """SEC: a repository with one is refused by its name; nothing of it stays, and what was there stays."""
    pi.run("install", f"git:{server.url('o/r.git')}")
    before = installed(pi)
    for name, target in links.items():
        (repo.work / name).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, repo.work / name)
    repo.commit_all()
    done = pi.run("update")
    assert (1, True) == (done.code, named in done.err)
    assert before == installed(pi)
    assert 1 == len(list(pi.agent_dir.glob("checkouts/127.0.0.1/o/r/*")))


@pytest.mark.parametrize("name", [".git", "..", ".GIT", "git~1"])
def test_a_tree_with_names_that_git_keeps_for_itself(
    pi: AgentCli, repo: GitRepo, server: GitServer, tmp_path: Path, name: str
) -> None:
    """SEC: a commit made by hand that would write into git's folder, or above it, is not checked out."""
    blob = repo._git("hash-object", "-w", str(repo.work / "extensions" / "e.py"))
    inner = pipe(repo, f"100755 blob {blob}\tpost-checkout\n", "mktree")
    tree = pipe(repo, f"040000 tree {inner}\t{name}\n", "mktree")
    commit = repo._git("commit-tree", "-m", "evil", tree)
    repo._git("push", "-q", "--force", "origin", f"{commit}:refs/heads/evil")
    done = pi.run("install", f"git:{server.url('o/r.git')}@evil")
    assert "Traceback" not in done.err
    assert [] == list(tmp_path.rglob(".git/post-checkout"))
    assert not (pi.agent_dir / "checkouts" / "127.0.0.1" / "o" / "post-checkout").exists()
    assert (1, False) == (done.code, (pi.agent_dir / "settings.toml").exists())


def pipe(repo: GitRepo, text: str, *words: str) -> str:
    """What git prints for a text on its standard input."""
    done = subprocess.run(
        ["git", "-C", str(repo.work), *words], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
