"""Patterns held against candidates: what stays on, why the rest is off, and what never matched.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.resources.candidates import Candidate, Choice
from pi_pkg.resources.marks import is_marked, quoted
from pi_pkg.resources.patterns import PatternList, Subject, Verdict

NOT_INCLUDED: Final = "no pattern includes it"
MOST_TOLD: Final = 20
"""Findings of one kind about one list that are reported one by one."""
MOST_NAMES: Final = 500
"""Names that are looked through for one that was meant."""


class Matcher:
    """The patterns of one list. `where` names the file and the list in every rule and finding."""

    __slots__ = ("_names", "_patterns", "_where")

    def __init__(self, texts: Iterable[str], where: str, *, home: str) -> None:
        self._patterns = PatternList(texts, home=home)
        self._where = where
        self._names: dict[str, None] = {}
        """What the candidates so far may be called, in order."""

    def select(self, candidates: Iterable[Candidate], base: str) -> Iterator[Choice]:
        """The state of every candidate by the rule of filters (§4.2), in order."""
        for candidate in candidates:
            yield self._choice(candidate, self._patterns.select(self._subject(candidate, base)))

    def sparse(self, candidates: Sequence[Candidate], base: str) -> Iterator[Choice]:
        """The candidates that the patterns speak of (§4.3), in the order of the patterns."""
        subjects = [self._subject(candidate, base) for candidate in candidates]
        for position, verdict in self._patterns.sparse(subjects).items():
            yield self._choice(candidates[position], verdict)

    def override(self, candidates: Iterable[Candidate], base: str) -> Iterator[Choice]:
        """The state of discovered candidates (§4.5): on, unless a mark says otherwise; in order."""
        for candidate in candidates:
            verdict = self._patterns.override(self._subject(candidate, base), Verdict(True))
            yield self._choice(candidate, verdict)

    def exclusion(self, candidate: Candidate, base: str) -> str | None:
        """The rule by which the list excludes a candidate of another origin; None if it does not."""
        pattern = self._patterns.exclusion(Subject.of(candidate.spoken, base))
        return None if pattern is None else f"{self._where}: {quoted(pattern)}"

    def forces_on(self, candidate: Candidate, base: str) -> bool:
        """Whether the list names a candidate by `+`, and by no `-`."""
        return self._patterns.forces_on(Subject.of(candidate.spoken, base))

    def report(self, path: str, report: Callable[[Diagnostic], None], hint: str | None = None) -> None:
        """Report the patterns that cannot be compiled and those that matched nothing so far."""
        invalid = [f"{self._where}: {problem}." for problem in self._patterns.problems]
        unmatched = self._patterns.unmatched()
        for message in _first(invalid, f"{self._where}: {{}} more that are no globs."):
            report(Diagnostic("warning", "pattern-invalid", "resolve", message, path=path))
        said = [f"{self._where}: {quoted(text)} matches nothing." for text in unmatched]
        for number, message in enumerate(_first(said, f"{self._where}: {{}} more that match nothing.")):
            near = self._near(unmatched[number]) if number < MOST_TOLD else None
            advice = hint if near is None else f"Did you mean {near!r}?"
            report(Diagnostic("warning", "pattern-unmatched", "resolve", message, path=path, hint=advice))

    def _near(self, text: str) -> str | None:
        """The nearest name of what the patterns were held against."""
        from difflib import get_close_matches  # start-up time: only for a pattern that matches nothing

        mark = text[:1] if is_marked(text) else ""
        names = [name for name in self._names if not name.startswith("/")]
        near = get_close_matches(text.removeprefix(mark), names[:MOST_NAMES], 1)
        return f"{mark}{near[0]}" if near else None

    def _subject(self, candidate: Candidate, base: str) -> Subject:
        subject = subject_of(candidate, base)
        self._names.update(dict.fromkeys(subject.names))
        return subject

    def _choice(self, candidate: Candidate, verdict: Verdict) -> Choice:
        if verdict.enabled:
            return Choice(candidate, True)
        reason = NOT_INCLUDED if verdict.pattern is None else quoted(verdict.pattern)
        return Choice(candidate, False, f"{self._where}: {reason}")


def subject_of(candidate: Candidate, base: str) -> Subject:
    """What patterns may call a candidate, relative to its own import package or else to a base."""
    aliases = () if candidate.name is None else (candidate.name,)
    return Subject.of(candidate.spoken, candidate.base or base, aliases)


def _first(messages: list[str], rest: str) -> list[str]:
    """The first messages, and one that says how many there were beside them."""
    more = len(messages) - MOST_TOLD
    return messages if more <= 0 else [*messages[:MOST_TOLD], rest.format(more)]
