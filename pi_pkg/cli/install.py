"""`pi install`: bring packages in and declare them.

Touches: files, git, network (through the manager).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_pkg.cli.call import Call
from pi_pkg.cli.parser import add_build, add_caution, add_scope

if TYPE_CHECKING:
    import argparse

ABOUT: Final = "Install packages and add them to the settings."
EXAMPLES: Final = """\
sources:
  pypi:NAME, pypi:NAME@1.2.3, pypi:NAME@^1.2, pypi:NAME>=1,<2
  git:HOST/ORG/REPO[@REF][#subdirectory=PATH], https://…, ssh://…, github:ORG/REPO
  ./DIR, ../DIR, /DIR, ~/DIR, a .py file, a .whl

examples:
  pi install pypi:NAME@^1.2 git:github.com/ORG/REPO@v1
  pi install -l ./tools/my-extension
  pi install -r requirements.txt --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="a package, see below")
    parser.add_argument(
        "-r", "--requirement", dest="requirements", action="append", default=[], metavar="FILE",
        help="also what this requirements file lists",
    )  # fmt: skip
    parser.set_defaults(check=_missing)
    add_scope(parser)
    add_caution(parser)
    add_build(parser)


def _missing(found: argparse.Namespace) -> str | None:
    """What is wrong with a command line that names nothing."""
    return None if found.sources or found.requirements else "the following arguments are required: SOURCE"


def run(call: Call) -> int:
    command = call.command
    listed = call.manager.listed_in(command.options.requirements)
    report = call.manager.install(
        [*command.sources, *listed], project=command.project, build=command.build, dry_run=command.dry_run
    )
    return call.output.report(command, report)
