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

MAX_FILE_BYTES: Final = 1024**3
"""What a command without end may take of the disk."""
_KEPT_CHARS: Final = 2 * DEFAULT_MAX_BYTES


class OutputTail:
    """Collects output piece by piece. Memory stays within a few times the limit, whatever comes.

    The file, once there, belongs to whoever reads `path`; it is not removed here. It holds the beginning
    only (`whole` is false) of what is longer than `max_file_bytes`, and of what the disk has no room for.
    """

    def __init__(self, *, directory: str | None = None, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._directory = directory
        self._room = max_file_bytes
        self.whole = True
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
            self._write(text)
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
            try:
                self._file.close()
            except OSError:
                self.whole = False  # the disk is full
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
        """Begin the file with everything so far."""
        if not self.whole:
            return  # it could not be made before
        try:
            handle, self.path = tempfile.mkstemp(prefix="pi-bash-", suffix=".log", dir=self._directory)
        except OSError:
            self.whole = False
            return
        self._file = os.fdopen(handle, "w", encoding="utf-8", newline="")
        self._write(self._tail)

    def _write(self, text: str) -> None:
        """Write as long as there is room; after the first piece that has none, nothing more."""
        if not self.whole or self._file is None:
            return
        self._room -= byte_length(text)
        if self._room < 0:
            self.whole = False
            return
        try:
            self._file.write(well_formed(text))
        except OSError:
            self.whole = False


def cut_notice(shown: Truncation, path: str | None, *, whole: bool = True) -> str | None:
    """The sentence under a cut output; None when nothing was cut. `whole`: the file has all of it."""
    if not shown.truncated:
        return None
    first = shown.total_lines - shown.output_lines + 1
    where = f" {'All' if whole else 'The beginning'} of the output: {path}" if path else ""
    if shown.last_line_partial:
        return f"[Showing the last {format_size(shown.output_bytes)} of line {shown.total_lines}.{where}]"
    limit = f" ({format_size(DEFAULT_MAX_BYTES)} limit)" if shown.by == "bytes" else ""
    most = f" ({DEFAULT_MAX_LINES} lines limit)" if shown.by == "lines" else limit
    return f"[Showing lines {first}-{shown.total_lines} of {shown.total_lines}{most}.{where}]"
