"""From a command line to what was observed: parse, let the manager act, write the report.

Touches: files, git, network, standard output, standard error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from pi_pkg.cli.command import HelpAsked, PackageCommand, UsageError, plain_list
from pi_pkg.cli.report import (
    as_diagnostic,
    detail_lines,
    diagnostic_lines,
    document,
    list_lines,
    outcome_line,
    table,
)
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import PackageError
from pi_pkg.locations import Locations
from pi_pkg.manager import PackageManager
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from pi_pkg.listed import Listing
    from pi_pkg.outcome import Report

DONE, FAILED, USAGE = 0, 1, 2


def run(
    argv: Sequence[str],
    *,
    locations: Locations,
    environ: Mapping[str, str],
    stdout: TextIO,
    stderr: TextIO,
) -> int:
    """Run one package command and return its exit code."""
    output = _Output(stdout, stderr)
    try:
        command = plain_list(argv) or _parsed(argv)
    except HelpAsked as help_asked:
        output.say(str(help_asked).rstrip("\n"))
        return DONE
    except UsageError as error:
        output.warn(f"pi {argv[0]}: {error}")
        output.warn(error.usage)
        return USAGE
    progress = output.warn if stderr.isatty() and not command.json else _quiet
    manager = PackageManager(locations, environ, command.approve, progress)
    try:
        return _run(command, manager, output)
    except PackageError as error:
        return output.failed(command, error)


def _parsed(argv: Sequence[str]) -> PackageCommand:
    from pi_pkg.cli.parser import parse  # start-up time: a plain `pi list` needs none

    return parse(argv)


def _quiet(message: str) -> None:
    """Progress is for people at a terminal."""


def _run(command: PackageCommand, manager: PackageManager, output: _Output) -> int:
    match command.name:
        case "install":
            report = manager.install(
                command.sources, project=command.project, build=command.build, dry_run=command.dry_run
            )
            return output.report(command, report)
        case "remove":
            report = manager.remove(command.sources, project=command.project, dry_run=command.dry_run)
            return output.report(command, report)
        case _:
            return output.listing(command, manager.list())


@dataclass(frozen=True, slots=True)
class _Output:
    """Where a command speaks: observations on one stream, trouble on the other."""

    stdout: TextIO
    stderr: TextIO

    def say(self, line: str) -> None:
        print(line, file=self.stdout)

    def warn(self, line: str) -> None:
        print(line, file=self.stderr)

    def warn_all(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            for line in diagnostic_lines(diagnostic):
                self.warn(line)

    def failed(self, command: PackageCommand, error: PackageError) -> int:
        """A command that could not do anything."""
        if command.json:
            self.stdout.write(document(command.name, False, [], [as_diagnostic(error)]))
            return FAILED
        self.warn(f"{'failed' if command.name == 'list' else 'refused'}: {error}")
        for line in detail_lines(error.detail):
            self.warn(line)
        return FAILED

    def report(self, command: PackageCommand, report: Report) -> int:
        """What happened to each source; the refused ones go to the error stream."""
        if command.json:
            refusals = [
                as_diagnostic(outcome.error, source=outcome.asked, scope=outcome.scope)
                for outcome in report.outcomes
                if outcome.error is not None
            ]
            observed = [outcome.to_json() for outcome in report.outcomes]
            self.stdout.write(document(command.name, report.ok, observed, [*report.diagnostics, *refusals]))
            return DONE if report.ok else FAILED
        for outcome in report.outcomes:
            (self.say if outcome.ok else self.warn)(outcome_line(outcome))
            for line in detail_lines(outcome.error.detail if outcome.error else None):
                self.warn(line)
        self.warn_all(report.diagnostics)
        if len(report.outcomes) > 1 and not report.ok:
            for line in table(report.outcomes):
                self.say(line)
        return DONE if report.ok else FAILED

    def listing(self, command: PackageCommand, listing: Listing) -> int:
        """The packages, those with one of the given texts in their source if there are any."""
        packages = [
            package
            for package in listing.packages
            if not command.sources
            or any(text in f"{package.source} {package.identity or ''}" for text in command.sources)
        ]
        if command.json:
            observed = [package.to_json() for package in packages]
            self.stdout.write(document("list", True, observed, listing.diagnostics))
            return DONE
        for line in list_lines(packages, everything=command.all):
            self.say(line)
        self.warn_all(listing.diagnostics)
        return DONE
