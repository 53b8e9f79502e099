"""Packages beside the environment that pi runs in, and beside each other; field reports ENV, PLAT, SEC.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_pkg.install.index import read_index
from pi_pkg.inventory import Wanted, resolved
from pi_pkg.resources.model import ResolvedResources
from tests.support.index import SimpleIndex
from tests.support.package_cli import PackageCli
from tests.support.wheels import build_sdist, install_into


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SimpleIndex]:
    with SimpleIndex(tmp_path / "index") as index:
        yield index


@pytest.fixture
def pi(pi: PackageCli, index: SimpleIndex) -> PackageCli:
    pi.environ["PIP_INDEX_URL"] = index.url
    return pi


def offer(index: SimpleIndex, name: str, version: str = "1.0", *requires: str) -> None:
    """A distribution that is an extension."""
    point = f"{name.replace('-', '_')}:extension"
    index.wheel(name, version, requires=requires, entry_points={"pi.extensions": {name: point}})


def start(pi: PackageCli) -> ResolvedResources:
    """What a session would load now."""
    settings = pi.manager(approve=True).settings(trusted=True)
    return resolved(pi.locations, settings, Wanted(to_import=True))


def loadable(found: ResolvedResources) -> dict[str, bool]:
    return {Path(item.path).stem: item.enabled for item in found.extensions}


def imported(found: ResolvedResources, statement: str) -> str:
    """What a statement prints with the folders of a start at the end of the import path."""
    script = f"import sys; sys.path.extend({list(found.import_roots)!r}); {statement}"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_project_adds_to_the_users_packages(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 159: both load in the project, each from where it was installed."""
    offer(index, "of-user")
    offer(index, "of-project")
    pi.run("install", "pypi:of-user")
    pi.run("install", "-l", "pypi:of-project")
    found = start(pi)
    assert {"of_user": True, "of_project": True} == loadable(found)
    assert "1.0 1.0" == imported(
        found, "import of_user, of_project; print(of_user.VERSION, of_project.VERSION)"
    )


def test_installing_adds_and_never_replaces(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 163, 164: every explicit installation is kept until it is taken out."""
    for name in ("one", "two", "three"):
        offer(index, name)
        pi.run("install", f"pypi:{name}")
    assert ["one", "two", "three"] == list(loadable(start(pi)))


def test_a_tree_finds_what_it_depends_on(pi: PackageCli, index: SimpleIndex) -> None:
    """The generation is on the import path also where only trees are declared."""
    index.wheel("a-library", "3.0")
    pi.package("proj/tree")
    project = '[project]\nname = "tree"\nversion = "1"\ndependencies = ["a-library"]\n'
    pi.write({"proj/tree/pyproject.toml": project})
    pi.run("install", "./tree")
    assert "3.0" == imported(start(pi), "import a_library; print(a_library.VERSION)")


def test_an_extension_folder_joins_at_a_repair(pi: PackageCli, index: SimpleIndex) -> None:
    """It waits for its dependencies, and says for what; once they are there it loads, and they stay."""
    index.wheel("a-library", "3.0")
    offer(index, "one")
    offer(index, "two")
    pi.run("install", "pypi:one")
    project = '[project]\nname = "loose"\nversion = "1"\ndependencies = ["a-library"]\n'
    pi.write({"agent/extensions/loose/__init__.py": "", "agent/extensions/loose/pyproject.toml": project})
    assert not loadable(start(pi))["__init__"]
    assert f"installed {pi.folder}/agent/extensions/loose 1" in pi.run("sync").out
    for words in (["sync"], ["install", "pypi:two"], ["update"], ["remove", "pypi:one"], ["rollback"]):
        assert 0 == pi.run(*words).code
        found = start(pi)
        assert loadable(found)["__init__"]
        assert "3.0" == imported(found, "import a_library; print(a_library.VERSION)")
    assert ["pypi:one", "pypi:two"] == sorted(pi.declared())


def test_two_parts_of_a_namespace_come_from_two_distributions(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 171: both are importable, in one scope and in two."""
    for part in "ab":
        files = {f"ns/{part}.py": f"NAME = {part!r}\n"}
        index.wheel(f"ns-{part}", files=files, entry_points={"pi.extensions": {part: f"ns.{part}:extension"}})
    pi.run("install", "pypi:ns-a", "pypi:ns-b")
    assert "a b" == imported(start(pi), "import ns.a, ns.b; print(ns.a.NAME, ns.b.NAME)")


def test_a_package_never_changes_the_host(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 172, 173, 176: another version of a host library, or a copy of a module of pi, is refused."""
    offer(index, "wants-old", "1.0", "pluggy<0.1")
    index.wheel("brings-pi", files={"pi_core/__init__.py": ""}, entry_points={"pi": {"x": "pi_core"}})
    pi.run("install", "pypi:pluggy")
    before = pi.user_settings.read_bytes(), read_index(pi.locations.user_envs)
    for name, both in (
        ("wants-old", ["needs pluggy<0.1", "has pluggy "]),
        ("brings-pi", ["pi_core", "pi"]),
    ):
        done = pi.run("install", f"pypi:{name}")
        assert (1, True) == (done.code, all(side in done.err for side in both))
    assert before == (pi.user_settings.read_bytes(), read_index(pi.locations.user_envs))


def test_two_that_need_different_versions(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 174: the second is refused, both sides named; the first works and a third can be updated."""
    index.wheel("a-lib", "1.0")
    index.wheel("a-lib", "2.0")
    offer(index, "needs-one", "1.0", "a-lib==1.0")
    offer(index, "needs-two", "1.0", "a-lib==2.0")
    offer(index, "third")
    pi.run("install", "pypi:needs-one", "pypi:third")
    done = pi.run("install", "pypi:needs-two")
    assert (1, True, True) == (done.code, "needs-one" in done.err, "needs-two" in done.err)
    offer(index, "third", "1.1")
    assert "pypi:third 1.0 → 1.1" in pi.run("update").out


def test_removing_needs_no_index(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 175: any one of several goes while nothing answers, and the rest stays as it is."""
    for name in ("one", "two"):
        offer(index, name)
    pi.run("install", "pypi:one", "pypi:two")
    index.close()
    assert 0 == pi.run("remove", "pypi:one").code
    assert {"two": True} == loadable(start(pi))


def test_a_host_upgrade_switches_off_what_no_longer_fits(
    pi: PackageCli, index: SimpleIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENV 161, 165: packages survive it; the one that cannot live with the new host is off and named."""
    offer(index, "careful", "1.0", "host-lib<2")
    offer(index, "easy")
    old, new = tmp_path / "old" / "site-packages", tmp_path / "new" / "site-packages"
    install_into(old, "host-lib", "1.0")
    install_into(new, "host-lib", "2.0")
    monkeypatch.setattr(sys, "path", [*sys.path, str(old)])
    pi.run("install", "pypi:careful", "pypi:easy")
    assert {"careful": True, "easy": True} == loadable(start(pi))
    monkeypatch.setattr(sys, "path", [*sys.path[:-1], str(new)])
    found = start(pi)
    assert {"careful": False, "easy": True} == loadable(found)
    reason = "careful 1.0 needs host-lib<2, but the environment that pi runs in provides host-lib 2.0"
    assert reason in " ".join(finding.message for finding in found.diagnostics)
    done = pi.run("sync")
    assert (1, True) == (done.code, "pypi:careful" in done.err)
    assert "pypi:easy" == pi.run("list", "easy", "--json").document["observed"][0]["source"]


def test_a_host_that_changed_without_harm_is_told_once(
    pi: PackageCli, index: SimpleIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repair builds for the new host what still fits, says so, and has nothing to do the next time."""
    offer(index, "easy")
    pi.run("install", "pypi:easy")
    install_into(tmp_path / "site-packages", "host-lib", "2.0")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site-packages")])
    done = pi.run("sync")
    assert ("", "info: what is installed was built again for this environment, as it was.\n") == (
        done.out,
        done.err,
    )
    assert pi.run("sync").out.startswith("nothing to do")


def test_another_python_builds_its_own(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 161, 162: what the old one built is told apart; a repair builds it for this one."""
    offer(index, "one")
    pi.run("install", "pypi:one")
    (record,) = pi.locations.user_envs.glob("*/pi-index.json")
    other = {"python-tag": "cpython-39", "digest": "of the other"}
    record.write_text(json.dumps({**json.loads(record.read_text()), **other}))
    assert {} == loadable(start(pi))
    assert "installed pypi:one 1.0" in pi.run("sync").out
    assert {"one": True} == loadable(start(pi))


def test_what_the_shell_has_active_plays_no_part(pi: PackageCli, index: SimpleIndex, tmp_path: Path) -> None:
    """PLAT 33, ENV 168: VIRTUAL_ENV, PATH, PYTHONPATH and PIP_* of another environment move nothing."""
    offer(index, "one")
    other = tmp_path / "other"
    (other / "bin").mkdir(parents=True)
    (other / "bin" / "python").write_text("#!/bin/sh\nexit 3\n")
    (other / "bin" / "python").chmod(0o755)
    active = {
        "VIRTUAL_ENV": str(other), "CONDA_PREFIX": str(other), "PYTHONPATH": str(other), "PYTHONHOME": "",
        "PATH": f"{other / 'bin'}{os.pathsep}{os.environ['PATH']}", "PIP_TARGET": str(other),
        "PIP_USER": "1", "PIP_PREFIX": str(other), "UV_SYSTEM_PYTHON": "1",
    }  # fmt: skip
    pi.environ.update(active)
    for backend in ("uv", "pip"):
        pi.write({"agent/settings.toml": f'[install]\nbackend = "{backend}"\n'})
        assert "installed pypi:one 1.0\n" == pi.run("install", "pypi:one").out
        pi.run("remove", "pypi:one")
    assert ["bin"] == os.listdir(other)


def test_source_is_built_for_those_that_are_named_only(
    pi: PackageCli, index: SimpleIndex, tmp_path: Path
) -> None:
    """SEC 36: refused without a word; with it, its code runs without our secrets."""
    marker = tmp_path / "ran.json"
    build_sdist(index.folder, "from-source", marker=marker)
    pi.environ["MY_API_KEY"] = "secret"
    done = pi.run("install", "pypi:from-source")
    assert (1, True, False) == (done.code, "--build from-source" in done.err, marker.exists())
    assert 0 == pi.run("install", "pypi:from-source", "--build", "from-source").code
    assert "MY_API_KEY" not in json.loads(marker.read_text())


# Two scopes that disagree.


@pytest.fixture
def divided(pi: PackageCli, index: SimpleIndex) -> PackageCli:
    """The user's `needs-two` and the project's `needs-one` want different versions of one library."""
    for version in ("1.0", "2.0"):
        index.wheel("a-lib", version)
    offer(index, "needs-one", "1.0", "middle")
    index.wheel("middle", requires=["a-lib==1.0"])
    offer(index, "needs-two", "1.0", "a-lib==2.0")
    offer(index, "easy")
    pi.run("install", "pypi:needs-two", "pypi:easy")
    return pi


REASON = "needs-two 1.0 needs a-lib==2.0, but the project provides a-lib 1.0"


def test_a_disagreement_is_told_when_it_is_installed(divided: PackageCli) -> None:
    """Both sides are named; nothing is refused, for elsewhere the user's package is fine."""
    done = divided.run("install", "-l", "pypi:needs-one")
    assert 0 == done.code
    assert f"error: extensions of pypi:needs-two are switched off: {REASON}." in done.err


def test_a_disagreement_is_told_at_every_start(divided: PackageCli) -> None:
    """The project's wins, the user's extension that cannot live with it is off, others are not touched."""
    divided.run("install", "-l", "pypi:needs-one")
    found = start(divided)
    assert {"needs_one": True, "needs_two": False, "easy": True} == loadable(found)
    (off,) = (item for item in found.extensions if not item.enabled)
    assert (REASON, True) == (off.rule, off.blocked)
    assert "1.0" == imported(found, "import a_lib; print(a_lib.VERSION)")
    states = {item["source"]: item["state"] for item in divided.run("list", "--json").document["observed"]}
    assert {"pypi:needs-two": "incompatible", "pypi:easy": "ok", "pypi:needs-one": "ok"} == states


def test_in_another_project_they_do_not_meet(divided: PackageCli) -> None:
    """The user's package is only off where the project's stands beside it."""
    divided.run("install", "-l", "pypi:needs-one")
    other = divided.folder / "other"
    other.mkdir()
    assert {"needs_two": True, "easy": True} == loadable(start(divided.at(other)))


def test_what_the_command_line_brings_stands_before_both(divided: PackageCli, index: SimpleIndex) -> None:
    """A package of `-e` wins over the user's, which is off for this run."""
    with divided.manager().fetch(["pypi:needs-one"]) as fetched:
        wanted = Wanted(("pypi:needs-one",), fetched=fetched)
        found = resolved(divided.locations, divided.manager().settings(trusted=False), wanted)
    assert {"needs_one": True, "needs_two": False, "easy": True} == loadable(found)
    reason = "needs-two 1.0 needs a-lib==2.0, but a package of the command line provides a-lib 1.0"
    assert reason in " ".join(finding.message for finding in found.diagnostics)


def test_a_package_that_is_hidden_by_another_copy_is_off(pi: PackageCli, index: SimpleIndex) -> None:
    """The user's own package in a version that the project's dependency does not have."""
    for version in ("1.0", "2.0"):
        offer(index, "shared", version)
    offer(index, "wants-old", "1.0", "shared==1.0")
    pi.run("install", "pypi:shared@2.0")
    pi.run("install", "-l", "pypi:wants-old")
    found = start(pi)
    assert not loadable(found)["shared"]
    assert "it is shared 2.0, but the project provides shared 1.0" in found.diagnostics[-1].message


def test_scopes_that_agree_cost_no_look(
    pi: PackageCli, index: SimpleIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no distribution stands in two versions, no metadata is read."""
    offer(index, "one")
    pi.run("install", "pypi:one")
    pi.run("install", "-l", "pypi:one")
    monkeypatch.setattr("pi_pkg.install.host.read_distributions", lambda paths: 1 / 0)
    assert {"one": True} == loadable(start(pi))
    assert read_index(pi.locations.project_envs) is not None
