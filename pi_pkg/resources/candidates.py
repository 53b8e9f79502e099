"""A file that may become a resource, before and after somebody chose. Tuples, since there are thousands.

Pure.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from pi_pkg.resources.conventions import PACKAGE_FILE


class Candidate(NamedTuple):
    """A file or folder that may become a resource."""

    path: str
    """Absolute, links kept."""
    real: str
    """The same with links resolved."""
    module: str | None = None
    attribute: str | None = None
    import_root: str | None = None
    name: str | None = None
    """The entry point that names it."""
    base: str | None = None
    """Folder of its import package, which patterns are relative to; None: the owner's folder."""
    tree: str | None = None
    """Source tree whose dependencies have to be installed before it can load."""
    is_folder: bool = False
    """It stands for the `__init__.py` inside it."""
    guard: bool = False
    """Its own manifest asks that tools be refused if it cannot load."""
    blocked: str | None = None
    """Why it cannot load here, whatever the settings say."""

    @property
    def spoken(self) -> str:
        """The path that patterns speak of."""
        return os.path.join(self.path, PACKAGE_FILE) if self.is_folder else self.path


class Choice(NamedTuple):
    """One candidate with the state that a filter gives it; `rule` says why it is off."""

    candidate: Candidate
    enabled: bool
    rule: str | None = None
