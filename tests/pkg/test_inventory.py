"""What is listed of a package: its state, its resources, and what stands beside pi.

Touches: files.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.builders import RecordingBuilder
from tests.support.package_cli import PackageCli
from tests.support.wheels import install_into


def listed(pi: PackageCli, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pi.run("list", "--json", *words).document["observed"]
    return found


def test_an_item_has_its_documented_form(pi: PackageCli) -> None:
    """The keys are a contract."""
    folder = pi.package("proj/a")
    pi.run("install", "./a")
    (item,) = listed(pi)
    resources = item.pop("resources")
    assert {
        "source": "../proj/a",
        "identity": f"local:{folder}",
        "kind": "local",
        "scope": "user",
        "declared_in": str(pi.user_settings),
        "version": None,
        "commit": None,
        "pinned": False,
        "state": "ok",
        "root": str(folder),
        "filtered": False,
        "relation": None,
        "remove": ["pi", "remove", str(folder)],
    } == item
    path = str(folder / "extensions" / "ext.py")
    expected = {"path": path, "enabled": True, "token": f"extensions:{path}", "rule": None}
    assert {"extensions": [expected], "skills": [], "prompts": [], "themes": []} == resources


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        pytest.param('"../proj/a"', "ok", id="not installed but usable in place"),
        pytest.param('"../proj/gone"', "missing", id="local gone"),
        pytest.param('"pypi:never"', "missing", id="never installed"),
        pytest.param('"git:h.example/o/r"', "missing", id="never fetched"),
        pytest.param('"npm:x"', "broken", id="no source"),
        pytest.param('{ source = "../proj/a", extensions = [] }', "disabled", id="all off"),
        pytest.param('{ source = "../proj/a", skills = [] }', "ok", id="some off"),
    ],
)
def test_states(pi: PackageCli, entry: str, state: str) -> None:
    """Each declared entry is listed with what became of it."""
    pi.package("proj/a")
    pi.write({"agent/settings.toml": f"packages = [{entry}]\n"})
    assert [state] == [item["state"] for item in listed(pi)]


def test_what_another_python_installed_is_incompatible(pi: PackageCli) -> None:
    """It is named as such, with what repairs it; trees stay usable."""
    pi.package("proj/a")
    pi.manager(builder=RecordingBuilder()).install(["pypi:x", "./a"])
    (record,) = pi.locations.user_envs.glob("*/pi-index.json")
    document = json.loads(record.read_text())
    record.write_text(json.dumps({**document, "python-tag": "cpython-39"}))
    assert ["incompatible", "ok"] == [item["state"] for item in listed(pi)]
    assert "generation-incompatible" in pi.run("list", "--json").codes


def test_a_damaged_record_is_no_record(pi: PackageCli) -> None:
    """The packages are missing until they are installed again, and listing does not fail."""
    pi.manager(builder=RecordingBuilder()).install(["pypi:x"])
    (record,) = pi.locations.user_envs.glob("*/pi-index.json")
    record.write_text("{")
    assert ["missing"] == [item["state"] for item in listed(pi)]


def test_files_that_vanished_are_broken(pi: PackageCli) -> None:
    """A recorded package whose files are gone is not the same as one that was never installed."""
    pi.manager(builder=RecordingBuilder()).install(["pypi:x"])
    assert ["broken"] == [item["state"] for item in listed(pi)]


def test_filters_show_in_resources(pi: PackageCli) -> None:
    """What an entry switches off is listed as off, with the rule."""
    pi.package("proj/a", "one", "two")
    entry = '{ source = "../proj/a", extensions = ["!**/one.py"] }'
    pi.write({"agent/settings.toml": f"packages = [{entry}]\n"})
    (item,) = listed(pi)
    found = {
        Path(one["path"]).stem: (one["enabled"], bool(one["rule"])) for one in item["resources"]["extensions"]
    }
    assert ({"one": (False, True), "two": (True, False)}, True) == (found, item["filtered"])


def test_scopes_are_listed_user_first(pi: PackageCli) -> None:
    """The user's packages, then the project's."""
    pi.package("proj/a")
    pi.package("proj/b")
    pi.run("install", "-l", "./b")
    pi.run("install", "./a")
    assert [("user", "../proj/a"), ("project", "../b")] == [
        (item["scope"], item["source"]) for item in listed(pi)
    ]


def test_what_stands_beside_pi_is_listed(
    pi: PackageCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A distribution that the user installed next to pi is found by its entry points."""
    site = tmp_path / "site"
    install_into(site, "pi-beside", "2.5", entry_points={"pi.extensions": {"b": "pi_beside:extension"}})
    monkeypatch.setattr(sys, "path", [str(site)])
    (item,) = listed(pi)
    assert ("env:pi-beside", "environment", "2.5", None, "ok") == (
        item["source"], item["scope"], item["version"], item["declared_in"], item["state"]
    )  # fmt: skip


def test_an_entry_filters_what_stands_beside_pi(
    pi: PackageCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`env:NAME` is listed once, where it is declared, with what it switches off."""
    site = tmp_path / "site"
    install_into(site, "pi-beside", "2.5", entry_points={"pi.extensions": {"b": "pi_beside:extension"}})
    monkeypatch.setattr(sys, "path", [str(site)])
    entries = '{ source = "env:pi_beside", extensions = [] }, "env:other"'
    pi.write({"agent/settings.toml": f"packages = [{entries}]\n"})
    assert [("env:pi_beside", "2.5", "disabled"), ("env:other", None, "missing")] == [
        (item["source"], item["version"], item["state"]) for item in listed(pi)
    ]


def test_a_text_selects(pi: PackageCli) -> None:
    """M2: words after `list` are no error; they select by source or identity."""
    pi.package("proj/a")
    pi.package("proj/b")
    pi.run("install", "./a", "./b")
    assert ["../proj/b"] == [item["source"] for item in listed(pi, "proj/b")]
    assert ([], 0) == (listed(pi, "zzz"), pi.run("list", "zzz").code)
