"""The absence of an answer, told apart from an explicit None.

Pure.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class Unset(Enum):
    """The type of `UNSET`; an enum, so that `is` narrows it for type checkers."""

    UNSET = "unset"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET
"""A field that the author did not fill in. Never equal to None, always false."""
