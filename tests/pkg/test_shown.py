"""User and password of an address are shown and recorded nowhere."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import PackageError
from pi_pkg.shown import lines, one_line, public_form, without_credentials
from tests.support.githttp import GitServer
from tests.support.gitrepos import GitRepo
from tests.support.package_cli import PackageCli

SECRET = "sekret"
SOURCE = f"git:https://user:{SECRET}@h.example/o/r"


@pytest.mark.parametrize(
    ("text", "shown", "public"),
    [
        ("https://user:pw@host/simple", "https://***@host/simple", "https://host/simple"),
        (
            "see https://token@h, http://h/x@y",
            "see https://***@h, http://h/x@y",
            "see https://h, http://h/x@y",
        ),
        ("git:https://u:p@ss@h/o/r@v1", "git:https://***@h/o/r@v1", "git:https://h/o/r@v1"),
        ("ssh://git:pw@host/o/r", "ssh://***@host/o/r", "ssh://host/o/r"),
        ("ssh://git@host/o/r", "ssh://git@host/o/r", "ssh://git@host/o/r"),
        ("git@github.com:o/r", "git@github.com:o/r", "git@github.com:o/r"),
        ("https://host?mail=a@b", "https://host?mail=a@b", "https://host?mail=a@b"),
        ("no url", "no url", "no url"),
    ],
)
def test_both_forms_of_a_text(text: str, shown: str, public: str) -> None:
    """Stars for people, nothing at all where the address is used again; the user that ssh needs stays."""
    assert (shown, public) == (without_credentials(text), public_form(text))


def test_no_error_and_no_finding_holds_one() -> None:
    """Whoever raises an error or makes a finding need not think of it."""
    error = PackageError(SOURCE, hint=SOURCE, detail=SOURCE)
    found = Diagnostic("error", "x", "install", SOURCE, SOURCE, hint=SOURCE, detail=SOURCE).public()
    assert SECRET not in f"{error} {error.message} {error.hint} {error.detail} {found}"


@pytest.fixture
def place(pi: PackageCli, tmp_path: Path) -> Iterator[str]:
    """A source with a password, on a server that asks for it."""
    GitRepo(tmp_path / "o", "r").commit({"extensions/e.py": "def extension(pi): ...\n"})
    with GitServer(tmp_path, password=SECRET) as server:
        yield f"git:{server.url('o/r.git', f'user:{SECRET}')}"


def test_a_password_stands_in_the_settings_alone(pi: PackageCli, place: str) -> None:
    """SEC: where the user put it; no record, no checkout and no cache of ours repeats it."""
    assert 0 == pi.run("install", place).code
    pi.run("list")
    files = (path for path in pi.locations.agent_dir.rglob("*") if path.is_file())
    assert [pi.user_settings] == [path for path in files if SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    "words",
    [
        ["install", "PLACE"], ["install", "PLACE", "--json"], ["install", "PLACE", "--dry-run"],
        ["install", "PLACEx"], ["install", "PLACE@--bad"], ["install", "PLACE@absent"],
        ["list"], ["list", "--json"], ["update"], ["update", "--check", "--json"], ["sync"], ["rollback"],
        ["remove", "PLACEx"], ["remove", "PLACE"], ["remove", "--json", "PLACE"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_command_shows_it(pi: PackageCli, place: str, words: list[str]) -> None:
    """SEC: whatever comes of a command, in words or as a document; PLACE stands for the source."""
    pi.run("install", place)
    said = pi.run(*(word.replace("PLACE", place) for word in words))
    assert SECRET not in said.out + said.err
    assert said.out + said.err


def test_no_command_line_holds_it(
    pi: PackageCli, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SEC: everybody on the machine can read how a program was started."""
    log, real = tmp_path / "log", shutil.which("git")
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {real} "$@"\n', "utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    assert 0 == pi.run("install", place).code
    assert (True, False) == ("fetch" in log.read_text("utf-8"), SECRET in log.read_text("utf-8"))


def test_the_shown_form_names_the_package(pi: PackageCli, place: str) -> None:
    """What a listing shows is taken by `pi remove`."""
    pi.run("install", place)
    assert 0 == pi.run("remove", without_credentials(place)).code
    assert [] == pi.declared()


def test_going_back_keeps_the_password_that_is_declared(pi: PackageCli, place: str) -> None:
    """The records do not know it, the settings do."""
    pi.run("install", place)
    pi.run("install", str(pi.package("proj/a")))
    assert 0 == pi.run("rollback").code
    assert [place] == pi.declared()


@pytest.mark.parametrize(
    ("text", "shown", "several"),
    [
        ("plain – ünï", "plain – ünï", "plain – ünï"),
        ("a\nb\tc", "a\\nb\\tc", "a\nb\tc"),
        ("\x1b[2J\x00\x9b", "\\x1b[2J\\x00\\x9b", "\\x1b[2J\\x00\\x9b"),
        ("a\u202eb\u2028", "a\\u202eb\\u2028", "a\\u202eb\\u2028"),
    ],
)
def test_nothing_moves_a_terminal(text: str, shown: str, several: str) -> None:
    """Control characters of names and versions are shown as escapes; line ends only where lines are meant."""
    assert (shown, several) == (one_line(text), lines(text))
