"""Patterns held against candidates: what stays on, why the rest is off, and what never matched.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.resources.candidates import Candidate, Choice
from pi_pkg.resources.patterns import PatternList, Subject, Verdict

NOT_INCLUDED = "no pattern includes it"


class Matcher:
    """The patterns of one list. `where` names the file and the list in every rule and finding."""

    __slots__ = ("_patterns", "_where")

    def __init__(self, texts: Iterable[str], where: str, *, home: str) -> None:
        self._patterns = PatternList(texts, home=home)
        self._where = where

    def select(self, candidates: Iterable[Candidate], base: str) -> Iterator[Choice]:
        """The state of every candidate by the rule of filters (§4.2), in order."""
        for candidate in candidates:
            yield self._choice(candidate, self._patterns.select(subject_of(candidate, base)))

    def sparse(self, candidates: Sequence[Candidate], base: str) -> Iterator[Choice]:
        """The candidates that the patterns speak of (§4.3), in the order of the patterns."""
        subjects = [subject_of(candidate, base) for candidate in candidates]
        for position, verdict in self._patterns.sparse(subjects).items():
            yield self._choice(candidates[position], verdict)

    def override(self, candidates: Iterable[Candidate], base: str) -> Iterator[Choice]:
        """The state of discovered candidates (§4.5): on, unless a mark says otherwise; in order."""
        for candidate in candidates:
            verdict = self._patterns.override(subject_of(candidate, base), Verdict(True))
            yield self._choice(candidate, verdict)

    def exclusion(self, candidate: Candidate, base: str) -> str | None:
        """The rule by which the list excludes a candidate of another origin; None if it does not."""
        pattern = self._patterns.exclusion(Subject.of(candidate.spoken, base))
        return None if pattern is None else f"{self._where}: {pattern!r}"

    def forces_on(self, candidate: Candidate, base: str) -> bool:
        """Whether the list names a candidate by `+`, and by no `-`."""
        return self._patterns.forces_on(Subject.of(candidate.spoken, base))

    def report(self, path: str, report: Callable[[Diagnostic], None], hint: str | None = None) -> None:
        """Report the patterns that cannot be compiled and those that matched nothing so far."""
        for problem in self._patterns.problems:
            message = f"{self._where}: {problem}."
            report(Diagnostic("warning", "pattern-invalid", "resolve", message, path=path))
        for text in self._patterns.unmatched():
            message = f"{self._where}: {text!r} matches nothing."
            report(Diagnostic("warning", "pattern-unmatched", "resolve", message, path=path, hint=hint))

    def _choice(self, candidate: Candidate, verdict: Verdict) -> Choice:
        if verdict.enabled:
            return Choice(candidate, True)
        reason = NOT_INCLUDED if verdict.pattern is None else repr(verdict.pattern)
        return Choice(candidate, False, f"{self._where}: {reason}")


def subject_of(candidate: Candidate, base: str) -> Subject:
    """What patterns may call a candidate, relative to its own import package or else to a base."""
    aliases = () if candidate.name is None else (candidate.name,)
    return Subject.of(candidate.spoken, candidate.base or base, aliases)
