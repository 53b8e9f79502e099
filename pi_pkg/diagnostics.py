"""What is wrong with a package, an extension or a file, as a value that is collected and shown.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from pi_pkg.shown import lines, one_line
from pi_pkg.values import dataclass

Severity: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding; equal findings are one finding.

    What is wrong with a *request* is an error (`pi_pkg.errors`), not a diagnostic.
    """

    severity: Severity
    """How bad it is: an error left something out, a warning changed something, an info is for reading."""
    code: str
    """Stable kebab-case name, listed in the documentation."""
    stage: str
    """Station of the route that found it: `settings`, `trust`, `install`, `resolve`, `load`, …"""
    message: str
    """One sentence: what was found and what it means."""
    source: str | None = None
    """Package source as configured, where one is concerned."""
    scope: str | None = None
    """Scope as in `Provenance`, where one is concerned."""
    path: str | None = None
    """File concerned."""
    hint: str | None = None
    """What to do about it."""
    detail: str | None = None
    """More than a sentence: a traceback, a tool's output. Not part of the JSON form when None."""

    def public(self) -> Diagnostic:
        """The finding as it may be shown: without user and password of any address in it, and without
        anything that moves a terminal."""
        told = [self.message, self.source, self.path, self.hint]
        message, source, path, hint = (text and one_line(text) for text in told)
        detail = self.detail and lines(self.detail)
        if [message, source, path, hint, detail] == [*told, self.detail]:
            return self
        return Diagnostic(
            self.severity, self.code, self.stage, message or "", source, self.scope, path, hint, detail
        )

    def to_json(self) -> dict[str, str | None]:
        """The wire form; keys in the documented order, `detail` only when there is one."""
        document: dict[str, str | None] = {
            "severity": self.severity,
            "code": self.code,
            "stage": self.stage,
            "source": self.source,
            "scope": self.scope,
            "path": self.path,
            "message": self.message,
            "hint": self.hint,
        }
        if self.detail is not None:
            document["detail"] = self.detail
        return document


def distinct(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings in order, each once."""
    return tuple(dict.fromkeys(diagnostics))
