"""The folders that packages are imported from, always at the end of `sys.path`.

Touches: sys.path.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


class ImportPath:
    """Keeps the folders of one load in order. Folders that were there before are left where they are."""

    def __init__(self) -> None:
        self._own: list[str] = []

    def set(self, roots: Sequence[str]) -> None:
        """Append exactly these folders, in order; earlier ones of ours that are not among them go."""
        for root in self._own:
            if root in sys.path:
                sys.path.remove(root)
        self._own = [root for root in roots if root not in sys.path]
        sys.path.extend(self._own)
