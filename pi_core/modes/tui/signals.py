"""What rooms of the interactive mode hear of: keys before anybody else, typing, and new settings.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from hookspecs.values import dataclass

if TYPE_CHECKING:
    from pi_core.session.session import Session


@dataclass(slots=True)
class Signals:
    """Who is told. Each list is asked in order."""

    keys: list[Callable[[str], bool]] = field(default_factory=list)
    """Are shown every key by its name here, before anything else; True takes it."""
    typed: list[Callable[[], None]] = field(default_factory=list)
    """Are told that the text of the editor, or its cursor, is another."""
    dressed: list[Callable[[Session], None]] = field(default_factory=list)
    """Are told that a session is there, or that its settings and extensions were loaded anew."""

    def takes_key(self, key: str) -> bool:
        """Whether somebody took a key."""
        return any(take(key) for take in tuple(self.keys))
