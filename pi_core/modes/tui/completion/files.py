"""The files of a project, to be found by a few letters: read aside, and never all of a huge tree.

Touches: files.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path
from time import monotonic, perf_counter
from typing import Final

from pi_core.ignore_rules import IgnoreRules, rules_above
from pi_core.modes.tui.fuzzy import score

MOST_FILES: Final = 40_000
READING_S: Final = 3.0
"""A tree is read for so long at most: what is near its root comes first."""
FRESH_S: Final = 15.0
"""After so long it is read again when somebody asks."""
_BATCH: Final = 256
_NEVER: Final = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})


@dataclass(slots=True)
class FileIndex:
    """What is below a folder: paths with forward slashes, at the end of folders too, the near ones first."""

    root: Path
    paths: list[str] = field(default_factory=list)
    read_at: float | None = None
    complete: bool = False

    @property
    def is_stale(self) -> bool:
        """Whether it should be read, or read again."""
        return self.read_at is None or monotonic() - self.read_at > FRESH_S

    def read(self) -> None:
        """Read the tree; the paths of before stay in sight meanwhile. For a thread of its own."""
        ends = perf_counter() + READING_S
        found: list[str] = []
        complete = True
        for path in walk_wide(str(self.root)):
            found.append(path)
            if len(found) >= MOST_FILES or (len(found) % _BATCH == 0 and perf_counter() > ends):
                complete = False
                break
        self.paths, self.complete, self.read_at = found, complete, monotonic()

    def search(self, sought: str, before: Search | None = None) -> Search:
        """A search that has not begun; among what fitted `before`, if that was for fewer letters of it."""
        narrower = before is not None and before.done and before.paths is self.paths and before.sought
        if before is not None and narrower and sought.startswith(before.sought):
            return Search(sought, self.paths, [place for _, place in before.scored])
        return Search(sought, self.paths, range(len(self.paths)))


class Search:
    """A search among paths that can pause: it goes on with `step`. Without letters everything fits."""

    def __init__(self, sought: str, paths: Sequence[str], places: Sequence[int]) -> None:
        self.sought = sought
        self.paths = paths
        self.scored: list[tuple[float, int]] = []
        """What fits so far: points, and the place among the paths."""
        self._places = places
        self._next = 0

    @property
    def done(self) -> bool:
        """Whether every path was looked at."""
        return not self.sought or self._next >= len(self._places)

    def step(self, seconds: float) -> None:
        """Go on for so long at most."""
        ends = perf_counter() + seconds
        while not self.done and perf_counter() < ends:
            for place in self._places[self._next : self._next + _BATCH]:
                points = path_score(self.sought, self.paths[place])
                if points is not None:
                    self.scored.append((points, place))
            self._next += _BATCH

    def best(self, most: int) -> list[str]:
        """The paths that fit, the best first; without letters those that are nearest."""
        if not self.sought:
            return list(self.paths[:most])
        found = nsmallest(most, self.scored, key=lambda item: (-item[0], item[1]))
        return [self.paths[place] for _, place in found]


def path_score(sought: str, path: str) -> float | None:
    """How well a path fits: what stands in its last part counts most."""
    whole = score(sought, path)
    if whole is None:
        return None
    last = path.rstrip("/").rpartition("/")[2]
    in_last = score(sought, last)
    return whole + (in_last + 5.0 if in_last is not None else 0.0) - path.count("/") * 0.5


def walk_wide(folder: str) -> Iterator[str]:
    """The paths below a folder level by level, without what ignore files name. Links are not followed."""
    waiting: deque[tuple[str, str, IgnoreRules]] = deque([(folder, "", rules_above(folder))])
    while waiting:
        place, prefix, above = waiting.popleft()
        rules = above.entering(place)
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            is_dir = _is_dir(entry)
            if entry.name in _NEVER or rules.hides(entry.path, is_dir=is_dir):
                continue
            yield f"{prefix}{entry.name}/" if is_dir else prefix + entry.name
            if is_dir:
                waiting.append((entry.path, f"{prefix}{entry.name}/", rules))


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def mention(path: str) -> str:
    """A path as it stands behind the `@`: quoted if it has blanks; behind a file comes a blank."""
    shown = f'"{path}"' if " " in path else path
    return f"@{shown}" if path.endswith("/") else f"@{shown} "
