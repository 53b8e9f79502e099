"""Updates of packages of an index through the real commands, with both backends; cases D and field reports.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_pkg.install import process
from tests.pkg.changes.kit import install_with_uv, times
from tests.support.index import SimpleIndex
from tests.support.package_cli import PackageCli

POINTS = {"pi.extensions": {"ext": "pi_ext:extension"}}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SimpleIndex]:
    """Offers `pi-ext` 1.0 and `pi-two` 1.0."""
    with SimpleIndex(tmp_path / "index") as index:
        for name in ("pi-ext", "pi-two"):
            index.wheel(
                name, "1.0", entry_points={"pi.extensions": {"x": f"{name.replace('-', '_')}:extension"}}
            )
        yield index


@pytest.fixture
def pi(pi: PackageCli, index: SimpleIndex) -> PackageCli:
    """`pi` with that index and the backend that is there."""
    pi.environ["PIP_INDEX_URL"] = index.url
    return pi


@pytest.fixture(params=["uv", "pip"])
def shop(pi: PackageCli, request: pytest.FixtureRequest) -> PackageCli:
    """The same with each backend in turn."""
    pi.write({"agent/settings.toml": f'[install]\nbackend = "{request.param}"\n'})
    return pi


def versions(pi: PackageCli) -> dict[str, str]:
    items = pi.run("list", "--json").document["observed"]
    return {item["identity"]: item["version"] for item in items}


def running(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The installer words of each program that is started from now on."""
    started: list[str] = []
    real = process._start

    def start(argv: list[str], *rest: object) -> object:
        started.extend(word for word in argv if word in {"install", "compile", "index", "fetch", "ls-remote"})
        return real(argv, *rest)  # type: ignore[arg-type]  # handed through as they came

    monkeypatch.setattr(process, "_start", start)
    return started


def test_bare_update_covers_every_package(shop: PackageCli, index: SimpleIndex) -> None:
    """NOOP 3, 9; D2: both move, in one generation, whichever backend; the summary counts two."""
    shop.run("install", "pypi:pi-ext", "pypi:pi-two")
    for name in ("pi-ext", "pi-two"):
        index.wheel(name, "1.1", entry_points=POINTS if name == "pi-ext" else None)
    done = shop.run("update")
    lines = ["pypi:pi-ext 1.0 → 1.1", "pypi:pi-two 1.0 → 1.1", "examined 2 packages: 2 updated"]
    assert (0, lines) == (done.code, done.out.splitlines())
    assert {"pypi:pi-ext": "1.1", "pypi:pi-two": "1.1"} == versions(shop)
    assert 2 == len([path for path in shop.locations.user_envs.iterdir() if path.is_dir()])


def test_a_second_update_starts_no_installer(
    shop: PackageCli, index: SimpleIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NOOP 5, ATOM 13: what is current is looked up, not installed, and no file is changed."""
    install_with_uv(shop, "pypi:pi-ext", "pypi:pi-two@1.0")
    started, before = running(monkeypatch), times(shop.folder)
    done = shop.run("update")
    assert "pypi:pi-ext unchanged at 1.0\npypi:pi-two@1.0 pinned at 1.0\n" in done.out
    assert started
    assert {"compile", "index"} >= set(started)
    assert before == times(shop.folder)


def test_a_range_moves_as_far_as_it_allows(shop: PackageCli, index: SimpleIndex) -> None:
    """NOOP 6, 7: the newest release of the range, also where a later one is out of it."""
    install_with_uv(shop, "pypi:pi-ext@^1")
    for version in ("1.4", "1.5rc1", "2.0"):
        index.wheel("pi-ext", version, entry_points=POINTS)
    assert "pypi:pi-ext@^1 1.0 → 1.4\n" in shop.run("update").out
    assert ["pypi:pi-ext@^1"] == shop.declared()


def test_a_pin_is_told_what_is_newer(shop: PackageCli, index: SimpleIndex) -> None:
    """NOOP 8, D1: settings and environment are untouched."""
    install_with_uv(shop, "pypi:pi-ext@1.0")
    index.wheel("pi-ext", "1.1", entry_points=POINTS)
    before = times(shop.folder)
    assert "pypi:pi-ext@1.0 pinned at 1.0, 1.1 available\n" in shop.run("update").out
    assert before == times(shop.folder)


def test_one_that_vanished_does_not_stop_the_other(shop: PackageCli, index: SimpleIndex) -> None:
    """ATOM 18: its version stays, the other moves, a table ends the run, exit 1."""
    install_with_uv(shop, "pypi:pi-ext", "pypi:pi-two")
    next(index.folder.glob("pi_ext*")).unlink()
    index.wheel("pi-two", "1.1")
    done = shop.run("update")
    assert (1, {"pypi:pi-ext": "1.0", "pypi:pi-two": "1.1"}) == (done.code, versions(shop))
    table = ["  pypi:pi-ext  refused, still 1.0", "  pypi:pi-two  updated 1.1"]
    assert table == [line for line in done.out.splitlines() if line.startswith("  ")]


def test_a_range_that_nothing_fits_is_told(shop: PackageCli, index: SimpleIndex) -> None:
    """What was asked and what is offered; the entry that was there before keeps what it has."""
    install_with_uv(shop, "pypi:pi-ext@^1")
    done = shop.run("install", "pypi:pi-ext@^2")
    assert (1, ["pypi:pi-ext@^1"]) == (done.code, shop.declared())
    assert "refused pypi:pi-ext@^2: there is no pi-ext" in done.err
    assert "the index offers" in done.err


def test_a_silent_index_leaves_everything(shop: PackageCli, index: SimpleIndex) -> None:
    """D3, ATOM 16, NET 29: it is named, only the configured one was asked, and the old version loads."""
    install_with_uv(shop, "pypi:pi-ext")
    index.broken = True
    shop.environ["PIP_TIMEOUT"] = "1"
    done = shop.run("update")
    assert (1, {"pypi:pi-ext": "1.0"}) == (done.code, versions(shop))
    assert f"{index.url} did not answer" in done.err
    index.broken = False
    assert 0 == shop.run("update").code


def test_what_does_not_fit_is_named_and_stays(pi: PackageCli, index: SimpleIndex) -> None:
    """A newer release that the host cannot satisfy is there, and is not taken."""
    pi.run("install", "pypi:pi-ext")
    index.wheel("pi-ext", "1.1", requires=["pluggy<0.1"], entry_points=POINTS)
    done = pi.run("update")
    assert (
        "pypi:pi-ext unchanged at 1.0, 1.1 available (which does not go together with the rest)" in done.out
    )
    assert 0 == done.code


def test_an_update_leaves_no_stale_file(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 170: nothing of the old version stands in the new generation."""
    index.wheel("pi-ext", "1.0", files={"pi_ext.py": "", "old_name.py": ""}, entry_points=POINTS)
    pi.run("install", "pypi:pi-ext")
    index.wheel("pi-ext", "1.1", files={"pi_ext.py": ""}, entry_points=POINTS)
    pi.run("update")
    site = sorted(pi.locations.user_envs.glob("000002*/lib/*/site-packages"))[0]
    assert ["pi_ext-1.1.dist-info", "pi_ext.py"] == sorted(
        path.name for path in site.iterdir() if path.name != "__pycache__"
    )


def test_a_script_of_another_package_stays(pi: PackageCli, index: SimpleIndex) -> None:
    """ENV 169: updating one of two packages with console scripts keeps the other's."""
    for name, version in (("pi-ext", "1.0"), ("pi-two", "1.0"), ("pi-ext", "1.1")):
        module = name.replace("-", "_")
        index.wheel(name, version, entry_points={"console_scripts": {name: f"{module}:main"}})
        if version == "1.0":
            pi.run("install", f"pypi:{name}")
    pi.run("update")
    (scripts,) = {path.parent for path in pi.locations.user_envs.glob("000003*/bin/pi-two")}
    assert (scripts / "pi-ext").exists()


def test_an_explicit_install_runs_offline(pi: PackageCli, index: SimpleIndex) -> None:
    """C14: offline is about what nobody named; an update says that it did nothing, exit 0."""
    pi.environ["PI_OFFLINE"] = "1"
    assert "installed pypi:pi-ext 1.0\n" == pi.run("install", "pypi:pi-ext").out
    index.requests.clear()
    done = pi.run("update")
    assert (0, "", []) == (done.code, done.out, index.requests)
    assert "nothing was looked up or updated, since pi is offline" in done.err
    assert 1 == pi.run("update", "pypi:unknown", "--offline").code


def test_nothing_is_installed_at_a_start(pi: PackageCli, index: SimpleIndex) -> None:
    """NOOP 7, D5: a range that what is installed does not satisfy is left out and reported, not installed."""
    index.wheel("pi-ext", "2.0", entry_points=POINTS)
    pi.run("install", "pypi:pi-ext")
    pi.write({"agent/settings.toml": 'packages = ["pypi:pi-ext@^1"]\n'})
    index.requests.clear()
    (item,) = pi.run("list", "--json").document["observed"]
    assert ("missing", []) == (item["state"], index.requests)
    pi.write({"agent/settings.toml": 'packages = ["pypi:pi-ext@>=1"]\n'})
    assert "ok" == pi.run("list", "--json").document["observed"][0]["state"]


def test_any_version_satisfies_latest(pi: PackageCli, index: SimpleIndex) -> None:
    """D6: at a start whatever is there is used; only an update moves it."""
    pi.run("install", "pypi:pi-ext@latest")
    index.wheel("pi-ext", "3.0", entry_points=POINTS)
    index.requests.clear()
    assert ({"pypi:pi-ext": "1.0"}, []) == (versions(pi), index.requests)
    assert "pypi:pi-ext@latest 1.0 → 3.0" in pi.run("update").out


def test_removing_what_is_not_declared(pi: PackageCli, index: SimpleIndex) -> None:
    """D9: exit 1, what is declared is named, and no installer runs."""
    pi.run("install", "pypi:pi-ext")
    index.requests.clear()
    done = pi.run("remove", "pypi:unknown")
    assert (1, [], ["pypi:pi-ext"]) == (done.code, index.requests, pi.declared())
    assert "it declares pypi:pi-ext." in done.err


@pytest.mark.slow
def test_a_look_gives_up_soon(pi: PackageCli, index: SimpleIndex) -> None:
    """NET 30: an index that takes the request and says nothing is given up after its time limit."""
    pi.run("install", "pypi:pi-ext")
    pi.environ["PIP_TIMEOUT"] = "1"
    index.moving.clear()
    start = time.monotonic()
    assert 1 == pi.run("update").code
    assert time.monotonic() - start < 45  # four tries of the usual time limit would be sixty
