"""How an entry of a list reads at first sight: a path, a glob, or a marked pattern.

Pure.
"""

from __future__ import annotations

LONGEST_SHOWN = 200
"""Characters of an entry that a message shows."""
MARKS = ("!", "+", "-")
"""Exclude by glob, force on by path, force off by path."""


def has_magic(entry: str) -> bool:
    """Whether a path list entry is a glob. Braces and brackets alone are literal names."""
    return "*" in entry or "?" in entry


def is_marked(entry: str) -> bool:
    """Whether an entry starts with `!`, `+` or `-`."""
    return entry.startswith(MARKS)


def is_pattern(entry: str) -> bool:
    """Whether an entry of a top-level list is a pattern and not a path."""
    return is_marked(entry) or has_magic(entry)


def quoted(text: str) -> str:
    """An entry as messages show it, cut where it is longer than anybody reads."""
    return repr(text) if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]!r}…"
