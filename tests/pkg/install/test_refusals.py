"""What cannot be installed is refused in one clear sentence, and the scope stays as it was."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pi_pkg.errors import InstallError
from pi_pkg.install.backends.choose import choose_backend
from pi_pkg.install.errors import HostConflict, IndexConfigError, IndexUnreachable, TreeError, Unresolvable
from tests.pkg.install.conftest import Scope, local, pypi, write_tree
from tests.support.index import SimpleIndex
from tests.support.wheels import build_sdist, build_wheel


@contextmanager
def refused(scope: Scope, kind: type[InstallError], *words: str) -> Iterator[None]:
    """The body raises `kind`, its sentence holds the words, and the scope is as it was before.

    What was there before came with uv, the faster one: the backend of the scope is the one that refuses.
    """
    scope.index.wheel("before")
    backend, scope.backend = scope.backend, choose_backend("uv", scope.environ)
    scope.install(pypi("before"))
    scope.backend = backend
    state = scope.state()
    with pytest.raises(kind) as caught:
        yield
    sentence = caught.value.message
    assert [] == [word for word in words if word not in sentence], sentence
    assert state == scope.state()


def test_a_root_that_the_host_has_otherwise(uv_scope: Scope) -> None:
    """Another version of a host library is refused without a program, both sides named."""
    with refused(uv_scope, HostConflict, "pypi:pluggy<1", "pluggy<1", "pluggy 1.7.0"):
        uv_scope.runs.clear()
        uv_scope.install(pypi("pluggy<1"))
    assert [] == uv_scope.runs


def test_a_conflict_names_the_place_to_change(uv_scope: Scope) -> None:
    """The user learns which environment holds the other version."""
    with pytest.raises(HostConflict, match=re.escape(uv_scope.host.paths[0])):
        uv_scope.install(pypi("pluggy<1"))


def test_a_dependency_that_the_host_has_otherwise(scope: Scope) -> None:
    """A package that needs an older host library is refused, naming the package and the host's version."""
    scope.index.wheel("old", requires=["pluggy<1"])
    scope.index.wheel("pluggy", "0.13.1")
    with refused(scope, HostConflict, "old", "pluggy<1", "pluggy 1.7.0"):
        scope.install(pypi("before"), pypi("old"))


def test_a_trees_dependency_that_the_host_has_otherwise(uv_scope: Scope, tmp_path: Path) -> None:
    """A tree's declared dependency is held against the host before any program starts."""
    tree = write_tree(tmp_path / "t", '[project]\nname = "t"\nversion = "1"\ndependencies = ["hostlib>=3"]\n')
    with refused(uv_scope, HostConflict, "./t", "hostlib>=3", "hostlib 2.0"):
        uv_scope.install(local(tree))


def test_two_roots_that_exclude_each_other(scope: Scope) -> None:
    """Roots are resolved together, so two that need different versions are refused, both named."""
    scope.index.wheel("b", requires=["shared>=2"])
    scope.index.wheel("c", requires=["shared<2"])
    scope.index.wheel("shared", "1.9")
    scope.index.wheel("shared", "2.0")
    with refused(scope, Unresolvable, "b", "shared>=2", "c", "shared<2"):
        scope.install(pypi("b"), pypi("c"))


def test_a_second_root_that_excludes_the_first(scope: Scope) -> None:
    """It makes no difference that one of them is installed already."""
    scope.index.wheel("b", requires=["shared>=2"])
    scope.index.wheel("c", requires=["shared<2"])
    scope.index.wheel("shared", "1.9")
    scope.index.wheel("shared", "2.0")
    scope.install(pypi("b"))
    state = scope.state()
    with pytest.raises(Unresolvable):
        scope.install(pypi("b"), pypi("c"))
    assert state == scope.state()


def test_a_name_that_no_index_has(scope: Scope) -> None:
    """A missing project is named together with the index that was asked."""
    with refused(scope, Unresolvable, "nosuch", scope.index.url):
        scope.install(pypi("nosuch"))


def test_a_dependency_that_no_index_has(scope: Scope) -> None:
    """A missing dependency is named together with who needs it."""
    scope.index.wheel("needy", requires=["nosuch>=1"])
    with refused(scope, Unresolvable, "nosuch", "needy"):
        scope.install(pypi("needy"))


def test_a_version_that_no_index_has(scope: Scope) -> None:
    """A missing version is named."""
    scope.index.wheel("a", "1.0")
    with refused(scope, Unresolvable, "a==9"):
        scope.install(pypi("a==9"))


def test_a_wheel_for_another_platform(scope: Scope) -> None:
    """A project without a wheel for this machine says so."""
    scope.index.wheel("winonly", tag="cp311-cp311-win_amd64")
    with refused(scope, Unresolvable, "winonly", "platform"):
        scope.install(pypi("winonly"))


def test_a_wheel_for_a_later_python(scope: Scope) -> None:
    """A project that needs another Python says which."""
    scope.index.wheel("newpy", requires_python=">=3.99")
    with refused(scope, Unresolvable, "newpy", ">=3.99"):
        scope.install(pypi("newpy"))


def test_source_only_is_refused(scope: Scope, tmp_path: Path) -> None:
    """Nothing is built unless the user named it: building runs the package's code."""
    build_sdist(scope.index.folder, "srconly", marker=tmp_path / "ran")
    with refused(scope, Unresolvable, "srconly", "source"):
        scope.install(pypi("srconly"))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_a_wheel_that_names_another_by_address(scope: Scope, tmp_path: Path, kind: str) -> None:
    """A dependency from an address comes from no index of ours: neither built nor kept."""
    folder, ran = tmp_path / "elsewhere", tmp_path / "ran"
    evil = build_wheel(folder, "evil") if kind == "wheel" else build_sdist(folder, "evil", marker=ran)
    scope.index.wheel("cunning", requires=[f"evil @ {evil.as_uri()}"])
    with refused(scope, InstallError, "address"):
        scope.install(pypi("cunning"))
    assert not ran.exists()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_an_index_that_does_not_answer(scope: Scope) -> None:
    """An unreachable index is named, not the package."""
    url = f"http://127.0.0.1:{free_port()}/simple"
    with refused(scope, IndexUnreachable, url):
        scope.install(pypi("a"), settings={"index-url": url})


def test_an_index_that_fails(scope: Scope, tmp_path: Path) -> None:
    """A server error is told as such, and not as a missing project."""
    with SimpleIndex(tmp_path / "failing") as failing:
        failing.broken = True
        with refused(scope, IndexUnreachable, failing.url, "503"):
            scope.install(pypi("a"), settings={"index-url": failing.url})


def test_an_index_that_wants_another_password(scope: Scope, tmp_path: Path) -> None:
    """A refused password is told, and stands in no message, no output and no command line."""
    with SimpleIndex(tmp_path / "private", password="right") as private:
        url = private.url.replace("right", "sekret")
        with refused(scope, IndexUnreachable, "127.0.0.1", "401") as _:
            try:
                scope.install(pypi("a"), settings={"index-url": url})
            except InstallError as error:
                told = f"{error} {error.detail} {scope.steps} {scope.runs}"
                assert "sekret" not in told
                raise


def test_a_private_index_is_used(scope: Scope, tmp_path: Path) -> None:
    """With the right password the index serves, and the password is on no command line."""
    with SimpleIndex(tmp_path / "private", password="sekret") as private:
        private.wheel("a")
        found = scope.install(pypi("a"), settings={"index-url": private.url})
    assert (("a", "1.0"),) == found.distributions
    assert "sekret" not in str(scope.runs)


def test_several_indexes_need_a_backend_that_ranks_them(scope: Scope, tmp_path: Path) -> None:
    """uv asks the first index that knows a name; pip, which would mix them, is refused."""
    scope.index.wheel("a", "1.0")
    with SimpleIndex(tmp_path / "second") as second:
        second.wheel("a", "2.0")
        settings = {"index-url": scope.index.url, "extra-index-urls": [second.url]}
        if scope.backend.name == "uv":
            assert (("a", "1.0"),) == scope.install(pypi("a"), settings=settings).distributions
        else:
            with refused(scope, IndexConfigError, "pip"):
                scope.install(pypi("a"), settings=settings)


def test_folders_of_wheels_need_no_index(scope: Scope, tmp_path: Path) -> None:
    """With folders alone nothing is asked for over the network."""
    build_wheel(tmp_path / "wheels", "a")
    environ = {**scope.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    scope.environ = environ
    found = scope.install(pypi("a"), settings={})
    assert (("a", "1.0"),) == found.distributions


PROJECT = '[project]\nname = "x"\n'


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: folder / "absent", ["does not exist"]),
        (lambda folder: folder.joinpath("odd.whl"), ["odd.whl", "no name of a wheel"]),
        (lambda folder: write_tree(folder, PROJECT + 'dependencies = ["???"]\n'), ["'???'"]),
        (lambda folder: write_tree(folder, PROJECT + 'dependencies = ["a @ file:///a"]\n'), ["address"]),
        (lambda folder: write_tree(folder, PROJECT + 'requires-python = ">=3.99"\n'), [">=3.99"]),
    ],
)
def test_a_tree_that_cannot_be_used(
    uv_scope: Scope, tmp_path: Path, make: Callable[[Path], Path], words: list[str]
) -> None:
    """A missing path, an odd wheel and impossible dependencies are refused by name."""
    folder = tmp_path / "tree"
    folder.mkdir()
    path = make(folder)
    if path.suffix == ".whl":
        path.touch()
    with refused(uv_scope, TreeError, *words):
        uv_scope.install(local(path))


def test_two_sources_of_one_distribution(uv_scope: Scope, tmp_path: Path) -> None:
    """A name can have one owner in a scope: both sources are named."""
    tree = write_tree(tmp_path / "t", '[project]\nname = "Todo"\nversion = "1"\n')
    with refused(uv_scope, Unresolvable, "pypi:todo", "./t", "todo"):
        uv_scope.install(pypi("todo"), local(tree))


def test_an_interrupt_is_raised_again_and_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C while a backend works ends it, cleans up, and ends the program as an interrupt."""
    script = Path(__file__).with_name("interrupted.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    told = json.loads(done.stdout)
    assert {"raised": "KeyboardInterrupt", "left": [], "alive": False} == told, done.stderr
