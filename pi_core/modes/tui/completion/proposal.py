"""What is proposed, and what of the text it would take the place of.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pi_core.clean import clean_line, typed

_COMMAND: Final = re.compile(r"/([^\s/]*)$")
_CALL: Final = re.compile(r"/([^\s/]+) (.*)$", re.DOTALL)
_FILE: Final = re.compile(r"(?:^|(?<=[\s(\"'=,]))@(\"[^\"\n]*|[^\s\"]*)$")
_WORD: Final = re.compile(r"\S*$")
MOST: Final = 50
"""More proposals than that are nobody's to go through: type on."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """`value` stands between `start` and the cursor once it is accepted. `sends`: enter sends it, too."""

    value: str
    start: int
    label: str = ""
    detail: str = ""
    sends: bool = False

    @property
    def shown(self) -> str:
        """What a person reads."""
        return clean_line(self.label or self.value)


@dataclass(frozen=True, slots=True)
class Typing:
    """What is being written: a command's name, its arguments, or a file. `start` is where `typed` begins."""

    kind: Literal["command", "argument", "file"]
    typed: str
    start: int
    command: str = ""


def typing_at(text: str, cursor: int) -> Typing | None:
    """What stands before a cursor; None if there is nothing to propose for."""
    before = text[:cursor]
    name = _COMMAND.match(before)
    if name is not None:
        return Typing("command", name[1], 1)
    file = _FILE.search(before[-400:])
    if file is not None:
        start = cursor - len(file[1])
        return Typing("file", file[1].removeprefix('"'), start - 1)
    call = _CALL.match(before)
    if call is not None and "\n" not in call[2]:
        return Typing("argument", call[2], cursor - len(call[2]), call[1])
    return None


def word_start(text: str, cursor: int) -> int:
    """Where the word before a cursor begins."""
    found = _WORD.search(text[:cursor])
    return cursor if found is None else found.start()


def proposals_of(items: Any, start: int) -> list[Proposal]:
    """What an extension proposes: texts, objects with `value`, `label`, `description`, or proposals."""
    if isinstance(items, Mapping):
        items = items.get("items")
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        return []
    found = (proposal_of(item, start) for item in items)
    return [item for item in found if item is not None][:MOST]


def proposal_of(item: Any, start: int) -> Proposal | None:
    """One of them; None for what is none."""
    if isinstance(item, Proposal):
        return item
    if isinstance(item, str):
        return Proposal(typed(item), start)
    if not isinstance(item, Mapping):
        return None
    value = item.get("value", item.get("label"))
    if not isinstance(value, str) or not value:
        return None
    place = item.get("start", start)
    return Proposal(
        typed(value),
        place if isinstance(place, int) and 0 <= place else start,
        str(item.get("label") or value),
        str(item.get("description") or item.get("detail") or ""),
    )


def accepted(text: str, cursor: int, proposal: Proposal) -> tuple[str, int]:
    """The text with the proposal in it, and the cursor behind that."""
    start = min(proposal.start, cursor)
    return text[:start] + proposal.value + text[cursor:], start + len(proposal.value)
