"""What was typed before, to be called back: up goes to older prompts, down to newer ones and the draft.

Pure.
"""

from __future__ import annotations

from typing import Final

KEPT: Final = 200


class Recalled:
    """The prompts of a person, oldest first, and where among them one looks."""

    def __init__(self) -> None:
        self._prompts: list[str] = []
        self._place: int | None = None
        self._draft = ""

    def add(self, prompt: str) -> None:
        """Something was sent. The same twice in a row counts once."""
        self._place = None
        if prompt.strip() and self._prompts[-1:] != [prompt]:
            self._prompts.append(prompt)
            del self._prompts[:-KEPT]

    def fill(self, prompts: list[str]) -> None:
        """What was said in a conversation that goes on."""
        self._prompts, self._place = [], None
        for prompt in prompts:
            self.add(prompt)

    def older(self, present: str) -> str | None:
        """The prompt before the one that is shown; None if there is none. `present` is kept as a draft."""
        if self._place is None:
            self._draft = present
        place = len(self._prompts) if self._place is None else self._place
        if place == 0:
            return None
        self._place = place - 1
        return self._prompts[self._place]

    def newer(self) -> str | None:
        """The prompt after the one that is shown, or the draft; None if none is shown."""
        if self._place is None:
            return None
        self._place += 1
        if self._place < len(self._prompts):
            return self._prompts[self._place]
        self._place = None
        return self._draft
