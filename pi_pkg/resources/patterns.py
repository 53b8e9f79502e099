"""Which of the candidates a list of patterns leaves on, and which pattern decided.

The reference's rules (§4.2, §4.3, §4.5): `glob` includes, `!glob` excludes, `+path` forces on, `-path` forces
off, and the latter two take globs as well. The order of the list is irrelevant, except in a sparse entry
(`autoload = false`), where the last match wins.

Pure.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from pi_pkg.resources.conventions import SKILL_FILE
from pi_pkg.resources.globs import GlobError, Predicate, compile_glob, is_name
from pi_pkg.resources.marks import has_magic
from pi_pkg.values import dataclass, field

Kind: TypeAlias = Literal["include", "exclude", "on", "off"]

_KINDS: Final[dict[str, Kind]] = {"!": "exclude", "+": "on", "-": "off"}
_EVERY_KIND: Final[tuple[Kind, ...]] = ("include", "exclude", "on", "off")
_MARKED: Final[tuple[Kind, ...]] = ("exclude", "on", "off")
"""In the order in which they count."""


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
    """Without its mark, `~` expanded; `+` and `-` without a leading `./`."""
    predicate: Predicate | None = field(compare=False)
    """For globs; None for what is a name."""
    problem: str | None = None
    """Why the glob cannot be compiled; it then matches nothing."""

    @property
    def is_exact(self) -> bool:
        """Whether, as a name, it is held against paths only, not against bare names."""
        return self.kind in ("on", "off")

    def matches(self, subject: Subject) -> bool:
        """Whether it speaks of the candidate."""
        if self.body in (subject.exact if self.is_exact else subject.names) and self._is_literal:
            return True
        return self.predicate is not None and any(map(self.predicate, subject.names))

    @property
    def _is_literal(self) -> bool:
        return self.predicate is None or self.is_exact


class _Group:
    """The patterns of one kind, names in a table, so that thousands of them cost no more than a few."""

    __slots__ = ("globs", "literals", "of_paths")

    def __init__(self, patterns: Sequence[Pattern], kind: Kind) -> None:
        self.of_paths = kind in ("on", "off")
        """Names are held against paths only."""
        self.literals: dict[str, list[tuple[int, str]]] = {}
        self.globs: list[tuple[int, str, Predicate]] = []
        for number, pattern in enumerate(patterns):
            if pattern.kind != kind:
                continue
            if pattern.predicate is None or pattern.is_exact:
                self.literals.setdefault(pattern.body, []).append((number, pattern.text))
            if pattern.predicate is not None:
                self.globs.append((number, pattern.text, pattern.predicate))

    def __bool__(self) -> bool:
        return bool(self.literals or self.globs)

    def hits(self, subject: Subject) -> list[tuple[int, str]]:
        """Places and texts of the patterns that speak of a candidate, in any order."""
        found: list[tuple[int, str]] = []
        if self.literals:
            for name in dict.fromkeys(subject.exact if self.of_paths else subject.names):
                found += self.literals.get(name, ())
        for number, text, predicate in self.globs:
            if any(map(predicate, subject.names)):
                found.append((number, text))
        return found


class PatternList:
    """The patterns of one filter or list. It remembers which of them ever spoke of something."""

    __slots__ = ("_groups", "_matched", "patterns")

    def __init__(self, texts: Iterable[str], *, home: str | None = None) -> None:
        """Patterns as written, in order; `home` stands for a leading `~`."""
        self.patterns = tuple(parse_pattern(text, home=home) for text in texts)
        self._groups: dict[Kind, _Group] = {kind: _Group(self.patterns, kind) for kind in _EVERY_KIND}
        self._matched: set[str] = set()

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with those that cannot be compiled, in order."""
        return tuple(pattern.problem for pattern in self.patterns if pattern.problem)

    def unmatched(self) -> tuple[str, ...]:
        """Patterns that can be compiled and spoke of nothing so far, in order."""
        texts = dict.fromkeys(pattern.text for pattern in self.patterns if not pattern.problem)
        return tuple(text for text in texts if text not in self._matched)

    def select(self, subject: Subject) -> Verdict:
        """The rule of filters: included (or no include given), not excluded, `+`, then `-`."""
        verdict = Verdict(True)
        if self._groups["include"]:
            hit = self._last("include", subject)
            verdict = Verdict(hit is not None, hit)
        return self.override(subject, verdict)

    def override(self, subject: Subject, verdict: Verdict) -> Verdict:
        """The rule of discovered files: as given, then excludes, `+`, `-`; plain globs do not count."""
        for kind in _MARKED:
            hit = self._last(kind, subject)
            if hit is not None:
                verdict = Verdict(kind == "on", hit)
        return verdict

    def exclusion(self, subject: Subject) -> str | None:
        """The pattern that excludes it and that no `+` of the same list lifts; None if there is none."""
        verdict = self.override(subject, Verdict(True))
        return None if verdict.enabled else verdict.pattern

    def forces_on(self, subject: Subject) -> bool:
        """Whether a `+` names it and no `-` does."""
        hit = self._last("on", subject)
        return hit is not None and self._last("off", subject) is None

    def sparse(self, subjects: Sequence[Subject]) -> dict[int, Verdict]:
        """The rule of `autoload = false`: positions of the subjects spoken of, the last match deciding.

        In the order in which the patterns first spoke of them.
        """
        spoken = sorted(
            (number, position, text)
            for position, subject in enumerate(subjects)
            for group in self._groups.values()
            for number, text in group.hits(subject)
        )
        found: dict[int, Verdict] = {}
        for number, position, text in spoken:
            self._matched.add(text)
            found[position] = Verdict(self.patterns[number].kind in ("include", "on"), text)
        return found

    def _last(self, kind: Kind, subject: Subject) -> str | None:
        """The last pattern of a kind that speaks of the candidate."""
        group = self._groups[kind]
        hits = group.hits(subject) if group else ()
        self._matched.update(text for _, text in hits)
        return max(hits)[1] if hits else None


def parse_pattern(text: str, *, home: str | None = None) -> Pattern:
    """One entry, its mark split off. A name behind `+` or `-` is a glob too if it holds a `*` or `?`."""
    kind = _KINDS.get(text[:1], "include")
    body = text if kind == "include" else text[1:]
    if home is not None and (body == "~" or body.startswith("~/")):
        body = posixpath.normpath(slashed(home) + body[1:])
    if kind in ("on", "off"):
        body = slashed(body).removeprefix("./")
        if not has_magic(body):
            return Pattern(text, kind, body, None)
    elif is_name(body):
        return Pattern(text, kind, body, None)
    try:
        return Pattern(text, kind, body, compile_glob(body))
    except GlobError as problem:
        return Pattern(text, kind, body, _nothing, str(problem))


def _nothing(name: str) -> bool:
    return False


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
