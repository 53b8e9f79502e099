"""What the reading of a package looked at, so that a later run can tell whether it would read the same.

Of a file counts its state, of a folder too: entries cannot come or go without changing its times. Where that
is not enough (a link, whose end changes elsewhere) the reading is spoiled: it has to be done again each time.

Touches: files.
"""

from __future__ import annotations

import os
from typing import Final

SETTLED_NS: Final = 2_000_000_000
"""What changed less than this ago could change again without its times showing it."""


class Witness:
    """Notes the state of everything it is shown between `start` and `stop`, and nothing at other times."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[str, os.stat_result] | None = None

    def start(self) -> None:
        """Begin with nothing seen."""
        self._seen = {}

    def stop(self) -> dict[str, os.stat_result] | None:
        """What was seen, by path; None if it was spoiled or never started."""
        seen, self._seen = self._seen, None
        return seen

    def see(self, path: str) -> None:
        """Note a folder that is about to be read. Before, or what changes meanwhile would go unnoticed."""
        if self._seen is None or path in self._seen:
            return
        try:
            self._seen[path] = os.stat(path)
        except (OSError, ValueError):
            self._seen = None

    def look(self, path: str) -> None:
        """Note a file that is about to be read, if there is one.

        That it is missing need not be noted: its folder, which is seen too, tells when it comes. But a link
        to nowhere can come to life from afar.
        """
        if self._seen is None or path in self._seen:
            return
        try:
            self._seen[path] = os.stat(path)
        except (OSError, ValueError):
            if os.path.islink(path):
                self._seen = None

    def see_folders(self, path: str, root: str) -> None:
        """Note the folders that lead from a root, which counts too, to a path below it."""
        while self._seen is not None and len(path) > len(root):
            path = os.path.dirname(path)
            self.see(path)

    def spoil(self) -> None:
        """Give up: what was read depends on more than was seen."""
        self._seen = None


def states(status: os.stat_result) -> tuple[int, int, int]:
    """What tells two states of a file or folder apart: both times in nanoseconds, and the size."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def is_settled(status: os.stat_result, now_ns: int) -> bool:
    """Whether a later change would show."""
    return now_ns - max(status.st_mtime_ns, status.st_ctime_ns) > SETTLED_NS
