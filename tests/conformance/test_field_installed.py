"""Reports from the field about extensions that are installed and broken, gone, or found in another order.

A number is that of the report; what is right for us stands in each sentence.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_core.resources.loader import ResourceLoader, ResourceRequest
from pi_pkg import Locations
from tests.support.agent_cli import AgentCli, agent_cli


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    return agent_cli(tmp_path)


def raising_package(pi: AgentCli) -> Path:
    """A package at hand whose import says that it ran, and fails."""
    pi.write("pk/extensions/bad.py", "open('ran', 'w')\nraise RuntimeError('broken at import')")
    pi.write("pk/extensions/good.py", "def extension(pi): pi.command('fine')(lambda args, ctx: None)")
    return pi.project / "pk"


@pytest.mark.parametrize(
    "words", [["--version"], ["--help"], ["list"], ["config", "--help"], ["remove", "./pk"]]
)
def test_iso_75_76_a_broken_package_leaves_every_command(pi: AgentCli, words: list[str]) -> None:
    """ISO 75, 76: an import that raises stops no command; installing and removing run nothing of it."""
    raising_package(pi)
    assert 0 == pi.run("install", "./pk").code
    assert not (pi.project / "ran").exists()
    assert 0 == pi.run(*words).code


def test_iso_76_a_broken_package_is_told_at_the_start(pi: AgentCli) -> None:
    """ISO 76: the run goes on with what loads, and names the file and the reason."""
    raising_package(pi)
    pi.run("install", "./pk")
    ran = pi.run("-p", "run: echo on")
    assert (0, "bash answered:\non\n") == (ran.code, ran.out)
    assert "broken at import" in ran.err
    assert "bad.py" in ran.err


def test_iso_77_a_package_that_went_away(pi: AgentCli) -> None:
    """ISO 77: every command works, the list calls it missing, and the start goes on."""
    shutil.move(raising_package(pi), pi.project / "pkg")
    assert 0 == pi.run("install", "./pkg").code
    shutil.rmtree(pi.project / "pkg")
    assert (0, 0) == (pi.run("--version").code, pi.run("list").code)
    assert "missing" == json.loads(pi.run("list", "--json").out)["observed"][0]["state"]
    assert 0 == pi.run("-p", "hello").code
    assert 0 == pi.run("remove", "./pkg").code


def test_quiet_81_what_is_listed_can_be_named(pi: AgentCli) -> None:
    """QUIET 81: every token of the list switches its resource off and on again."""

    raising_package(pi)
    pi.run("install", "./pk")

    def listed() -> dict[str, bool]:
        document = json.loads(pi.run("list", "--json").out)
        found = document["observed"][0]["resources"]["extensions"]
        return {item["token"]: item["enabled"] for item in found}

    tokens = listed()
    assert 2 == len(tokens)
    for token in tokens:
        assert 0 == pi.run("config", "--disable", token).code
        assert listed() == {**dict.fromkeys(tokens, True), token: False}
        assert 0 == pi.run("config", "--enable", token).code


async def test_evt_129_the_order_of_a_folder_is_that_of_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """EVT 129: however the file system lists a folder, extensions load by their file names."""
    locations = Locations(tmp_path / "agent", tmp_path / "project", tmp_path)
    locations.project_dir.mkdir()
    names = [f"{letter}.py" for letter in "hcagbfed"]
    for name in names:
        path = locations.agent_dir / "extensions" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def extension(pi): ...", encoding="utf-8")
    real = os.scandir
    chance = random.Random(1)

    class Shuffled:
        def __init__(self, path: Any) -> None:
            with real(path) as entries:
                self.entries = list(entries)
            chance.shuffle(self.entries)

        def __enter__(self) -> Iterator[os.DirEntry[str]]:
            return iter(self.entries)

        def __exit__(self, *error: object) -> None: ...

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            return iter(self.entries)

    monkeypatch.setattr(os, "scandir", Shuffled)
    for _ in range(3):
        found = await ResourceLoader(locations, ResourceRequest()).load()
        assert sorted(names) == [Path(extension.path).name for extension in found.extensions]
