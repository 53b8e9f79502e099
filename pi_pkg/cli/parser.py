"""The grammar of the package commands, one parser a command, built when that command is given.

Pure.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NoReturn, cast

from pi_pkg.access import Scopes
from pi_pkg.cli.call import CommandModule
from pi_pkg.cli.command import HelpAsked, PackageCommand, UsageError
from pi_pkg.cli.registry import COMMANDS

_LISTS: Final = ("sources", "build")
_FIELDS: Final = ("project", "user", "approve", "json", "dry_run", "yes", "all", "offline")


def canonical(word: str) -> str:
    """The first name of a command: `remove` for `uninstall`."""
    return next(name for name, module in COMMANDS.items() if module == COMMANDS[word])


def command_module(word: str) -> CommandModule:
    """The command behind a word."""
    return cast(CommandModule, import_module(f"pi_pkg.cli.{COMMANDS[word]}"))


def parse(argv: Sequence[str]) -> PackageCommand:
    """The command in a command line that begins with its word.

    Raises:
        UsageError: it has no meaning.
        HelpAsked: it asks for help.
    """
    parser = parser_of(argv[0])
    if any(word in {"-h", "--help"} for word in argv[1:]):
        raise HelpAsked(parser.format_help())
    found = parser.parse_args(argv[1:])
    known = vars(found)
    problem = known["check"](found) if "check" in known else None
    if problem is not None:
        parser.error(problem)
    fields: dict[str, Any] = {name: known[name] for name in _FIELDS if name in known}
    fields |= {name: tuple(known.get(name) or ()) for name in _LISTS}
    return PackageCommand(canonical(argv[0]), options=found, **fields)


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.format_usage().strip())


def parser_of(word: str) -> argparse.ArgumentParser:
    """The parser of a command, with the flags that all commands have."""
    module = command_module(word)
    parser = _Parser(
        prog=f"pi {canonical(word)}",
        description=module.ABOUT,
        epilog=module.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    parser.add_argument(
        "-a", "--approve", dest="approve", action="store_const", const=True, default=None,
        help="trust the project's files for this run",
    )  # fmt: skip
    parser.add_argument(
        "-na", "--no-approve", dest="approve", action="store_const", const=False,
        help="leave the project's files alone for this run",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def add_scope(parser: argparse.ArgumentParser) -> None:
    """`-l`, for commands that are about one scope."""
    parser.add_argument(
        "-l", "--local", dest="project", action="store_true", help="in the project instead of for the user"
    )


def add_scopes(parser: argparse.ArgumentParser) -> None:
    """`-l` and `--user`, for commands that are about all scopes unless told otherwise."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "-l", "--local", dest="project", action="store_true", help="only the packages of the project"
    )
    group.add_argument("--user", action="store_true", help="only the packages of the user")


def scopes_of(command: PackageCommand) -> Scopes:
    """What `add_scopes` was answered with."""
    return "project" if command.project else "user" if command.user else "both"


def add_caution(parser: argparse.ArgumentParser) -> None:
    """`--dry-run` and `--yes`, for commands that change something."""
    parser.add_argument("--dry-run", action="store_true", help="say what would happen and change nothing")
    parser.add_argument("--yes", action="store_true", help="answer every question with yes")


def add_build(parser: argparse.ArgumentParser) -> None:
    """`--build`, for commands that bring code here."""
    parser.add_argument(
        "--build", action="append", default=[], metavar="NAME",
        help="let this distribution be built from source, which runs code of it",
    )  # fmt: skip


def add_offline(parser: argparse.ArgumentParser) -> None:
    """`--offline`, for commands that look things up without having been told which."""
    parser.add_argument("--offline", action="store_true", help="look nothing up (also with PI_OFFLINE=1)")
