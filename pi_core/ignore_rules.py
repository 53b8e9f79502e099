"""What ignore files hide, by git's rules.

The deepest file that speaks of an entry decides; a hidden folder is not entered,
so nothing below it is asked about.

Touches: files.
"""

from __future__ import annotations

import os
from typing import Any, Final

from hookspecs.values import dataclass

IGNORE_FILES: Final = (".gitignore", ".ignore", ".fdignore")
"""Names that are read; of one folder the later name prevails."""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force in one folder: (folder, its rules), outermost first."""

    levels: tuple[tuple[str, Any], ...] = ()

    def entering(self, folder: str) -> IgnoreRules:
        """The rules inside a folder below."""
        lines = [line for name in IGNORE_FILES for line in _lines(os.path.join(folder, name))]
        if not lines:
            return self
        from pathspec import GitIgnoreSpec  # start-up time: 27 ms, and few folders hold ignore files

        return IgnoreRules((*self.levels, (folder, GitIgnoreSpec.from_lines(lines))))

    def hides(self, path: str, *, is_dir: bool) -> bool:
        """Whether an entry of the folder is hidden."""
        for folder, spec in reversed(self.levels):
            name = os.path.relpath(path, folder).replace(os.sep, "/")
            decided = spec.check_file(f"{name}/" if is_dir else name).include
            if decided is not None:
                return bool(decided)
        return False


def rules_above(folder: str) -> IgnoreRules:
    """The rules that the folders above give, from the root of the repository down; none outside of one."""
    above: list[str] = []
    current = folder
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return IgnoreRules()
        above.append(parent)
        current = parent
    rules = IgnoreRules()
    for outer in reversed(above):
        rules = rules.entering(outer)
    return rules


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            return file.read().splitlines()
    except OSError:
        return []
