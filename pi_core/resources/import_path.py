"""The folders that packages are imported from, always at the end of `sys.path`.

Every load has entries of its own, so that one which ends takes nothing away from another that runs
in the same process.

Touches: sys.path.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


class _Folder(str):
    """An entry of one load: equal to others of the same text, and still its own."""

    __slots__ = ()


class ImportPath:
    """Keeps the folders of one load in order. What the program itself put there is left where it is.

    The folders of a load that replaces another stand in front of those of `older`, until that one lets go.
    """

    def __init__(self, older: ImportPath | None = None) -> None:
        self._own: list[_Folder] = []
        self._older = older

    def set(self, roots: Sequence[str]) -> None:
        """Have exactly these folders, in order; earlier ones of ours that are not among them go."""
        self._take_away()
        foreign = {entry for entry in sys.path if not isinstance(entry, _Folder)}
        self._own = [_Folder(root) for root in roots if root not in foreign]
        place = self._place()
        sys.path[place:place] = self._own

    def close(self) -> None:
        """Take our folders away."""
        self._take_away()
        self._own = []

    def _take_away(self) -> None:
        own = {id(folder) for folder in self._own}
        sys.path[:] = [entry for entry in sys.path if id(entry) not in own]

    def _place(self) -> int:
        older = {id(folder) for folder in self._older._own} if self._older is not None else set()
        places = (number for number, entry in enumerate(sys.path) if id(entry) in older)
        return next(places, len(sys.path))
