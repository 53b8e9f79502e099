"""Where a command speaks: observations on one stream, trouble on the other, or one JSON document.

Touches: standard output, standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TextIO

from pi_pkg.cli.command import PackageCommand
from pi_pkg.cli.report import as_diagnostic, detail_lines, diagnostic_lines, document, outcome_line, table
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import PackageError
from pi_pkg.shown import lines, without_credentials
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from pi_pkg.outcome import Report

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2


def _nothing() -> None:
    """Nothing is shown meanwhile."""


@dataclass(frozen=True, slots=True)
class Output:
    """The two streams of a command."""

    stdout: TextIO
    stderr: TextIO
    settle: Callable[[], None] = _nothing
    """Called before anything is written: takes the progress of long work off the terminal."""

    def say(self, line: str) -> None:
        """A line of what was observed."""
        self.settle()
        print(lines(line), file=self.stdout)

    def warn(self, line: str) -> None:
        """A line of what is wrong."""
        self.settle()
        print(lines(line), file=self.stderr)

    def warn_all(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            for line in diagnostic_lines(diagnostic):
                self.warn(line)

    def document(
        self,
        command: PackageCommand,
        observed: Iterable[dict[str, Any]],
        diagnostics: Iterable[Diagnostic] = (),
        *,
        ok: bool = True,
    ) -> int:
        """The one JSON document, and the exit code that goes with it."""
        self.settle()
        self.stdout.write(without_credentials(document(command.name, ok, list(observed), diagnostics)))
        return DONE if ok else FAILED

    def failed(self, command: PackageCommand, error: PackageError) -> int:
        """A command that could not do anything."""
        if command.json:
            return self.document(command, [], [as_diagnostic(error)], ok=False)
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
            return self.document(command, observed, [*report.diagnostics, *refusals], ok=report.ok)
        for outcome in report.outcomes:
            (self.say if outcome.ok else self.warn)(outcome_line(outcome))
            for line in detail_lines(outcome.error.detail if outcome.error else None):
                self.warn(line)
        self.warn_all(report.diagnostics)
        if len(report.outcomes) > 1 and not report.ok:
            for line in table(report.outcomes):
                self.say(line)
        return DONE if report.ok else FAILED
