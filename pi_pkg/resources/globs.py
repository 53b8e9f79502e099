"""One glob as a predicate over `/` paths: `*` stays in a segment, dots at a segment's start are explicit.

Plain names and globs of `*`, `?` and `**` are compiled here; braces, classes and extended globs go to
wcmatch, which is imported for them only.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

Predicate: TypeAlias = Callable[[str], bool]

_MAGIC: Final = re.compile(r"[*?\[\]{}\\]|[@+!]\(")
MOST_WILDCARDS: Final = 6
"""`*`, `?` runs and extended groups that a glob with braces or classes may hold."""
_WILDCARD: Final = re.compile(r"\*+|[?@+!]\(")
_RICH: Final = re.compile(r"[\[\]{}\\]|[@+!*?]\(")


class GlobError(ValueError):
    """A glob that cannot be compiled; the text says why."""


def is_rich(pattern: str) -> bool:
    """Whether a glob uses more than `*`, `?` and `**`."""
    return _RICH.search(pattern) is not None


def compile_glob(pattern: str) -> Predicate:
    """The predicate of one glob.

    A leading `#` matches nothing and each leading `!` negates, as in the shell library this follows.

    Raises:
        GlobError: braces that expand without end, or a malformed class.
    """
    if pattern.startswith("#"):
        return _never
    positive = pattern.lstrip("!")
    negations = len(pattern) - len(positive)
    if negations and positive.startswith("("):
        positive, negations = "!" + positive, negations - 1
    matches = _compile_positive(positive)
    return _negated(matches) if negations % 2 else matches


def _never(path: str) -> bool:
    return False


def _negated(matches: Predicate) -> Predicate:
    return lambda path: not matches(path)


def is_name(pattern: str) -> bool:
    """Whether a pattern has no magic at all: it matches the one path that it spells."""
    return pattern[:1] not in ("#", "!") and _MAGIC.search(pattern) is None


def _compile_positive(pattern: str) -> Predicate:
    if not _MAGIC.search(pattern):
        return pattern.__eq__
    if is_rich(pattern):
        return compile_rich(pattern)
    return compile_simple(pattern)


def compile_simple(pattern: str) -> Predicate:
    """The predicate of a glob whose only magic is `*`, `?` and `**` as a whole segment.

    Its cost grows with the lengths of glob and path and no faster: of several wildcards each but the last
    takes as little as it can and is never asked again.
    """
    match = re.compile(_simple_regex(pattern.split("/"))).fullmatch
    return lambda path: match(path) is not None


def _simple_regex(segments: list[str]) -> str:
    """Runs of plain segments between `**`; all but the last run are matched where they first fit."""
    runs: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            runs.append([])
        else:
            runs[-1].append(_segment_regex(segment))
    if len(runs) == 1:
        return "/".join(runs[0])
    head, *middle, tail = runs
    parts = ["".join(f"{segment}/" for segment in head)]
    parts += [f"(?>(?:{_ANY}/)*?{'/'.join(run)}/)" for run in middle if run]
    if tail:
        parts.append(rf"(?:{_ANY}/)*{'/'.join(tail)}")  # an absolute path starts with an empty segment
    else:
        parts.append(r"(?!\.)[^/]*(?:/(?!\.)[^/]+)*")
    return "".join(parts)


def _segment_regex(segment: str) -> str:
    """A segment that starts with a wildcard matches no leading dot and never the empty name."""
    guard = r"(?!\.)(?=[^/])" if segment[:1] in ("*", "?") else ""
    first, *rest = (re.sub(r"(\\\?)", "[^/]", re.escape(part)) for part in re.split(r"\*+", segment))
    if not rest:
        return guard + first
    *middle, last = rest
    return guard + first + "".join(f"(?>[^/]*?{part})" for part in middle) + f"[^/]*{last}"


_ANY: Final = r"(?!\.)[^/]*"
"""Any one segment that `**` may span."""


def compile_rich(pattern: str) -> Predicate:
    """The predicate of any glob, by wcmatch.

    Raises:
        GlobError: it cannot be compiled, or has so many wildcards that matching could take for ever.
    """
    check_wildcards(pattern)
    from wcmatch import glob  # start-up time: 17 ms, and most globs are simple ones

    flags = glob.GLOBSTAR | glob.BRACE | glob.EXTGLOB | glob.CASE | glob.FORCEUNIX
    try:
        matcher = glob.compile(pattern, flags=flags)
    except Exception as problem:  # the library has no common error; the caller reports the pattern
        raise GlobError(f"{pattern[:80]!r} is no glob: {problem}") from problem
    return lambda path: bool(matcher.match(path))


def check_wildcards(pattern: str) -> None:
    """Refuse what a backtracking matcher could spend its life on.

    Raises:
        GlobError: more wildcards than anybody writes.
    """
    if len(_WILDCARD.findall(pattern)) > MOST_WILDCARDS:
        raise GlobError(f"{pattern[:80]!r} has more than {MOST_WILDCARDS} wildcards beside braces or classes")
