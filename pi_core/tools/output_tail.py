"""The end of a command's output in memory, all of it in a file once it grows too large.

Touches: files.
"""

from __future__ import annotations

import dataclasses
import os
import tempfile
from typing import IO, Any, Final

from pi_core.tools.truncate import (
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_LINES,
    Truncation,
    byte_length,
    format_size,
    truncate_tail,
)
from pi_core.utf16 import well_formed

_KEPT_CHARS: Final = 2 * DEFAULT_MAX_BYTES


class OutputTail:
    """Collects output piece by piece. Memory stays within a few times the limit, whatever comes.

    The file, once there, belongs to whoever reads `path`; it is not removed here.
    """

    def __init__(self, *, directory: str | None = None) -> None:
        self._directory = directory
        self._tail = ""
        self._bytes = 0
        self._newlines = 0
        self._file: IO[str] | None = None
        self.path: str | None = None

    def add(self, text: str) -> None:
        """Take the next piece of output."""
        self._bytes += byte_length(text)
        self._newlines += text.count("\n")
        self._tail += text
        if self._file is not None:
            self._file.write(well_formed(text))
        elif self._bytes > DEFAULT_MAX_BYTES:
            self._spill()
        if len(self._tail) > 2 * _KEPT_CHARS:
            self._tail = self._tail[-_KEPT_CHARS:]

    def snapshot(self) -> Truncation:
        """What is shown of the output so far. Totals count all of it."""
        shown = truncate_tail(self._tail)
        total_lines = self._newlines + (1 if self._tail and not self._tail.endswith("\n") else 0)
        return dataclasses.replace(shown, total_lines=total_lines, total_bytes=self._bytes)

    def close(self) -> Truncation:
        """End the output: the last snapshot. If it is cut, `path` names a file with everything."""
        final = self.snapshot()
        if final.truncated and self._file is None:
            self._spill()
        if self._file is not None:
            self._file.close()
        return final

    def details(self, shown: Truncation) -> dict[str, Any] | None:
        """The details of a result that shows this much; None when that is everything."""
        if not shown.truncated:
            return None
        details: dict[str, Any] = {"truncation": shown.to_details()}
        if self.path is not None:
            details["fullOutputPath"] = self.path
        return details

    def _spill(self) -> None:
        handle, self.path = tempfile.mkstemp(prefix="pi-bash-", suffix=".log", dir=self._directory)
        self._file = os.fdopen(handle, "w", encoding="utf-8", newline="")
        self._file.write(well_formed(self._tail))


def cut_notice(shown: Truncation, path: str | None) -> str | None:
    """The sentence under a cut output; None when nothing was cut."""
    if not shown.truncated:
        return None
    first = shown.total_lines - shown.output_lines + 1
    where = f" All of the output: {path}" if path else ""
    if shown.last_line_partial:
        return f"[Showing the last {format_size(shown.output_bytes)} of line {shown.total_lines}.{where}]"
    limit = f" ({format_size(DEFAULT_MAX_BYTES)} limit)" if shown.by == "bytes" else ""
    most = f" ({DEFAULT_MAX_LINES} lines limit)" if shown.by == "lines" else limit
    return f"[Showing lines {first}-{shown.total_lines} of {shown.total_lines}{most}.{where}]"
