"""`pi list`: the packages in force and what they contribute.

Touches: files (through the manager).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_pkg.cli.call import Call
from pi_pkg.cli.output import DONE
from pi_pkg.cli.report import list_lines

if TYPE_CHECKING:
    import argparse

ABOUT: Final = "Show the packages in force and what they contribute."
EXAMPLES: Final = """\
examples:
  pi list
  pi list NAME --all --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", metavar="TEXT", help="show packages with this in their source")
    parser.add_argument("--all", action="store_true", help="show what is switched off, too")


def run(call: Call) -> int:
    """The packages, those with one of the given texts in their source if there are any."""
    command, output = call.command, call.output
    listing = call.manager.list()
    packages = [
        package
        for package in listing.packages
        if not command.sources
        or any(text in f"{package.source} {package.identity or ''}" for text in command.sources)
    ]
    if command.json:
        return output.document(command, (package.to_json() for package in packages), listing.diagnostics)
    for line in list_lines(packages, everything=command.all):
        output.say(line)
    output.warn_all(listing.diagnostics)
    return DONE
