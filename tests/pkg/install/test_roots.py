"""Parsed sources become roots, and what is recorded is not fetched again."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pi_pkg.install.git import Git
from pi_pkg.install.index import GenerationIndex
from pi_pkg.install.plan import EVERYTHING, PypiRoot, Root, TreeRoot
from pi_pkg.install.process import Finished, run_process
from pi_pkg.install.roots import collect_checkouts, prepare_roots
from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source
from tests.pkg.install.conftest import Scope
from tests.support.githttp import GitServer
from tests.support.gitrepos import GitRepo


@dataclass
class Fetching:
    """A remote, the checkouts folder, and the count of programs started."""

    remote: GitRepo
    checkouts: Path
    started: list[str] = field(default_factory=list)

    def source(self, ref: str | None = None, subdirectory: str | None = None) -> GitSource:
        return GitSource(self.remote.url, "", "srv/repo", ref, subdirectory, "git:the-repo")

    def prepare(
        self, *sources: Source, current: GenerationIndex | None = None, renew: Sequence[str] = ()
    ) -> tuple[Root, ...]:
        git = Git(dict(os.environ), run=self.run)
        return prepare_roots(sources, checkouts=self.checkouts, git=git, current=current, renew=renew)

    def tree(self, source: GitSource, current: GenerationIndex | None = None) -> TreeRoot:
        (root,) = self.prepare(source, current=current)
        assert isinstance(root, TreeRoot)
        return root

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, timeout_s: float, **_: object
    ) -> Finished:
        self.started.append(argv[0])
        return run_process(argv, env=env, cwd=cwd, timeout_s=timeout_s)


@pytest.fixture
def fetching(tmp_path: Path) -> Fetching:
    remote = GitRepo(tmp_path)
    remote.commit({"pyproject.toml": '[project]\nname = "gated"\nversion = "1"\n', "sub/x.py": ""})
    remote.tag("v1")
    return Fetching(remote, tmp_path / "checkouts")


def test_each_kind_of_source_is_a_root(fetching: Fetching, tmp_path: Path) -> None:
    """An index source keeps its requirement, a path is used in place, a repository becomes its checkout."""
    pypi = PypiSource("To.Do", ("x",), ">=1", "pypi:To.Do[x]>=1")
    local = LocalSource(str(tmp_path), str(tmp_path), "./here")
    one, two, three = fetching.prepare(pypi, local, fetching.source("v1"))
    assert PypiRoot("pypi:to-do", "pypi:To.Do[x]>=1", "To.Do[x]>=1") == one
    assert TreeRoot(f"local:{tmp_path}", "./here", tmp_path, "local") == two
    assert isinstance(three, TreeRoot)
    head = fetching.remote.head()
    assert ("git", head, "tag", "v1", head) == (
        three.kind,
        three.commit,
        three.ref_kind,
        three.ref,
        three.path.name,
    )


def test_a_folder_of_a_repository_is_the_root(fetching: Fetching) -> None:
    """With a subdirectory the tree is that folder of the checkout."""
    assert "sub" == fetching.tree(fetching.source("v1", "sub")).path.name


def test_the_origin_holds_no_credentials(fetching: Fetching) -> None:
    """What is recorded of the address is without user and password."""
    with GitServer(fetching.remote.bare.parent, password="sekret") as server:
        url = server.url("repo.git", "user:sekret")
        root = fetching.tree(GitSource(url, "127.0.0.1", "repo", None, None, f"git:{url}"))
        assert (server.url("repo.git"), f"git:{server.url('repo.git')}") == (root.url, root.source)


def test_what_is_installed_does_not_move_by_itself(fetching: Fetching, uv_scope: Scope) -> None:
    """A branch stays at the recorded commit, without a look at the network, until it is renewed."""
    source = fetching.source("main")
    root = fetching.tree(source)
    index = uv_scope.install(root)
    fetching.remote.commit({"new.txt": "x"})
    fetching.started.clear()
    assert (root,) == fetching.prepare(source, current=index)
    assert [] == fetching.started
    for renew in ([source.identity], [EVERYTHING]):
        (moved,) = fetching.prepare(source, current=index, renew=renew)
        assert isinstance(moved, TreeRoot)
        assert fetching.remote.head() == moved.commit


def test_another_ref_is_looked_up(fetching: Fetching, uv_scope: Scope) -> None:
    """Asking for another ref of an installed repository goes there."""
    index = uv_scope.install(fetching.tree(fetching.source("v1")))
    commit = fetching.remote.commit({"new.txt": "x"})
    (moved,) = fetching.prepare(fetching.source("main"), current=index)
    assert isinstance(moved, TreeRoot)
    assert commit == moved.commit


def test_a_lost_checkout_is_fetched_again(fetching: Fetching, uv_scope: Scope) -> None:
    """A record whose checkout is gone does not count."""
    root = fetching.tree(fetching.source("v1"))
    index = uv_scope.install(root)
    root.path.rename(root.path.with_name("moved"))
    assert fetching.tree(fetching.source("v1"), current=index).path.is_dir()


def test_checkouts_that_no_generation_uses_go(fetching: Fetching, uv_scope: Scope) -> None:
    """A checkout stays while any generation, old or new, uses it; then it goes with its empty folders."""
    first = fetching.tree(fetching.source("v1"))
    uv_scope.install(first)
    fetching.remote.commit({"new.txt": "x"})
    unused = fetching.tree(fetching.source("main"))
    assert () == collect_checkouts(fetching.checkouts, [uv_scope.folder])
    assert (str(unused.path),) == collect_checkouts(fetching.checkouts, [uv_scope.folder], grace_s=0)
    assert (str(first.path),) == collect_checkouts(fetching.checkouts, [], grace_s=0)
    assert [] == list(fetching.checkouts.iterdir())
