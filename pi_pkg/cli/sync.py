"""`pi sync`: what the settings declare is there afterwards.

Touches: files, git, network (through the manager).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pi_pkg.cli.call import Call
from pi_pkg.cli.parser import add_build, add_caution, add_scopes, scopes_of

if TYPE_CHECKING:
    import argparse

ABOUT: Final = """\
Bring what is installed in line with the settings of the user and of a trusted project: build what is
missing, rebuild what another Python or another pi left behind, let go of what no settings name. Nothing
moves to a newer version."""
EXAMPLES: Final = """\
examples:
  pi sync
  pi sync -l --approve
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scopes(parser)
    add_caution(parser)
    add_build(parser)


def run(call: Call) -> int:
    command, output = call.command, call.output
    report = call.manager.sync(scopes=scopes_of(command), build=command.build, dry_run=command.dry_run)
    code = output.report(command, report)
    rebuilt = any(item.code == "scope-rebuilt" for item in report.diagnostics)
    if not report.outcomes and not rebuilt and not command.json:
        output.say("nothing to do: everything is as the settings say")
    return code
