"""`pi update`: packages move to what their sources mean now.

Touches: files, git, network (through the manager).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_pkg.cli.call import Call
from pi_pkg.cli.parser import add_build, add_offline, add_scopes, scopes_of
from pi_pkg.cli.report import counted
from pi_pkg.errors import NoSuchPackage

if TYPE_CHECKING:
    import argparse

    from pi_pkg.outcome import Report

ABOUT: Final = """\
Update packages of the user and of a trusted project: version ranges and branches move to the newest they
allow, exact versions, tags and commits stay and it is said when there is something newer. pi itself is
updated by whatever installed it."""
EXAMPLES: Final = """\
examples:
  pi update
  pi update pypi:NAME git:github.com/ORG/REPO
  pi update --check --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources", nargs="*", metavar="SOURCE", help="only these; any version or ref in them is ignored"
    )
    parser.add_argument(
        "--check", "--dry-run", dest="dry_run", action="store_true", help="say what there is, change nothing"
    )
    parser.add_argument("--yes", action="store_true", help="answer every question with yes")
    add_scopes(parser)
    add_build(parser)
    add_offline(parser)


def run(call: Call) -> int:
    command, output = call.command, call.output
    report = call.manager.update(
        command.sources, scopes=scopes_of(command), check=command.dry_run, build=command.build
    )
    code = output.report(command, report)
    if not command.json and not any(item.code == "offline" for item in report.diagnostics):
        output.say(summary(report))
    return code


def summary(report: Report) -> str:
    """How many were looked at, and what became of them."""
    known = [outcome for outcome in report.outcomes if not isinstance(outcome.error, NoSuchPackage)]
    found = {did: sum(outcome.did == did for outcome in known) for did in _COUNTED}
    parts = [f"{number} {word}" for did, word in _COUNTED.items() if (number := found[did])]
    return f"examined {counted(len(known))}" + (f": {', '.join(parts)}" if parts else "")


_COUNTED: Final = {
    "updated": "updated",
    "installed": "installed",
    "planned": "to update",
    "unchanged": "unchanged",
    "refused": "refused",
}
