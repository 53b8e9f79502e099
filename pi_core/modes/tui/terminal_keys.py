"""Keys that terminals without a modern keyboard protocol send in ways that Textual does not know.

Touches: Textual's table of key sequences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS

from hookspecs.values import dataclass

SEQUENCES: Final[Mapping[str, str]] = {
    "\x1b\r": "alt+enter",  # alt is sent as an escape before the key
}
"""What is sent, and the name of the key."""


@dataclass(frozen=True, slots=True)
class _Key:
    """A key as the table holds it."""

    value: str


def teach_keys() -> None:
    """Let Textual know them, for the whole process. Done twice it is done once."""
    table = cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)
    for sequence, name in SEQUENCES.items():
        table.setdefault(sequence, (_Key(name),))
