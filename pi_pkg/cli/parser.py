"""The grammar of the package commands, one parser a command, built when that command is given.

Pure.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final, NoReturn

from pi_pkg.cli.command import HelpAsked, PackageCommand, UsageError

CANONICAL: Final = {"uninstall": "remove"}
"""Second names of commands."""

_ABOUT: Final = {
    "install": "Install packages and add them to the settings.",
    "remove": "Take packages out of the settings and remove what was installed for them.",
    "list": "Show the packages in force and what they contribute.",
}
_SOURCES: Final = """\
sources:
  pypi:NAME, pypi:NAME@1.2.3, pypi:NAME@^1.2, pypi:NAME>=1,<2
  git:HOST/ORG/REPO[@REF][#subdirectory=PATH], https://…, ssh://…, github:ORG/REPO
  ./DIR, ../DIR, /DIR, ~/DIR, a .py file, a .whl
"""


def parse(argv: Sequence[str]) -> PackageCommand:
    """The command in a command line that begins with its word.

    Raises:
        UsageError: it has no meaning.
        HelpAsked: it asks for help.
    """
    name = CANONICAL.get(argv[0], argv[0])
    parser = _parser(name)
    if any(word in {"-h", "--help"} for word in argv[1:]):
        raise HelpAsked(parser.format_help())
    found = parser.parse_args(argv[1:])
    return PackageCommand(
        name=name,
        sources=tuple(found.sources),
        project=getattr(found, "project", False),
        approve=found.approve,
        json=found.json,
        dry_run=getattr(found, "dry_run", False),
        yes=getattr(found, "yes", False),
        all=getattr(found, "all", False),
        build=tuple(getattr(found, "build", ())),
    )


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.format_usage().strip())


def _parser(name: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"pi {name}",
        description=_ABOUT[name],
        epilog=_SOURCES if name == "install" else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if name == "list":
        _add_list(parser)
    else:
        _add_change(parser, name)
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


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", metavar="TEXT", help="show packages with this in their source")
    parser.add_argument("--all", action="store_true", help="show what is switched off, too")


def _add_change(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="a package, see below"
                        if name == "install" else "a package as listed, or in another spelling")  # fmt: skip
    parser.add_argument(
        "-l", "--local", dest="project", action="store_true", help="in the project instead of for the user"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would happen and change nothing")
    parser.add_argument("--yes", action="store_true", help="answer every question with yes")
    if name == "install":
        parser.add_argument(
            "--build", action="append", default=[], metavar="NAME",
            help="let this distribution be built from source, which runs code of it",
        )  # fmt: skip
