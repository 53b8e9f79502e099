"""Tables of Markdown.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

NOTE: Final = "\n<!-- Made by `python -m tests.docs.generate`; changes by hand are lost. -->\n"
"""What stands at the end of every page that is made: in front of the heading it would hide the title."""


def code(text: object) -> str:
    """As code inside a table, where a bar would end the cell."""
    return "`" + str(text).replace("|", "\\|") + "`"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, or nothing if it has no rows."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|" + "---|" * len(head)
    return "\n".join(["| " + " | ".join(head) + " |", rule, *lines]) + "\n" if lines else ""
