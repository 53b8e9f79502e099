"""Places for commands in a text. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLACE = re.compile(r"!\{([^{}\n]+)\}")


def commands_in(text: str) -> list[str]:
    """The commands of all places, in order."""
    return [match.strip() for match in _PLACE.findall(text)]


def filled_in(text: str, outputs: Sequence[str]) -> str:
    """The text with the n-th output in the n-th place; an output is never read as a place."""
    left = iter(outputs)
    return _PLACE.sub(lambda _: next(left), text)
