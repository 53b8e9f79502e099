"""How a package entry of the settings narrows what its package offers.

Rules of packages.md §4.1 to §4.3 with one change: what there is to choose from never depends on whether
the entry is a string or an object.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import ResourceType
from pi_pkg.resources.collect import Candidate
from pi_pkg.resources.contents import Contents
from pi_pkg.resources.patterns import PatternList, Subject, Verdict
from pi_pkg.settings.model import PackageEntry
from pi_pkg.values import dataclass

NOT_INCLUDED = "no pattern includes it"


class Choice(NamedTuple):
    """One candidate with the state that a filter gives it; `rule` says why it is off."""

    candidate: Candidate
    enabled: bool
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """One package entry, and the file that holds it, which every rule names."""

    entry: PackageEntry
    settings_path: str
    home: str
    report: Callable[[Diagnostic], None]

    def choose(self, kind: ResourceType, contents: Contents) -> Iterator[Choice]:
        """The candidates of one type that the entry speaks of, on or off.

        All of them in their order; of a sparse entry (`autoload = false`) those that its patterns match, in
        the order of the patterns.
        """
        candidates = contents.offered.get(kind, ())
        texts = self.entry.patterns(kind)
        where = f"{self.settings_path}: {kind} of {self.entry.source!r}"
        if contents.is_file or (texts is None and self.entry.autoload):
            yield from (Choice(candidate, True) for candidate in candidates)
        elif texts:
            yield from self._matched(kind, PatternList(texts, home=self.home), contents, where)
        elif self.entry.autoload:
            yield from (Choice(candidate, False, f"{where} = []") for candidate in candidates)

    def _matched(
        self, kind: ResourceType, patterns: PatternList, contents: Contents, where: str
    ) -> Iterator[Choice]:
        candidates = contents.offered.get(kind, ())
        subjects = [subject_of(candidate, contents.base) for candidate in candidates]
        if self.entry.autoload:
            verdicts = {position: patterns.select(subject) for position, subject in enumerate(subjects)}
        else:
            verdicts = patterns.sparse(subjects)
        for position, verdict in verdicts.items():
            yield Choice(candidates[position], verdict.enabled, rule_of(verdict, where))
        report_patterns(patterns, where, self.settings_path, self.report)


def subject_of(candidate: Candidate, base: str) -> Subject:
    """What patterns may call a candidate, relative to its own import package or else to a base."""
    aliases = () if candidate.name is None else (candidate.name,)
    return Subject.of(candidate.spoken, candidate.base or base, aliases)


def rule_of(verdict: Verdict, where: str) -> str | None:
    """The sentence for a candidate that is off; None for one that is on."""
    if verdict.enabled:
        return None
    return f"{where}: {NOT_INCLUDED if verdict.pattern is None else repr(verdict.pattern)}"


def report_patterns(
    patterns: PatternList,
    where: str,
    path: str,
    report: Callable[[Diagnostic], None],
    hint: str | None = None,
) -> None:
    """Report the patterns that cannot be compiled and those that matched nothing."""
    for problem in patterns.problems:
        report(Diagnostic("warning", "pattern-invalid", "resolve", f"{where}: {problem}.", path=path))
    for text in patterns.unmatched():
        message = f"{where}: {text!r} matches nothing."
        report(Diagnostic("warning", "pattern-unmatched", "resolve", message, path=path, hint=hint))
