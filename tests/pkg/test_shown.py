"""User and password of an address are shown and recorded nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import PackageError
from pi_pkg.shown import public_form, without_credentials
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
def private(pi: PackageCli, tmp_path: Path) -> PackageCli:
    """A repository behind an address with a password."""
    remote = GitRepo(tmp_path)
    remote.commit({"extensions/e.py": "def extension(pi): ...\n"})
    config = tmp_path / "gitconfig"
    config.write_text(
        f'[url "{remote.url}"]\ninsteadOf = https://user:{SECRET}@h.example/o/r\n', encoding="utf-8"
    )
    pi.environ["GIT_CONFIG_GLOBAL"] = str(config)
    return pi


def test_a_password_stands_in_the_settings_alone(private: PackageCli, tmp_path: Path) -> None:
    """SEC: where the user put it; no record, no checkout and no cache of ours repeats it."""
    assert 0 == private.run("install", SOURCE).code
    private.run("list")
    files = (path for path in private.locations.agent_dir.rglob("*") if path.is_file())
    assert [private.user_settings] == [path for path in files if SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    "words",
    [
        ["install", SOURCE], ["install", SOURCE, "--json"], ["install", SOURCE, "--dry-run"],
        ["install", SOURCE.replace("o/r", "o/absent")], ["install", SOURCE + "@--bad"],
        ["list"], ["list", "--json"], ["update"], ["update", "--check", "--json"], ["sync"], ["rollback"],
        ["remove", SOURCE.replace("o/r", "o/rr")], ["remove", SOURCE], ["remove", "--json", SOURCE],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_command_shows_it(private: PackageCli, words: list[str]) -> None:
    """SEC: whatever comes of a command, in words or as a document."""
    private.run("install", SOURCE)
    said = private.run(*words)
    assert SECRET not in said.out + said.err


def test_the_shown_form_names_the_package(private: PackageCli) -> None:
    """What a listing shows is taken by `pi remove`."""
    private.run("install", SOURCE)
    assert 0 == private.run("remove", without_credentials(SOURCE)).code
    assert [] == private.declared()


def test_going_back_keeps_the_password_that_is_declared(private: PackageCli) -> None:
    """The records do not know it, the settings do."""
    private.run("install", SOURCE)
    private.run("install", str(private.package("proj/a")))
    assert 0 == private.run("rollback").code
    assert [SOURCE] == private.declared()
