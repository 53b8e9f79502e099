"""Which shell commands destroy, as a table of patterns. Pure."""

from __future__ import annotations

import re

DANGERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\brm\s+(?:-\S+\s+)*-[a-zA-Z]*[rR]"), "removes folders"),
    (re.compile(r"\brm\s+(?:-\S+\s+)*--recursive\b"), "removes folders"),
    (re.compile(r"\bsudo\b"), "runs as administrator"),
    (re.compile(r"\bgit\s+push\b.*(?:--force\b|\s-f\b)"), "rewrites a remote branch"),
    (re.compile(r"\bmkfs(?:\.\w+)?\b"), "formats a disk"),
    (re.compile(r"\bdd\b.*\bof="), "overwrites a device or file"),
    (re.compile(r"\bchmod\s+(?:-\S+\s+)*-R\s+0?777\b"), "opens a tree to everybody"),
)
"""Pattern and what such a command does, in the order in which they are tried."""


def find_danger(command: str) -> str | None:
    """What makes a command dangerous, in words, or None for a harmless one."""
    for pattern, words in DANGERS:
        if pattern.search(command):
            return words
    return None
