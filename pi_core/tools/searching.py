"""Searches below a folder of this machine: names by a glob, lines by an expression.

Touches: files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import field
from itertools import islice
from typing import Final

from hookspecs.values import dataclass
from pi_core.abort import AbortSignal
from pi_core.tools.look_error import LookError
from pi_core.tools.text_file import decode_shown, encoding_of
from pi_core.tools.walk import Found, walk

MAX_SEARCHED_BYTES: Final = 256 * 1024 * 1024
"""A file is in memory while it is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindRequest:
    """Names below `folder` that match a glob; at most `limit` of them are wanted."""

    folder: str
    pattern: str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GrepRequest:
    """Lines of `path`, a file or everything below a folder, that match; `limit` counts matches.

    `pattern` is a regular expression, or a text if `literal`. `glob` chooses files, those that do not
    match it if it begins with `!`. `context` lines are wanted on both sides.
    """

    path: str
    pattern: str
    glob: str | None = None
    ignore_case: bool = False
    literal: bool = False
    context: int = 0
    limit: int


@dataclass(frozen=True, slots=True)
class GrepLine:
    """A line: the file below the folder, its number from 1, its text, and whether it matches."""

    name: str
    number: int
    text: str
    is_match: bool


@dataclass(slots=True)
class GrepFound:
    """The lines in the order in which they are shown, and whether there are more matches.

    `too_large` is how many files were left out for their size.
    """

    lines: list[GrepLine] = field(default_factory=list)
    more: bool = False
    too_large: int = 0


def may_take_for_ever(wanted: GrepRequest) -> bool:
    """Whether matching may take more than a moment a line: an expression that repeats something.

    Python's expressions go back and forth, and hold the whole program while they do.
    """
    return not wanted.literal and any(mark in wanted.pattern for mark in "*+{")


def find_here(wanted: FindRequest, signal: AbortSignal | None) -> list[str]:
    """Look on this machine. Raises: LookError, AbortedError."""
    matches = glob_matcher(wanted.pattern, smart_case=True)
    found = (_shown(entry) for entry in walk(wanted.folder, signal) if matches(entry.relative))
    return list(islice(found, wanted.limit))


def grep_here(wanted: GrepRequest, signal: AbortSignal | None) -> GrepFound:
    """Look on this machine. Raises: LookError, AbortedError."""
    search = _Grep(expression_of(wanted), wanted)
    chosen = file_filter(wanted.glob)
    for path, name in _files(wanted.path, chosen, signal):
        search.look_into(path, name)
        if search.found.more:
            break
    return search.found


def glob_matcher(pattern: str, *, smart_case: bool = False) -> Callable[[str], bool]:
    """Whether a relative path matches: with a slash in the pattern the whole path, else its last name.

    `smart_case`: a pattern in lower case matches any case. Raises: LookError.
    """
    from wcmatch import glob  # start-up time: compiles many expressions, and few sessions look for files

    flags = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.FORCEUNIX
    if smart_case and pattern == pattern.lower():
        flags |= glob.IGNORECASE
    whole = "/" in pattern
    cleaned = pattern.removeprefix("./").removeprefix("/")
    try:
        compiled = glob.compile(cleaned, flags=flags)
    except (ValueError, RecursionError) as error:
        raise LookError("bad_pattern", f"The pattern {pattern} is no glob: {error}.") from error
    return lambda path: bool(compiled.match(path if whole else path.rpartition("/")[2]))


def file_filter(pattern: str | None) -> Callable[[str], bool]:
    """Which files a search is for. Raises: LookError."""
    if not pattern:
        return lambda _: True
    if pattern.startswith("!"):
        unwanted = glob_matcher(pattern[1:])
        return lambda path: not unwanted(path)
    return glob_matcher(pattern)


def expression_of(wanted: GrepRequest) -> re.Pattern[str]:
    """The expression that lines are held against. Raises: LookError."""
    source = re.escape(wanted.pattern) if wanted.literal else wanted.pattern
    try:
        return re.compile(source, re.IGNORECASE if wanted.ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        message = f"The pattern {wanted.pattern} is no regular expression: {error}."
        raise LookError("bad_pattern", message) from error


@dataclass(slots=True)
class _Grep:
    """One search: what is wanted, and what was found so far."""

    expression: re.Pattern[str]
    wanted: GrepRequest
    found: GrepFound = field(default_factory=GrepFound)
    matches: int = 0

    def look_into(self, path: str, name: str) -> None:
        """Search one file; `name` is what it is called in the result."""
        if os.path.isfile(path) and os.path.getsize(path) > MAX_SEARCHED_BYTES:
            self.found.too_large += 1
            return
        text = _text_of(path)
        if text is None:
            return
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        hits: set[int] = set()
        for number, line in enumerate(lines):
            if self.expression.search(line.removesuffix("\r")) is None:
                continue
            if self.matches == self.wanted.limit:
                self.found.more = True
                break
            self.matches += 1
            hits.add(number)
        for number in _with_context(hits, self.wanted.context, len(lines)):
            line = lines[number].removesuffix("\r")
            self.found.lines.append(GrepLine(name, number + 1, line, number in hits))


def _files(path: str, wanted: Callable[[str], bool], signal: AbortSignal | None) -> Iterator[tuple[str, str]]:
    if not os.path.isdir(path):
        yield path, os.path.basename(path)
        return
    for entry in walk(path, signal):
        if not entry.is_dir and wanted(entry.relative):
            yield entry.path, entry.relative


def _text_of(path: str) -> str | None:
    """A file's text; None for one that cannot be read, that is no plain file, or that is binary."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    if encoding_of(data) == "utf-8" and b"\0" in data:
        return None
    return decode_shown(data)


def _with_context(hits: set[int], context: int, total: int) -> list[int]:
    """The numbers of the lines to show, each once."""
    shown = {n for hit in hits for n in range(max(0, hit - context), min(total, hit + context + 1))}
    return sorted(shown)


def _shown(entry: Found) -> str:
    return f"{entry.relative}/" if entry.is_dir else entry.relative
