"""Where a value of a manifest stands, for findings that name line and column.

Touches: files.
"""

from __future__ import annotations

import re

from pi_pkg.resources.documents import MAX_BYTES
from pi_pkg.settings.places import Steps, places


def place_in(path: str, steps: Steps) -> tuple[int, int] | None:
    """Line and column, from 1, of a value or of the nearest thing around it; None if that cannot be told."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
            text = file.read(MAX_BYTES)
    except OSError:
        return None
    if path.endswith(".json"):
        return _in_json(text, steps)
    try:
        found = places(text)
    except (LookupError, ValueError, RecursionError):  # a file that changed meanwhile is no valid one
        return None
    while steps and steps not in found:
        steps = steps[:-1]
    return found.get(steps)


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
