"""Which pattern protects a path. Reads links; changes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatch

BUILT_IN = (".env", ".env.*", ".git/*", "node_modules/*", "*.lock")


def protecting_pattern(path: str, cwd: str, patterns: Iterable[str]) -> str | None:
    """The first pattern that matches the real path; None if the path is free.

    A pattern without a slash is compared with the file's name, one with a slash with the path from the
    working folder and with every tail of it.
    """
    base = os.path.realpath(cwd)
    real = os.path.realpath(os.path.join(base, os.path.expanduser(path)))
    inside = os.path.relpath(real, base).replace(os.sep, "/")
    parts = inside.split("/")
    tails = ["/".join(parts[start:]) for start in range(len(parts))]
    for pattern in patterns:
        if any(fnmatch(text, pattern) for text in (tails if "/" in pattern else parts[-1:])):
            return pattern
    return None
