"""The numbered diff of an edit, with colours.

Pure.
"""

from __future__ import annotations

from rich.text import Text

from pi_core.clean import clean
from pi_core.modes.tui.style.palette import Palette


def diff_text(diff: str, palette: Palette, limit: int | None) -> tuple[Text, int]:
    """The first `limit` lines of a diff, and how many are left out. None shows all.

    A line begins with `+`, `-` or a blank, then its number, as the edit tool tells it.
    """
    lines = clean(diff).split("\n")
    shown = lines if limit is None else lines[:limit]
    text = Text()
    for number, line in enumerate(shown):
        text.append(("\n" if number else "") + line, palette[_token(line)])
    return text, len(lines) - len(shown)


def diff_counts(diff: str) -> tuple[int, int]:
    """How many lines were added, and how many taken away."""
    lines = diff.split("\n")
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def _token(line: str) -> str:
    if line.startswith("+"):
        return "toolDiffAdded"
    return "toolDiffRemoved" if line.startswith("-") else "toolDiffContext"
