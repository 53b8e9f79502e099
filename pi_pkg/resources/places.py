"""Where a value of a manifest stands, for findings that name line and column.

Touches: files.
"""

from __future__ import annotations

import re

from pi_pkg.resources.documents import MAX_BYTES
from pi_pkg.settings.places import Steps, places


class Places:
    """The places in one file, read once."""

    __slots__ = ("_found", "_text", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._text = _text(path)
        self._found: dict[Steps, tuple[int, int]] = {}
        if not path.endswith(".json"):
            try:
                self._found = places(self._text)
            except (LookupError, ValueError, RecursionError):
                pass  # a file that changed meanwhile, or nested as deeply as the parser allows

    def of(self, steps: Steps) -> tuple[int, int] | None:
        """Line and column, from 1, of a value or of the nearest thing around it; None if unknown."""
        if self.path.endswith(".json"):
            return _in_json(self._text, steps)
        while steps and steps not in self._found:
            steps = steps[:-1]
        return self._found.get(steps)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return ""


def _in_json(text: str, steps: Steps) -> tuple[int, int] | None:
    """The first place behind its table's key that looks like the last key."""
    at = 0
    for step in steps:
        if isinstance(step, str):
            match = re.compile(rf'"{re.escape(step)}"\s*:').search(text, at)
            if match is None:
                return None
            at = match.start()
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
