"""Text from anywhere becomes text of a page: harmless, of bounded length, without the codes of terminals.

Pure.
"""

from __future__ import annotations

import html
import re
from typing import Final

from pi_core.utf16 import well_formed

MOST_SHOWN: Final = 200_000
"""Characters of one text that a page shows."""
_TERMINAL: Final = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # a title, a link
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # a string for the terminal
    r"|[\x1b\x9b]\[?[0-?]*[ -/]*[@-~]"  # a colour, a movement
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def plain(text: str) -> str:
    """The text without codes of terminals and other control characters; line ends are line feeds."""
    return _TERMINAL.sub("", well_formed(text).replace("\r\n", "\n"))


def shown(text: str, most: int = MOST_SHOWN) -> str:
    """The same, its middle left out if it is too long, and said so."""
    if len(text) > most:
        half = most // 2
        left_out = len(text) - 2 * half
        text = f"{text[:half]}\n\n[… {left_out} characters are not shown …]\n\n{text[-half:]}"
    return plain(text)


def escaped(text: str) -> str:
    """Text for the inside of an element or of an attribute in double quotes."""
    return html.escape(shown(text), quote=True)


def first_line(text: str, width: int = 90) -> str:
    """The first line that says something, cut to a width; empty if none does. Not escaped."""
    line = next((line.strip() for line in plain(text[:10_000]).split("\n") if line.strip()), "")
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"
