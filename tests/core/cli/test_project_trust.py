"""The real command in projects that somebody else wrote: TRUST 65 to 72, and what an edit may not undo."""

from __future__ import annotations

import json
import os

import pytest

from tests.support.agent_cli import AgentCli

SAYS = """
import sys
def extension(pi):
    @pi.on("session_start")
    def say(event, ctx):
        print("{name}", ctx.is_project_trusted(), file=sys.stderr)
"""
GUARD = '[tool.pi]\nextensions = ["gate.py"]\nguard = true\n'
BLOCKS = """
from pi_core.api import Block
def extension(pi):
    @pi.on("tool_call")
    def no(event, ctx):
        return Block("not here")
"""


def said(err: str, name: str) -> list[str]:
    """What an extension of this name printed about trust."""
    return [line.split()[1] for line in err.splitlines() if line.split()[:1] == [name]]


def test_the_effective_decision_is_seen_by_extensions(pi: AgentCli) -> None:
    """TRUST 65: an approval for one run is True in the context, and nothing is stored."""
    pi.user_extension(SAYS.format(name="user"))
    pi.write(".pi/prompts/p.md", "x")
    assert ["False"] == said(pi.run("-p", "x").err, "user")
    assert ["True"] == said(pi.run("-p", "-a", "x").err, "user")
    assert not (pi.agent_dir / "trust.toml").exists()


def test_nobody_decided_is_not_trusted(pi: AgentCli) -> None:
    """TRUST 68: a project with nothing to decide about is no trusted one until somebody says so."""
    pi.user_extension(SAYS.format(name="user"))
    assert ["False"] == said(pi.run("-p", "x").err, "user")
    assert 0 == pi.run("trust", "allow", "--folder").code
    assert ["True"] == said(pi.run("-p", "x").err, "user")


def test_a_run_without_a_person_is_told_in_structure(pi: AgentCli) -> None:
    """TRUST 69: one record says how much was left out and how to approve; no project setting counts."""
    pi.write(".pi/skills/a/SKILL.md", "---\ndescription: x\n---\n")
    pi.write(".pi/settings.toml", 'shell-command-prefix = "echo SECRET;"\n')
    ran = pi.run("--mode", "json", "run: echo hello")
    (record,) = [item for item in ran.of_type("diagnostic") if item["stage"] == "trust"]
    assert ("project-not-trusted", "project") == (record["code"], record["scope"])
    assert record["message"].endswith("is not trusted; ignored 2 items: .pi/settings.toml, .pi/skills.")
    assert "Trust it with 'pi trust allow', or for this run with --approve." == record["hint"]
    assert "SECRET" not in ran.out
    assert "SECRET" in pi.run("--mode", "json", "-a", "run: echo hello").out


def test_changed_content_is_left_out_and_shown(pi: AgentCli) -> None:
    """TRUST 72: another extension, or another package list, ends the trust; a README does not."""
    pi.write(".pi/extensions/own.py", SAYS.format(name="own"))
    assert 0 == pi.run("trust", "allow").code
    pi.write("README.md", "other")
    assert ["True"] == said(pi.run("-p", "x").err, "own")
    pi.write(".pi/extensions/evil.py", SAYS.format(name="evil"))
    ran = pi.run("--mode", "json", "x")
    (record,) = [item for item in ran.of_type("diagnostic") if item["stage"] == "trust"]
    assert ("project-changed", "+ .pi/extensions/evil.py") == (record["code"], record["detail"])
    assert [] == said(ran.err, "own") + said(ran.err, "evil")


def guarded(pi: AgentCli) -> None:
    """A project that was set up with a guard by its person."""
    pi.write("gate/pyproject.toml", GUARD)
    pi.write("gate/gate.py", BLOCKS)
    assert 0 == pi.run("install", "-l", "./gate").code
    assert "not here" in pi.run("-p", "run: echo hello").out


@pytest.mark.parametrize("edit", ["settings", "code", "deleted"])
def test_an_edit_does_not_remove_the_guard(pi: AgentCli, edit: str) -> None:
    """A run without a person refuses to start, exit 1, naming `pi trust`; nothing is run."""
    guarded(pi)
    match edit:
        case "settings":
            pi.write(".pi/settings.toml", "packages = []\n")
        case "code":
            pi.write("gate/gate.py", "def extension(pi): ...\n")
        case _:
            (pi.project / ".pi" / "settings.toml").unlink()
    ran = pi.run("-p", "run: echo hello")
    assert (1, "") == (ran.code, ran.out)
    assert "was trusted with a guard in it and has changed since" in ran.err
    assert "pi trust" in ran.err
    assert [] == pi.sessions()[1:]


def test_a_lost_guard_is_a_persons_decision(pi: AgentCli) -> None:
    """Allowing the new content, or leaving the project out, are words; then it starts."""
    guarded(pi)
    pi.write(".pi/settings.toml", "packages = []\n")
    assert "bash answered:\nhello\n" == pi.run("-p", "-na", "run: echo hello").out
    assert 0 == pi.run("trust", "allow").code
    assert "bash answered:\nhello\n" == pi.run("-p", "run: echo hello").out


def test_removing_the_guard_by_command_is_a_word(pi: AgentCli) -> None:
    """What our own commands change is trusted as it is then, without the guard."""
    guarded(pi)
    assert 0 == pi.run("remove", "-l", "./gate").code
    assert "bash answered:\nhello\n" == pi.run("-p", "run: echo hello").out


@pytest.mark.parametrize(
    ("words", "loaded"),
    [(("-a", "-na"), []), (("-na", "-a"), ["True"]), (("--approve", "--no-approve", "--approve"), ["True"])],
)
def test_the_last_word_about_approval_counts(pi: AgentCli, words: tuple[str, ...], loaded: list[str]) -> None:
    """Of `--approve` and `--no-approve` the last holds."""
    pi.write(".pi/extensions/own.py", SAYS.format(name="own"))
    assert loaded == said(pi.run("-p", *words, "x").err, "own")


def test_the_home_folder_has_no_project(pi: AgentCli) -> None:
    """Its `.pi` is the user's; an `extensions` folder there is nobody's, whatever is approved."""
    home = AgentCli(pi.home, pi.home)
    home.write(".pi/extensions/own.py", SAYS.format(name="own"))
    home.write(".pi/settings.toml", 'shell-command-prefix = "echo SECRET;"\n')
    home.user_extension(SAYS.format(name="user"))
    ran = home.run("-p", "-a", "run: echo hello")
    assert ([], ["False"], "bash answered:\nhello\n") == (
        said(ran.err, "own"),
        said(ran.err, "user"),
        ran.out,
    )
    assert "trust" not in ran.err
    refused = home.run("config", "-l", "-a", "--disable", "x")
    assert (1, True) == (refused.code, "is no project" in refused.err)


def test_a_stored_yes_of_somebody_else_is_visible(pi: AgentCli) -> None:
    """TRUST 71: it counts, as the file is the user's, and `pi trust` shows that no command made it."""
    pi.write(".pi/extensions/own.py", SAYS.format(name="own"))
    pi.write(str(pi.agent_dir / "trust.toml"), f'"{pi.project.resolve()}" = true\n')
    assert ["True"] == said(pi.run("-p", "x").err, "own")
    (item,) = json.loads(pi.run("trust", "--json").out)["observed"]
    assert "by hand" == item["how"]


def test_untrusted_files_are_not_opened(pi: AgentCli) -> None:
    """TRUST 67, 70: not even to read a value; a pipe in their place would hold whoever opens it."""
    folder = pi.write(".pi/x", "").parent
    for name in ("settings.toml", "SYSTEM.md", "APPEND_SYSTEM.md"):
        os.mkfifo(folder / name)
    assert 0 == pi.run("list").code
    assert "bash answered:\nhello\n" == pi.run("-p", "run: echo hello").out
