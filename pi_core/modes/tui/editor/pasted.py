"""Long pastes stand in the editor as a short sign, and are put in its place when the prompt is sent.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

LINES: Final = 10
"""A paste of more lines is folded,"""
CHARS: Final = 1000
"""and one of more characters."""

_SIGN: Final = re.compile(r"\[paste #(\d+) (?:\+\d+ lines|\d+ chars)\]")


class Pastes:
    """What was pasted since the last prompt, by number."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def fold(self, text: str) -> str:
        """What to put into the editor for a paste: itself, or a sign for it."""
        lines = text.count("\n") + 1
        if lines <= LINES and len(text) <= CHARS:
            return text
        number = max(self._texts, default=0) + 1
        self._texts[number] = text
        size = f"+{lines} lines" if lines > LINES else f"{len(text)} chars"
        return f"[paste #{number} {size}]"

    def unfold(self, text: str) -> str:
        """The text with every paste in the place of its sign; signs of unknown pastes stay."""
        return _SIGN.sub(lambda match: self._texts.get(int(match[1]), match[0]), text)

    def sign_at(self, line: str, column: int) -> tuple[int, int] | None:
        """The columns of the sign that ends at a column, so that it can be deleted as one."""
        for match in _SIGN.finditer(line):
            if match.end() == column and int(match[1]) in self._texts:
                return match.span()
        return None

    def clear(self) -> None:
        """The prompt is sent."""
        self._texts.clear()
