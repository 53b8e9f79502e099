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


def _compile_positive(pattern: str) -> Predicate:
    if not _MAGIC.search(pattern):
        return pattern.__eq__
    if is_rich(pattern):
        return compile_rich(pattern)
    return compile_simple(pattern)


def compile_simple(pattern: str) -> Predicate:
    """The predicate of a glob whose only magic is `*`, `?` and `**` as a whole segment."""
    match = re.compile(_simple_regex(pattern.split("/"))).fullmatch
    return lambda path: match(path) is not None


def _simple_regex(segments: list[str]) -> str:
    parts: list[str] = []
    last = len(segments) - 1
    for position, segment in enumerate(segments):
        if segment == "**":
            if position < last:
                parts.append(r"(?:(?!\.)[^/]*/)*")  # an absolute path starts with an empty segment
            else:
                parts.append(r"(?!\.)[^/]*(?:/(?!\.)[^/]+)*")
            continue
        parts.append(_segment_regex(segment) + ("/" if position < last else ""))
    return "".join(parts)


def _segment_regex(segment: str) -> str:
    """A segment that starts with a wildcard matches no leading dot and never the empty name."""
    guard = r"(?!\.)(?=[^/])" if segment[:1] in ("*", "?") else ""
    return guard + "".join(_CHARACTER.get(char, re.escape(char)) for char in re.sub(r"\*+", "*", segment))


_CHARACTER: Final = {"*": "[^/]*", "?": "[^/]"}


def compile_rich(pattern: str) -> Predicate:
    """The predicate of any glob, by wcmatch."""
    from wcmatch import glob  # start-up time: 17 ms, and most globs are simple ones

    flags = glob.GLOBSTAR | glob.BRACE | glob.EXTGLOB | glob.CASE | glob.FORCEUNIX
    try:
        matcher = glob.compile(pattern, flags=flags)
    except Exception as problem:  # the library has no common error; the caller reports the pattern
        raise GlobError(f"{pattern!r} is no glob: {problem}") from problem
    return lambda path: bool(matcher.match(path))
