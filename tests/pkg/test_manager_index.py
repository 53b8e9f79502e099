"""Packages of an index through the real commands, with both backends, against an index on the loopback.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pkg.changes.kit import install_with_uv
from tests.support.index import SimpleIndex
from tests.support.package_cli import PackageCli

POINTS = {"pi.extensions": {"ext": "pi_ext:extension"}}
CODE = {"pi_ext/__init__.py": "def extension(pi): ...\n"}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SimpleIndex]:
    """Offers `pi-ext` 1.0, 1.1 and 2.0, and `pi-old`, which needs a pluggy that no host has."""
    with SimpleIndex(tmp_path / "index") as index:
        for version in ("1.0", "1.1", "2.0"):
            index.wheel("pi-ext", version, files=CODE, entry_points=POINTS)
        index.wheel("pi-old", requires=["pluggy<0.1"], entry_points={"pi": {"old": "pi_old"}})
        yield index


@pytest.fixture(params=["uv", "pip"])
def shop(pi: PackageCli, index: SimpleIndex, request: pytest.FixtureRequest) -> PackageCli:
    """`pi` with that index, and each backend in turn."""
    pi.environ["PIP_INDEX_URL"] = index.url
    pi.write({"agent/settings.toml": f'[install]\nbackend = "{request.param}"\n'})
    return pi


@pytest.fixture
def pi_with_index(pi: PackageCli, index: SimpleIndex) -> PackageCli:
    """`pi` with that index and the backend that is there."""
    pi.environ["PIP_INDEX_URL"] = index.url
    return pi


def version(pi: PackageCli, source: str = "pi-ext") -> str | None:
    (item,) = pi.run("list", source, "--json").document["observed"]
    found: str | None = item["version"]
    return found


def test_a_distribution_is_installed(shop: PackageCli) -> None:
    """Range, version and extension are shown as observed; the settings keep what was typed."""
    done = shop.run("install", "pypi:pi-ext@^1.0")
    assert "installed pypi:pi-ext@^1.0 1.1 (read as >=1.0,<2)\n" == done.out
    assert ["pypi:pi-ext@^1.0"] == shop.declared()
    assert "extensions: pi_ext/__init__.py" in shop.run("list").out


def test_a_package_that_the_host_cannot_satisfy_is_refused(shop: PackageCli) -> None:
    """Nothing changes, and the sentence names what stands in the way."""
    install_with_uv(shop, "pypi:pi-ext@1.0")
    before = shop.user_settings.read_bytes()
    done = shop.run("install", "pypi:pi-old")
    assert 1 == done.code
    assert "\nrefused pypi:pi-old: pi-old " in f"\n{done.err}"  # on a busy machine, progress is told before
    assert "needs pluggy<0.1, but the environment that pi runs in has pluggy " in done.err
    assert (before, "1.0") == (shop.user_settings.read_bytes(), version(shop))


def test_a_name_that_is_not_there_does_not_keep_others_out(shop: PackageCli) -> None:
    """Two are asked for, one exists: it goes in, exit 1."""
    done = shop.run("install", "pypi:no-such-thing", "pypi:pi-ext")
    assert (1, ["pypi:pi-ext"], "2.0") == (done.code, shop.declared(), version(shop))
    assert "no-such-thing" in done.err


def test_an_index_that_does_not_answer_is_named(shop: PackageCli) -> None:
    """What was in force stays in force, and what is there needs no index."""
    install_with_uv(shop, "pypi:pi-ext@1.0")
    shop.environ["PIP_INDEX_URL"] = "http://127.0.0.1:9/simple"
    done = shop.run("install", "pypi:other")
    assert 1 == done.code
    assert "http://127.0.0.1:9/simple did not answer" in done.err
    assert "1.0" == version(shop)
    assert 0 == shop.run("remove", "pypi:pi-ext").code


def test_removing_leaves_the_rest(shop: PackageCli, index: SimpleIndex) -> None:
    """One of two goes; the other keeps its version though newer ones are there."""
    index.wheel("pi-two", entry_points={"pi.extensions": {"two": "pi_two:extension"}})
    shop.run("install", "pypi:pi-ext@1.0", "pypi:pi-two")
    assert "removed pypi:pi_two\n" == shop.run("remove", "pypi:pi_two").out
    assert (["pypi:pi-ext@1.0"], "1.0") == (shop.declared(), version(shop))


def test_another_requirement_replaces_the_source(pi_with_index: PackageCli) -> None:
    """B7: source replaced, filter kept; the report shows both versions."""
    text = 'packages = [{ source = "pypi:pi-ext@1.0", skills = [] }]\n'
    pi_with_index.write({"agent/settings.toml": text})
    assert "installed pypi:pi-ext@1.0 1.0\n" == pi_with_index.run("install", "pypi:pi-ext@1.0").out
    assert (
        "changed pypi:pi-ext@~1.1 1.0 → 1.1 (read as >=1.1,<1.2)\n"
        == pi_with_index.run("install", "pypi:pi-ext@~1.1").out
    )
    assert [{"source": "pypi:pi-ext@~1.1", "skills": []}] == pi_with_index.declared()


def test_installing_again_moves_within_the_range(pi_with_index: PackageCli, index: SimpleIndex) -> None:
    """The package that is asked for may move; the others stay."""
    index.wheel("pi-two", "1.0")
    pi_with_index.run("install", "pypi:pi-ext@^1", "pypi:pi-two")
    for name in ("pi-two", "pi-ext"):
        index.wheel(name, "1.9")
    done = pi_with_index.run("install", "pypi:pi-ext@^1")
    assert "changed pypi:pi-ext@^1 1.1 → 1.9 (read as >=1,<2)\n" == done.out
    assert ("1.9", "1.0") == (version(pi_with_index), version(pi_with_index, "pi-two"))
    assert (
        "pypi:pi-ext@^1 unchanged at 1.9 (read as >=1,<2)\n"
        == pi_with_index.run("install", "pypi:pi-ext@^1").out
    )


def test_what_the_environment_provides_is_said(pi_with_index: PackageCli) -> None:
    """The host's copy would be imported anyway: it satisfies the source, or the source is refused."""
    import pluggy

    found = pluggy.__version__
    done = pi_with_index.run("install", "pypi:pluggy")
    assert f"installed pypi:pluggy {found} (satisfied by environment {found})\n" == done.out
    assert 1 == pi_with_index.run("install", "pypi:pluggy<1").code


def test_a_dry_run_names_the_version(pi_with_index: PackageCli) -> None:
    """The resolver says what would come; nothing does."""
    done = pi_with_index.run("install", "pypi:pi-ext@^1", "--dry-run")
    assert "would install pypi:pi-ext@^1 1.1\n" == done.out
    assert "No packages installed.\n" == pi_with_index.run("list").out


def test_a_tree_brings_its_dependencies(pi_with_index: PackageCli) -> None:
    """Dependencies of a local tree join the roots of the scope."""
    pi_with_index.package("proj/a")
    project = '[project]\nname = "a"\nversion = "3"\ndependencies = ["pi-ext<2"]\n'
    pi_with_index.write({"proj/a/pyproject.toml": project})
    assert "installed ./a 3\n" == pi_with_index.run("install", "./a").out
    (item,) = pi_with_index.run("list", "--json").document["observed"]
    assert "ok" == item["state"]
    assert list(pi_with_index.locations.user_envs.glob("*/lib/*/site-packages/pi_ext/__init__.py"))


def test_scopes_that_disagree_are_named(pi_with_index: PackageCli, index: SimpleIndex) -> None:
    """One process has one copy: the project's wins, and the user's package that needs another is named."""
    index.wheel("needs-two", requires=["pi-ext>=2"], entry_points=POINTS)
    pi_with_index.run("install", "pypi:needs-two")
    done = pi_with_index.run("install", "-l", "pypi:pi-ext@^1", "--json")
    assert "scope-conflict" in done.codes
    (message,) = [
        item["message"] for item in done.document["diagnostics"] if item["code"] == "scope-conflict"
    ]
    expected = (
        "pypi:needs-two are switched off: needs-two 1.0 needs pi-ext>=2, but the project provides pi-ext 1.1"
    )
    assert expected in message
