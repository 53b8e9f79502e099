"""`pi remove`: take packages out of the settings, then what was installed for them.

Touches: files (through the manager).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_pkg.cli.call import Call
from pi_pkg.cli.parser import add_caution, add_scope

if TYPE_CHECKING:
    import argparse

ABOUT: Final = "Take packages out of the settings and remove what was installed for them."
EXAMPLES: Final = """\
examples:
  pi remove pypi:NAME
  pi remove -l ./tools/my-extension
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources", nargs="+", metavar="SOURCE", help="a package as listed, or in another spelling"
    )
    add_scope(parser)
    add_caution(parser)


def run(call: Call) -> int:
    command = call.command
    report = call.manager.remove(command.sources, project=command.project, dry_run=command.dry_run)
    return call.output.report(command, report)
