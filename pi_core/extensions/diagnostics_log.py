"""A log of everything that went wrong, so that a failure which nobody saw can be read afterwards.

Findings are appended to `diagnostics.jsonl`, one JSON object a line, by any number of
processes at once. A full file is moved aside as `diagnostics.1.jsonl`, older ones one number
further, and the oldest goes, so the folder has a size. The log serves; it never fails its user:
what cannot be written is not written, and `failure` tells why.

Touches: files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pi_core.extensions.runner import Runner
from pi_pkg import Diagnostic

NAME: Final = "diagnostics"
MAX_BYTES: Final = 1_000_000
"""Size of one file at which the next one begins."""
KEEP: Final = 3
"""How many full files are kept beside the one that is written."""
MAX_DETAIL_CHARS: Final = 20_000
REMEMBERED: Final = 1000
"""How many findings are remembered, so that equal ones are written once."""
LOCK_S: Final = 1.0
"""How long to wait for another process that moves files; after that it is left to that one."""


class DiagnosticsLog:
    """Writes findings of one process. `about` goes into every line, such as the id of a session.

    The folder is made when the first finding comes.
    """

    def __init__(
        self,
        folder: Path,
        *,
        about: Mapping[str, str] | None = None,
        max_bytes: int = MAX_BYTES,
        keep: int = KEEP,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.failure: OSError | None = None
        """Why the last finding could not be written; None if it was."""
        self._folder = folder
        self._about = dict(about or {})
        self._max_bytes = max_bytes
        self._keep = keep
        self._now = now
        self._written: dict[Diagnostic, None] = {}

    def write(self, finding: Diagnostic) -> None:
        """Append a finding, unless this process wrote an equal one lately. Never raises OSError."""
        if finding in self._written:
            return
        self._written[finding] = None
        if len(self._written) > REMEMBERED:
            del self._written[next(iter(self._written))]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._append(self._line(finding))
            self.failure = None
        except OSError as error:
            self.failure = error

    def listen(self, runner: Runner) -> Callable[[], None]:
        """Write down whatever this runner reports, until what is returned is called."""
        return runner.on_error(lambda finding: self.write(runner.diagnostic(finding)))

    def _line(self, finding: Diagnostic) -> bytes:
        if finding.detail is not None and len(finding.detail) > MAX_DETAIL_CHARS:
            finding = replace(finding, detail=f"{finding.detail[:MAX_DETAIL_CHARS]}…")
        record = {"time": self._now().isoformat(timespec="milliseconds"), "pid": os.getpid()}
        text = json.dumps({**record, **self._about, **finding.to_json()}, ensure_ascii=False)
        return f"{text}\n".encode("utf-8", "replace")

    def _append(self, line: bytes) -> None:
        path = _path(self._folder, 0)
        if self._is_full(path, len(line)):
            self._move_aside(path, len(line))
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line)  # in one piece, or lines of two processes would mix
        finally:
            os.close(descriptor)

    def _is_full(self, path: Path, more: int) -> bool:
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            return False
        return size > 0 and size + more > self._max_bytes

    def _move_aside(self, path: Path, more: int) -> None:
        """Move every file one number further. Another process may have done it in the meantime."""
        from filelock import FileLock, Timeout  # start-up time: a log rarely gets full

        try:
            with FileLock(self._folder / f"{NAME}.lock", timeout=LOCK_S):
                if not self._is_full(path, more):
                    return
                for number in range(self._keep - 1, -1, -1):
                    older = _path(self._folder, number)
                    if older.exists():
                        older.replace(_path(self._folder, number + 1))
        except (Timeout, PermissionError):  # Windows moves no file that somebody has open
            return


def _path(folder: Path, number: int) -> Path:
    return folder / (f"{NAME}.{number}.jsonl" if number else f"{NAME}.jsonl")


def read_log(folder: Path, limit: int = 100, *, keep: int = KEEP) -> tuple[dict[str, Any], ...]:
    """The last findings of a log folder, oldest first, at most `limit`; empty without a log.

    Lines that are no findings are left out.
    """
    found: list[dict[str, Any]] = []
    for number in range(keep + 1):
        try:
            lines = _path(folder, number).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        found = [*filter(None, map(_record, lines)), *found]
        if len(found) >= limit:
            break
    return tuple(found[-limit:])


def _record(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "code" in record else None
