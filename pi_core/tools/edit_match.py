"""Replaces passages of a text that a model quotes, word for word or nearly.

Every passage must be there exactly once, and none may touch another; all are
looked up in the original. When one is not found word for word, the search for
all of them overlooks what models get wrong: typographic quotes, dashes and
blanks, compatibility characters, blanks at line ends. Lines that no edit touches
stay as they are, byte for byte.

Pure.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from hookspecs.values import dataclass
from pi_core.errors import ToolError
from pi_core.tools.line_text import LineText, parse_lines, with_plain_newlines, with_text
from pi_core.tools.text_file import BOM

EditProblem = Literal[
    "invalid_input", "file_unreadable", "empty_old_text", "not_found", "not_unique", "overlap", "no_change"
]
_LOOK_ALIKES: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)
_LINE_BLANKS: Final = (
    " \t\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u205f\u3000\ufeff"
)


class EditError(ToolError):
    """Edits that cannot be applied. Nothing was changed.

    `edits` are the 0-based numbers of the edits at fault, empty when there is only one or when it
    is nobody's fault; `count` is how often a passage occurs that should be there once.
    """

    def __init__(
        self, problem: EditProblem, message: str, *, edits: Sequence[int] = (), count: int | None = None
    ) -> None:
        super().__init__(message)
        self.problem: EditProblem = problem
        self.edits = tuple(edits)
        self.count = count


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: the passage as quoted, and what takes its place."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class _Span:
    """Where an edit applies in the searched text, and which edit it is."""

    start: int
    end: int
    new: str
    number: int


def apply_edits(content: str, edits: Sequence[Edit], path: str) -> str:
    """The content with all edits applied. A byte order mark and each line's ending are kept.

    Raises: EditError, with `path` in its text.
    """
    _refuse_empty(edits, path)
    mark, body = (BOM, content[1:]) if content.startswith(BOM) else ("", content)
    base = parse_lines(body)
    wanted = [Edit(with_plain_newlines(edit.old), with_plain_newlines(edit.new)) for edit in edits]
    searched = base if all(edit.old in base.text for edit in wanted) else _blurred(base)
    spans = _locate(base, searched, wanted, path)
    _refuse_overlap(spans, path)
    result = mark + _assemble(base, searched, spans)
    if result == content:
        raise EditError("no_change", f"The edits leave {path} as it is: old and new text are the same.")
    return result


def _refuse_empty(edits: Sequence[Edit], path: str) -> None:
    for number, edit in enumerate(edits):
        if not edit.old:
            at = _name(number, edits)
            raise EditError(
                "empty_old_text",
                f"{at} for {path} has an empty oldText; quote the passage to replace.",
                edits=_blame(number, edits),
            )


def _locate(base: LineText, searched: LineText, edits: Sequence[Edit], path: str) -> list[_Span]:
    """The place of every edit in the searched text, in the order of the places."""
    blurred = _blur(base.text)
    spans = []
    for number, edit in enumerate(edits):
        found = _find(searched.text, edit.old, word_for_word=searched is base)
        if found is None:
            raise EditError(
                "not_found",
                f"{_name(number, edits)}: its oldText is not in {path}. Quote the file exactly, "
                "blanks and newlines included.",
                edits=_blame(number, edits),
            )
        # Counted as the blurred search would, so that a passage with a near twin is refused.
        count = blurred.count(_blur(edit.old)) if _blur(edit.old) else base.text.count(edit.old)
        if count > 1:
            raise EditError(
                "not_unique",
                f"{_name(number, edits)}: its oldText is in {path} {count} times. Quote more of the "
                "lines around it, so that it is there once.",
                edits=_blame(number, edits),
                count=count,
            )
        spans.append(_Span(*found, edit.new, number))
    return sorted(spans, key=lambda span: span.start)


def _find(text: str, old: str, *, word_for_word: bool) -> tuple[int, int] | None:
    """The first place of a passage. A blurred one is tried with the blanks at its very end first."""
    forms = [old] if word_for_word else [_blur(old, keep_end=True), _blur(old)]
    for form in forms:
        start = text.find(form)
        if form and start >= 0:
            return start, start + len(form)
    return None


def _refuse_overlap(spans: Sequence[_Span], path: str) -> None:
    for one, other in pairwise(spans):
        if other.start < one.end:
            raise EditError(
                "overlap",
                f"edits[{one.number}] and edits[{other.number}] overlap in {path}. Make one edit of "
                "both, or quote passages that do not touch.",
                edits=(one.number, other.number),
            )


def _assemble(base: LineText, searched: LineText, spans: Sequence[_Span]) -> str:
    """Untouched lines from the base, touched ones from the searched text with their spans replaced."""
    parts: list[str] = []
    position = 0  # in the base: everything before it has been written
    for group in _grouped_by_lines(searched, spans):
        first = searched.line_at(group[0].start)
        end = _end_of_touched(searched, group[-1])
        parts.append(base.native(position, base.line_start(first)))
        parts.append(_replaced(searched, searched.line_start(first), end, group))
        at_end = end == len(searched.text)
        position = len(base.text) if at_end else base.line_start(searched.line_at(end))
    parts.append(base.native(position, len(base.text)))
    return "".join(parts)


def _grouped_by_lines(text: LineText, spans: Sequence[_Span]) -> list[list[_Span]]:
    """Spans that touch a line in common, together."""
    groups: list[list[_Span]] = []
    for span in spans:
        start = text.line_start(text.line_at(span.start))
        if groups and start < _end_of_touched(text, groups[-1][-1]):
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def _end_of_touched(text: LineText, span: _Span) -> int:
    """Where the first line after a span begins; a span that ends with a newline touches no more."""
    line = text.line_at(span.end)
    return span.end if text.line_start(line) == span.end else text.line_end(line)


def _replaced(text: LineText, start: int, end: int, spans: Sequence[_Span]) -> str:
    parts: list[str] = []
    for span in spans:
        parts.append(text.native(start, span.start))
        parts.append(span.new.replace("\n", text.ending_near(span.start)))
        start = span.end
    parts.append(text.native(start, end))
    return "".join(parts)


def _blurred(base: LineText) -> LineText:
    return with_text(_blur(base.text), base.endings)


def _blur(text: str, *, keep_end: bool = False) -> str:
    """The text without the differences that the search overlooks; the lines stay the same in number.

    `keep_end` keeps the blanks after the last line, where a quoted passage may go on in its line.
    """
    *lines, last = unicodedata.normalize("NFKC", text).split("\n")
    trimmed = [line.rstrip(_LINE_BLANKS) for line in lines]
    trimmed.append(last if keep_end else last.rstrip(_LINE_BLANKS))
    return "\n".join(trimmed).translate(_LOOK_ALIKES)


def _name(number: int, edits: Sequence[Edit]) -> str:
    return "The edit" if len(edits) == 1 else f"edits[{number}]"


def _blame(number: int, edits: Sequence[Edit]) -> tuple[int, ...]:
    return () if len(edits) == 1 else (number,)
