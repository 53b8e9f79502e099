"""What a module has to offer to be a command, and what it is handed for one run.

Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pi_pkg.cli.command import PackageCommand
from pi_pkg.cli.output import Output
from pi_pkg.manager import PackageManager
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    import argparse


@dataclass(frozen=True, slots=True)
class Call:
    """One run of a command: what was asked, and what it works with."""

    command: PackageCommand
    manager: PackageManager
    output: Output


class CommandModule(Protocol):
    """What a module of this folder has to offer to be a command; `COMMANDS` names it."""

    ABOUT: str
    """One sentence for its help."""
    EXAMPLES: str
    """Command lines for the end of its help, one a line."""

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """Add what it takes beside `--approve`, `--no-approve`, `--json` and `--help`. An argument whose
        `dest` is a field of `PackageCommand` fills that field; a default `check` is asked what is wrong
        with the whole, None for nothing."""

    @staticmethod
    def run(call: Call) -> int:
        """Do it and return the exit code. A PackageError that is raised becomes exit code 1."""
