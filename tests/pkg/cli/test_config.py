"""`pi config`: what is shown, what is written, and what is refused.

Touches: files.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_pkg.settings.schema import schema
from tests.support.package_cli import PackageCli


@pytest.fixture
def world(pi: PackageCli) -> PackageCli:
    pi.package("pk", "a", "b")
    pi.write(
        {
            "agent/prompts/plan.md": "x\n",
            "agent/settings.toml": 'packages = ["../pk"]\n',
            "proj/.pi/prompts/here.md": "x\n",
        }
    )
    return pi


def test_everything_is_shown_by_package_and_scope(world: PackageCli) -> None:
    """Packages before the rest, the user's before the project's, what is off with its rule."""
    world.write({"agent/settings.toml": 'packages = [{source = "../pk", extensions = ["!**/b.py"]}]\n'})
    root, settings = world.folder, world.user_settings
    assert [
        "User: ../pk",
        f"  on   extensions:{root}/pk/extensions/a.py",
        f"  off  extensions:{root}/pk/extensions/b.py  ({settings}: extensions of '../pk': '!**/b.py')",
        "User, outside of packages:",
        f"  on   prompts:{root}/agent/prompts/plan.md",
        "Project, outside of packages:",
        f"  on   prompts:{root}/proj/.pi/prompts/here.md",
    ] == world.run("config", "-a").out.splitlines()


def test_the_document_has_one_item_a_resource(world: PackageCli) -> None:
    """Programs read tokens, states, origin and rules."""
    document = world.run("config", "--json", "-l", "-a").document
    path = str(world.locations.project_config_dir / "prompts" / "here.md")
    assert [
        {
            "token": f"prompts:{path}", "kind": "prompts", "path": path, "name": None, "enabled": True,
            "scope": "project", "origin": "top-level", "source": "auto", "rule": None,
        }
    ] == document["observed"]  # fmt: skip
    assert ("config", True) == (document["command"], document["ok"])


def test_nothing_is_said_so(pi: PackageCli) -> None:
    """An empty world is no error."""
    assert (0, "There is nothing to switch.\n") == (pi.run("config").code, pi.run("config").out)


def test_an_untrusted_project_is_left_out(world: PackageCli) -> None:
    """TRUST 66: no question; what belongs to the user is shown, the rest is named as ignored."""
    done = world.run("config")
    assert (0, True) == (done.code, "here.md" not in done.out)
    assert "is not trusted; ignored 1 item: .pi/prompts." in done.err
    assert 0 == world.run("config", "--disable", "plan.md").code


@pytest.mark.parametrize("words", [[], ["--disable", "here.md"], ["--enable", "a.py"]])
def test_an_untrusted_project_is_not_changed(world: PackageCli, words: list[str]) -> None:
    """M4: with -l it is refused, exit 1, and how to approve is said."""
    done = world.run("config", "-l", *words)
    assert (1, "") == (done.code, done.out)
    assert "is not trusted; refused to " in done.err
    assert "pi trust allow" in done.err
    assert not world.project_settings.exists()


def test_a_change_of_a_trusted_project_stays_trusted(world: PackageCli) -> None:
    """What our own commands write is recorded, so the next run reads it."""
    world.run("trust", "allow")
    assert 0 == world.run("config", "-l", "--disable", "here.md").code
    assert world.manager().trust().trusted
    assert "pi config" == world.run("trust", "--json").document["observed"][0]["how"]


def test_the_home_folder_has_no_project(world: PackageCli) -> None:
    """There `-l` means nothing."""
    home = PackageCli(world.folder.parent / "h")
    home.locations.project_dir.mkdir(parents=True)
    home.locations.home.symlink_to("proj")
    done = home.run("config", "-l", "--disable", "x", "-a")
    assert (1, True) == (done.code, "is no project, for its own files are the user's" in done.err)


def test_what_the_project_decides_is_said(world: PackageCli) -> None:
    """A resource of the project is not switched in the user's settings; the flag is named."""
    world.run("trust", "allow")
    done = world.run("config", "--disable", "here.md")
    assert (1, True) == (done.code, "The project decides about it: add -l." in done.err)


def test_what_the_project_overrules_is_said(world: PackageCli) -> None:
    """SCOPE 50: the change is made, and the message says that it does not show here."""
    world.write({"proj/.pi/settings.toml": 'packages = ["../../pk"]\n'})
    world.run("trust", "allow")
    done = world.run("config", "--disable", "extensions/a.py", "--json")
    assert (0, "disabled", ["toggle-overruled"]) == (
        done.code, done.document["observed"][0]["did"], done.codes,
    )  # fmt: skip
    assert "stays on here, for the project's settings say so." in done.document["diagnostics"][0]["message"]


def test_one_that_fails_does_not_keep_the_others_out(world: PackageCli) -> None:
    """The good ones are written, the exit code is 1, and each is accounted for."""
    done = world.run("config", "--disable", "a.py", "nonsense", "plan.md", "--json")
    assert ["disabled", "refused", "disabled"] == [item["did"] for item in done.document["observed"]]
    assert (1, ["resource-unknown"]) == (done.code, done.codes)
    assert "-prompts/plan.md" in world.user_settings.read_text()


def test_what_is_so_already_is_left_alone(world: PackageCli) -> None:
    """NOOP: nothing is written, and the message says so."""
    before = world.user_settings.stat().st_mtime_ns
    assert "unchanged a.py already\n" == world.run("config", "--enable", "a.py").out
    assert before == world.user_settings.stat().st_mtime_ns


def test_flags_count_in_their_order(world: PackageCli) -> None:
    """The last word about a thing holds."""
    before = world.user_settings.read_text()
    assert 0 == world.run("config", "--disable", "a.py", "b.py", "--enable", "a.py", "b.py").code
    assert before == world.user_settings.read_text()


def test_unreadable_settings_are_not_written(world: PackageCli) -> None:
    """SET 38, K11: the command fails with line and column, the bytes stay."""
    world.write({"agent/settings.toml": "packages = [,]\n"})
    for words in ([], ["--disable", "plan.md"], ["-l", "-a", "--disable", "plan.md"]):
        done = world.run("config", *words)
        assert (1, True) == (done.code, "settings.toml:1:13: not valid TOML" in done.err)
    assert "packages = [,]\n" == world.user_settings.read_text()


@pytest.mark.parametrize("words", [("extra",), ("--bogus",), ("--enable",), ("-l", "--disable")])
def test_wrong_usage(world: PackageCli, words: tuple[str, ...]) -> None:
    """M1: exit 2, the mistake and the accepted form."""
    done = world.run("config", *words)
    assert (2, "", True) == (done.code, done.out, "usage: pi config " in done.err)


def test_the_schema_is_printed(world: PackageCli) -> None:
    """An editor can be given the schema that this version checks by."""
    assert schema() == json.loads(world.run("config", "--schema").out)


def test_a_resource_that_cannot_load_is_not_switched_on(world: PackageCli) -> None:
    """What is missing is said; no setting is written that would do nothing."""
    project = '[project]\nname = "x"\nversion = "1"\ndependencies = ["gone-dist"]\n'
    world.write({"pk/pyproject.toml": project})
    before = world.user_settings.read_text()
    done = world.run("config", "--enable", "a.py")
    assert (1, True) == (done.code, "it cannot load here: " in done.err)
    assert before == world.user_settings.read_text()


def test_the_users_folder_gets_no_litter(world: PackageCli) -> None:
    """Nothing but the settings file and its lock is made."""
    world.run("config", "--disable", "a.py")
    names = {path.name for path in Path(world.locations.agent_dir).iterdir()}
    assert (
        {"settings.toml", "prompts"} <= names <= {"settings.toml", "prompts", ".settings.toml.lock", "cache"}
    )
