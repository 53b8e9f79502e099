"""How much of a text a model is shown: whole lines up to two limits, and what was left out.

Both limits hold at once: lines and UTF-8 bytes. A trailing newline ends the last
line and opens no new one. Lengths of a single line count UTF-16 units, as the
session format's other readers do.

Pure.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from hookspecs.values import dataclass
from pi_core.utf16 import utf16_length, utf16_prefix

DEFAULT_MAX_LINES: Final = 2000
DEFAULT_MAX_BYTES: Final = 50 * 1024
DEFAULT_MAX_LINE_CHARS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """What is left of a text, and how it was cut. `by` is None when nothing was.

    `last_line_partial`: a tail that begins inside its only line. `first_line_exceeds`: a head
    whose first line alone is over `max_bytes`, so that nothing is left.
    """

    content: str
    truncated: bool
    by: Literal["lines", "bytes"] | None
    total_lines: int
    total_bytes: int
    output_lines: int
    output_bytes: int
    max_lines: int
    max_bytes: int
    last_line_partial: bool = False
    first_line_exceeds: bool = False

    @property
    def next_offset(self) -> int | None:
        """The 1-based number of the first line after a cut head; None when nothing was cut."""
        return self.output_lines + 1 if self.truncated else None

    def to_details(self) -> dict[str, Any]:
        """The wire form that tool results carry in their details."""
        return {
            "truncated": self.truncated,
            "truncatedBy": self.by,
            "totalLines": self.total_lines,
            "totalBytes": self.total_bytes,
            "outputLines": self.output_lines,
            "outputBytes": self.output_bytes,
            "lastLinePartial": self.last_line_partial,
            "firstLineExceedsLimit": self.first_line_exceeds,
            "maxLines": self.max_lines,
            "maxBytes": self.max_bytes,
        }


@dataclass(frozen=True, slots=True)
class _Measured:
    """A text in its lines, with its size and the limits that it is held against."""

    text: str
    lines: list[str]
    size: int
    max_lines: int
    max_bytes: int

    def fits(self) -> bool:
        return len(self.lines) <= self.max_lines and self.size <= self.max_bytes

    def cut(
        self,
        content: str,
        count: int,
        by: Literal["lines", "bytes"] | None,
        *,
        last_line_partial: bool = False,
        first_line_exceeds: bool = False,
    ) -> Truncation:
        return Truncation(
            content=content,
            truncated=by is not None,
            by=by,
            total_lines=len(self.lines),
            total_bytes=self.size,
            output_lines=count,
            output_bytes=byte_length(content),
            max_lines=self.max_lines,
            max_bytes=self.max_bytes,
            last_line_partial=last_line_partial,
            first_line_exceeds=first_line_exceeds,
        )


def truncate_head(
    text: str, *, max_lines: int = DEFAULT_MAX_LINES, max_bytes: int = DEFAULT_MAX_BYTES
) -> Truncation:
    """Keep whole lines from the start. For files: the beginning matters."""
    measured = _measure(text, max_lines, max_bytes)
    if measured.fits():
        return measured.cut(text, len(measured.lines), None)
    if byte_length(measured.lines[0]) > max_bytes:
        return measured.cut("", 0, "bytes", first_line_exceeds=True)
    kept, by = _take(measured.lines, max_lines, max_bytes)
    return measured.cut("\n".join(kept), len(kept), by)


def truncate_tail(
    text: str, *, max_lines: int = DEFAULT_MAX_LINES, max_bytes: int = DEFAULT_MAX_BYTES
) -> Truncation:
    """Keep whole lines from the end; of one overlong last line keep its end. For command output."""
    measured = _measure(text, max_lines, max_bytes)
    if measured.fits():
        return measured.cut(text, len(measured.lines), None)
    last = measured.lines[-1]
    if byte_length(last) > max_bytes:
        # Where both limits cut, the lines are named, as when whole lines are left.
        by: Literal["lines", "bytes"] = "lines" if max_lines == 1 < len(measured.lines) else "bytes"
        return measured.cut(_last_bytes(last, max_bytes), 1, by, last_line_partial=True)
    kept, by = _take(measured.lines[::-1], max_lines, max_bytes)
    return measured.cut("\n".join(kept[::-1]), len(kept), by)


def truncate_line(line: str, *, max_chars: int = DEFAULT_MAX_LINE_CHARS) -> tuple[str, bool]:
    """The start of one line, at most `max_chars` UTF-16 units, and whether something was cut off."""
    if utf16_length(line) <= max_chars:
        return line, False
    return utf16_prefix(line, max_chars), True


def format_size(count: int) -> str:
    """A number of bytes for people: `512B`, `1.5KB`, `2.0MB`."""
    if count < 1024:
        return f"{count}B"
    if count < 1024 * 1024:
        return f"{count / 1024:.1f}KB"
    return f"{count / (1024 * 1024):.1f}MB"


def byte_length(text: str) -> int:
    """The length of a text in UTF-8 bytes."""
    return len(text.encode("utf-8", "surrogatepass"))


def _measure(text: str, max_lines: int, max_bytes: int) -> _Measured:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return _Measured(text, lines, byte_length(text), max_lines, max_bytes)


def _take(lines: list[str], max_lines: int, max_bytes: int) -> tuple[list[str], Literal["lines", "bytes"]]:
    """As many lines as fit, joined by newlines, and which limit came first."""
    kept: list[str] = []
    used = 0
    for line in lines[:max_lines]:
        size = byte_length(line) + (1 if kept else 0)
        if used + size > max_bytes:
            return kept, "bytes"
        kept.append(line)
        used += size
    return kept, "lines"


def _last_bytes(text: str, limit: int) -> str:
    """The end of a text, at most `limit` bytes, beginning with a whole character."""
    raw = text.encode("utf-8", "surrogatepass")
    start = max(0, len(raw) - limit)
    while start < len(raw) and raw[start] & 0xC0 == 0x80:
        start += 1
    return raw[start:].decode("utf-8", "surrogatepass")
