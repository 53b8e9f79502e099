"""Long pastes stand in the editor as a short sign, and are put in its place when the prompt is sent. An image
has a sign, too, and goes with every prompt that has it.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

from hookspecs.messages import ImageContent

LINES: Final = 10
"""A paste of more lines is folded,"""
CHARS: Final = 1000
"""and one of more characters."""

IMAGES: Final = 8
"""The last images are kept, for a prompt that comes back: by a key, or from the queue."""

_IMAGE: Final = re.compile(r"\[image #(\d+)\]")
_SIGN: Final = re.compile(r"\[paste #(\d+) (?:\+\d+ lines|\d+ chars)\]")


class Pastes:
    """What was pasted since the last prompt, by number."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._images: dict[int, ImageContent] = {}

    def fold(self, text: str) -> str:
        """What to put into the editor for a paste: itself, or a sign for it."""
        lines = text.count("\n") + 1
        if lines <= LINES and len(text) <= CHARS:
            return text
        number = max(self._texts, default=0) + 1
        self._texts[number] = text
        size = f"+{lines} lines" if lines > LINES else f"{len(text)} chars"
        return f"[paste #{number} {size}]"

    def add_image(self, image: ImageContent) -> str:
        """Keep an image; what is returned stands for it."""
        number = max(self._images, default=0) + 1
        self._images[number] = image
        for old in [known for known in self._images if known <= number - IMAGES]:
            del self._images[old]
        return f"[image #{number}]"

    def images_in(self, text: str) -> list[ImageContent]:
        """The images whose signs stand in a text, each once."""
        numbers = dict.fromkeys(int(match[1]) for match in _IMAGE.finditer(text))
        return [self._images[number] for number in numbers if number in self._images]

    def unfold(self, text: str) -> str:
        """The text with every paste in the place of its sign; signs of unknown pastes stay."""
        return _SIGN.sub(lambda match: self._texts.get(int(match[1]), match[0]), text)

    def sign_at(self, line: str, column: int) -> tuple[int, int] | None:
        """The columns of the sign that ends at a column, so that it can be deleted as one."""
        for pattern, known in ((_SIGN, self._texts), (_IMAGE, self._images)):
            for match in pattern.finditer(line):
                if match.end() == column and int(match[1]) in known:
                    return match.span()
        return None

    def clear(self) -> None:
        """The prompt is sent; images stay, should it come back."""
        self._texts.clear()
