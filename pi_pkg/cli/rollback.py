"""`pi rollback`: a scope goes back to what it was before, and its settings with it.

Touches: files (through the manager).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pi_pkg.cli.call import Call
from pi_pkg.cli.output import DONE
from pi_pkg.cli.parser import add_caution, add_scope

if TYPE_CHECKING:
    import argparse

    from pi_pkg.changes.rollback import Kept

ABOUT: Final = """\
Go back to the packages that were in force before the latest change, or to a kept generation. The settings
are changed with it, as little as that takes. Code that is used in place, such as a folder, stays as it is."""
EXAMPLES: Final = """\
examples:
  pi rollback
  pi rollback --list
  pi rollback 12
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "generation", nargs="?", metavar="GENERATION", help="name or number; by default the one before"
    )
    parser.add_argument("--list", dest="listing", action="store_true", help="show the kept generations")
    add_scope(parser)
    add_caution(parser)


def run(call: Call) -> int:
    command, output = call.command, call.output
    if command.options.listing:
        found = call.manager.generations(project=command.project)
        if command.json:
            return output.document(command, map(_item, found))
        for line in _lines(found):
            output.say(line)
        return DONE
    report = call.manager.rollback(
        command.options.generation, project=command.project, dry_run=command.dry_run
    )
    code = output.report(command, report)
    if not command.json and not command.dry_run:
        now = next((one for one in call.manager.generations(project=command.project) if one.in_force), None)
        output.say(f"in force: {now.index.generation if now else 'nothing'}")
    return code


def _lines(found: Sequence[Kept]) -> Iterator[str]:
    from pi_pkg.changes.scope import shown_version  # start-up time: help needs no generation

    if not found:
        yield "No generations are kept."
    for one in found:
        marks = ["in force"] if one.in_force else []
        marks += [] if one.usable else [f"for {one.index.python_tag}"]
        rows = ((item.source, shown_version(item)) for item in one.index.packages)
        packages = ", ".join(f"{source} {version}" if version else source for source, version in rows)
        yield f"{one.index.generation}  {_when(one.built)}  {packages or 'no packages'}" + (
            f"  ({', '.join(marks)})" if marks else ""
        )


def _item(one: Kept) -> dict[str, Any]:
    return {
        "generation": one.index.generation,
        "built": _when(one.built),
        "in_force": one.in_force,
        "usable": one.usable,
        "packages": [
            {"source": item.source, "identity": item.identity, "version": item.version, "commit": item.commit}
            for item in one.index.packages
        ],
    }


def _when(seconds: float) -> str:
    from datetime import UTC, datetime  # start-up time: no other command tells the time

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
