"""What an edit changed, in two forms: numbered lines for people, a unified patch for programs.

Pure.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any, Final

from hookspecs.values import dataclass
from pi_core.tools.line_text import with_plain_newlines
from pi_core.tools.text_file import BOM
from pi_core.utf16 import well_formed

CONTEXT_LINES: Final = 4
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between two texts. `first_changed_line` counts the new text's lines from 1."""

    diff: str
    patch: str
    first_changed_line: int

    def to_details(self) -> dict[str, Any]:
        """The wire form that the edit tool's result carries in its details."""
        return {"diff": self.diff, "patch": self.patch, "firstChangedLine": self.first_changed_line}


def describe_change(old: str, new: str, path: str) -> Change:
    """The change from one text to another that differs from it; line endings do not count."""
    before, after = _lines(old), _lines(new)
    first = _common_start(before, after)
    # Only what differs is compared: two long texts with one changed line cost next to nothing.
    last = _common_start(before[first:][::-1], after[first:][::-1])
    middle = difflib.SequenceMatcher(
        None, before[first : len(before) - last], after[first : len(after) - last], autojunk=False
    )
    steps = [("equal", 0, first, 0, first)] if first else []
    steps += [(tag, a + first, b + first, c + first, d + first) for tag, a, b, c, d in middle.get_opcodes()]
    if last:
        steps.append(("equal", len(before) - last, len(before), len(after) - last, len(after)))
    hunks = list(_hunks(steps))
    return Change(
        well_formed("\n".join(_numbered(hunks, before, after))),
        well_formed("".join(_patch(hunks, before, after, path))),
        first + 1,
    )


_Step = tuple[str, int, int, int, int]


def _hunks(steps: list[_Step]) -> Iterator[list[_Step]]:
    """Steps in groups with a few unchanged lines around each, as a patch shows them."""
    group: list[_Step] = []
    for index, (tag, a, b, c, d) in enumerate(steps):
        if tag != "equal":
            group.append((tag, a, b, c, d))
            continue
        inner = 0 < index < len(steps) - 1
        if inner and b - a <= 2 * CONTEXT_LINES:
            group.append((tag, a, b, c, d))
            continue
        if index > 0:
            head = min(CONTEXT_LINES, b - a)
            yield [*group, (tag, a, a + head, c, c + head)]
        tail = min(CONTEXT_LINES, b - a)
        group = [(tag, b - tail, b, d - tail, d)] if index < len(steps) - 1 else []
    if group:
        yield group


def _numbered(hunks: list[list[_Step]], before: list[str], after: list[str]) -> Iterator[str]:
    """`-12 old`, `+12 new`, ` 12 same`: removed lines by their old number, the others by their new one."""
    width = len(str(max(len(before), len(after))))
    skip = " " * width + "  ..."
    covered = 0
    for hunk in hunks:
        if hunk[0][1] > covered:
            yield skip
        for tag, a, b, c, d in hunk:
            if tag == "equal":
                yield from _counted(" ", after, c, d, width)
            else:
                yield from _counted("-", before, a, b, width)
                yield from _counted("+", after, c, d, width)
        covered = hunk[-1][2]
    if covered < len(before):
        yield skip


def _counted(sign: str, lines: list[str], start: int, end: int, width: int) -> Iterator[str]:
    for number in range(start, end):
        yield f"{sign}{number + 1:>{width}} " + lines[number].removesuffix("\n")


def _patch(hunks: list[list[_Step]], before: list[str], after: list[str], path: str) -> Iterator[str]:
    yield f"--- {path}\n+++ {path}\n"
    for hunk in hunks:
        old = _range(hunk[0][1], hunk[-1][2])
        new = _range(hunk[0][3], hunk[-1][4])
        yield f"@@ -{old} +{new} @@\n"
        for tag, a, b, c, d in hunk:
            if tag == "equal":
                yield from _marked(" ", before, a, b)
            else:
                yield from _marked("-", before, a, b)
                yield from _marked("+", after, c, d)


def _marked(sign: str, lines: list[str], start: int, end: int) -> Iterator[str]:
    for line in lines[start:end]:
        yield sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _range(start: int, end: int) -> str:
    return f"{start + 1 if end > start else start},{end - start}"


def _lines(text: str) -> list[str]:
    """The lines with their newlines; the last may have none."""
    return _LINE.findall(with_plain_newlines(text.removeprefix(BOM)))


def _common_start(one: list[str], other: list[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
