"""What `pi --help` shows."""

from __future__ import annotations

import pytest

from pi_core.cli.commands import COMMANDS as OWN
from pi_core.cli.help import OWN_COMMANDS, PACKAGE_COMMANDS, WIDTH, help_text
from pi_core.cli.options import OPTIONS
from pi_core.extensions.registry import Registry
from pi_pkg.cli import COMMANDS
from tests.support.agent_cli import AgentCli

FLAGS = """
    def extension(pi):
        pi.register_flag("plan", type="boolean", description="plan first")
        pi.register_flag("lvl", type="string", default="low", description="how much")
    """


def test_every_option_and_command_is_there() -> None:
    """The help has a line for each option in all its spellings, and for each command."""
    text = help_text(Registry([]))
    assert all(name in text for option in OPTIONS for name in option.names)
    shown = [line.split()[0] for line, _ in (*PACKAGE_COMMANDS, *OWN_COMMANDS)]
    packages = {name for name in COMMANDS if name != "uninstall"}
    assert packages | set(OWN) == set(shown)
    assert "uninstall" in text


@pytest.mark.parametrize("width", [20, 80, WIDTH, 400])
def test_the_help_fits_a_terminal(width: int) -> None:
    """No line is wider than the terminal, between 60 and 100 columns, but the few of the head."""
    body = help_text(Registry([]), width).partition("commands:")[2]
    assert max(map(len, body.splitlines())) <= max(60, min(width, WIDTH))


def test_flags_of_extensions_are_grouped(pi: AgentCli) -> None:
    """Each extension with flags has a section with its name, its file, values and defaults."""
    first = pi.user_extension(FLAGS, "planner.py")
    pi.user_extension("def extension(pi): pi.register_flag('fast', type='boolean')", "quick.py")
    out = pi.run("--help").out
    section = out.partition(f"flags of planner ({first}):\n")[2].partition("\n\n")[0]
    assert ["--plan", "--lvl"] == [line.split()[0] for line in section.splitlines()]
    assert "how much (default: low)" in section
    assert "flags of quick (" in out


@pytest.mark.parametrize("command", [*COMMANDS, *OWN])
def test_every_command_has_a_help_of_its_own(pi: AgentCli, command: str) -> None:
    """`pi COMMAND --help` says how it is called and ends with 0."""
    ran = pi.run(command, "--help")
    assert (0, True) == (ran.code, ran.out.startswith("usage: pi "))
