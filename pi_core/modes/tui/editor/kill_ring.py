"""What was cut, the last first, as in emacs: cuts in a row make one piece, and a yank may be turned over.

Pure.
"""

from __future__ import annotations

from typing import Final, Literal

KEPT: Final = 60
"""So many pieces are kept."""


class KillRing:
    """The pieces, and what the key before did: that decides what the next one means."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._before: Literal["", "cut", "yank"] = ""
        self._now: Literal["", "cut", "yank"] = ""

    def next_key(self) -> None:
        """Another key is pressed, or something else happens to the text."""
        self._before, self._now = self._now, ""

    def cut(self, text: str, *, backward: bool) -> None:
        """Something was cut. Right after another cut it joins that one, on the side where it stood."""
        self._now = "cut"
        if not text:
            return
        if self._before == "cut" and self._pieces:
            last = self._pieces[-1]
            self._pieces[-1] = text + last if backward else last + text
        else:
            self._pieces.append(text)
            del self._pieces[:-KEPT]

    def yank(self) -> str:
        """The last piece; empty if nothing was cut yet."""
        self._now = "yank"
        return self._pieces[-1] if self._pieces else ""

    def turn(self) -> str | None:
        """Right after a yank, the piece before the one that was yanked, round the end; else None."""
        if self._before != "yank" or len(self._pieces) < 2:
            return None
        self._now = "yank"
        self._pieces.insert(0, self._pieces.pop())
        return self._pieces[-1]
