"""Which of the candidates a list of patterns leaves on, and which pattern decided.

The reference's rules (§4.2, §4.3, §4.5): `glob` includes, `!glob` excludes, `+path` forces on, `-path` forces
off. The order of the list is irrelevant, except in a sparse entry (`autoload = false`), where the last
match wins.

Pure.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from pi_pkg.resources.conventions import SKILL_FILE
from pi_pkg.resources.globs import GlobError, Predicate, compile_glob
from pi_pkg.values import dataclass, field

Kind: TypeAlias = Literal["include", "exclude", "on", "off"]

_KINDS: Final[dict[str, Kind]] = {"!": "exclude", "+": "on", "-": "off"}


@dataclass(frozen=True, slots=True)
class Subject:
    """What patterns may call one candidate. A skill's folder stands for its `SKILL.md`."""

    exact: tuple[str, ...]
    """Names for `+` and `-`: relative and absolute path, of the skill folder too, and aliases."""
    names: tuple[str, ...]
    """Names for globs: the exact ones, and the bare names of the file and the skill folder."""

    @classmethod
    def of(cls, path: str, base: str, aliases: tuple[str, ...] = ()) -> Subject:
        """The names of an absolute path, relative ones from a base folder."""
        folder, bare = os.path.split(path)
        exact, names = [relative(path, base), slashed(path)], [bare]
        if bare == SKILL_FILE:
            exact += [relative(folder, base), slashed(folder)]
            names.append(os.path.basename(folder))
        return cls((*exact, *aliases), (*exact, *aliases, *names))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of one candidate. `pattern` decided it; None if no pattern spoke of it."""

    enabled: bool
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """One entry of a list."""

    text: str
    """As written."""
    kind: Kind
    body: str
    """Without its mark, `~` expanded; exact ones without a leading `./`."""
    predicate: Predicate | None = field(compare=False)
    """For globs; None for exact ones."""
    problem: str | None = None
    """Why the glob cannot be compiled; it then matches nothing."""

    def matches(self, subject: Subject) -> bool:
        """Whether it speaks of the candidate."""
        if self.predicate is None:
            return self.body in subject.exact
        return any(self.predicate(name) for name in subject.names)


class PatternList:
    """The patterns of one filter or list. It remembers which of them ever spoke of something."""

    __slots__ = ("_matched", "patterns")

    def __init__(self, texts: Iterable[str], *, home: str | None = None) -> None:
        """Patterns as written, in order; `home` stands for a leading `~`."""
        self.patterns = tuple(parse_pattern(text, home=home) for text in texts)
        self._matched: set[str] = set()

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with those that cannot be compiled, in order."""
        return tuple(pattern.problem for pattern in self.patterns if pattern.problem)

    def unmatched(self) -> tuple[str, ...]:
        """Patterns that spoke of nothing so far, in order."""
        texts = dict.fromkeys(pattern.text for pattern in self.patterns)
        return tuple(text for text in texts if text not in self._matched)

    def select(self, subject: Subject) -> Verdict:
        """The rule of filters: included (or no include given), not excluded, `+`, then `-`."""
        includes = self._of("include")
        verdict = Verdict(True)
        if includes:
            hit = self._last(includes, subject)
            verdict = Verdict(hit is not None, hit)
        return self.override(subject, verdict)

    def override(self, subject: Subject, verdict: Verdict) -> Verdict:
        """The rule of discovered files: as given, then excludes, `+`, `-`; plain globs do not count."""
        for kind in ("exclude", "on", "off"):
            hit = self._last(self._of(kind), subject)
            if hit is not None:
                verdict = Verdict(kind == "on", hit)
        return verdict

    def exclusion(self, subject: Subject) -> str | None:
        """The pattern that excludes it and that no `+` of the same list lifts; None if there is none."""
        verdict = self.override(subject, Verdict(True))
        return None if verdict.enabled else verdict.pattern

    def forces_on(self, subject: Subject) -> bool:
        """Whether a `+` names it and no `-` does."""
        hit = self._last(self._of("on"), subject)
        return hit is not None and self._last(self._of("off"), subject) is None

    def sparse(self, subjects: Sequence[Subject]) -> dict[int, Verdict]:
        """The rule of `autoload = false`: positions of the subjects spoken of, the last match deciding.

        In the order in which the patterns first spoke of them.
        """
        found: dict[int, Verdict] = {}
        for pattern in self.patterns:
            for position, subject in enumerate(subjects):
                if pattern.matches(subject):
                    self._matched.add(pattern.text)
                    found[position] = Verdict(pattern.kind in ("include", "on"), pattern.text)
        return found

    def _of(self, kind: str) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in self.patterns if pattern.kind == kind)

    def _last(self, patterns: Sequence[Pattern], subject: Subject) -> str | None:
        hits = [pattern.text for pattern in patterns if pattern.matches(subject)]
        self._matched.update(hits)
        return hits[-1] if hits else None


def parse_pattern(text: str, *, home: str | None = None) -> Pattern:
    """One entry, its mark split off."""
    kind = _KINDS.get(text[:1], "include")
    body = text if kind == "include" else text[1:]
    if home is not None and (body == "~" or body.startswith("~/")):
        body = posixpath.normpath(slashed(home) + body[1:])
    if kind in ("on", "off"):
        return Pattern(text, kind, slashed(body).removeprefix("./"), None)
    try:
        return Pattern(text, kind, body, compile_glob(body))
    except GlobError as problem:
        return Pattern(text, kind, body, lambda name: False, str(problem))


def slashed(path: str) -> str:
    """A path in `/` form."""
    return path if os.sep == "/" else path.replace(os.sep, "/")


def relative(path: str, base: str) -> str:
    """A path below or beside a folder, in `/` form; the path itself on another drive."""
    if path.startswith(base) and path[len(base) : len(base) + 1] == os.sep:
        return slashed(path[len(base) + 1 :])
    try:
        return slashed(os.path.relpath(path, base))
    except ValueError:  # another drive (Windows)
        return slashed(path)
