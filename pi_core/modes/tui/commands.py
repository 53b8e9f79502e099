"""The commands of the program itself, typed after a slash: a registry that others add to.

They come before the commands of extensions, and only the interactive mode knows them.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from pi_core.modes.tui.desk import Desk

Run: TypeAlias = "Callable[[Desk, str], Awaitable[None] | None]"
"""Gets what it works on, and everything behind the first blank. What it raises is shown to the person."""
Complete: TypeAlias = "Callable[[Desk, str], Sequence[str]]"


_CALL: Final = re.compile(r"/([A-Za-z][\w:-]*)(?:\s|$)")
"""What looks like the call of a command: no path, and no comment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinCommand:
    """One command. `complete` proposes what may stand behind the name, given what stands there."""

    name: str
    run: Run
    description: str
    complete: Complete | None = None


class Commands:
    """The commands by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, BuiltinCommand] = {}

    def add(self, command: BuiltinCommand) -> None:
        """One more; a later one of the same name takes the place of the earlier."""
        self._by_name[command.name] = command

    def find(self, text: str) -> tuple[BuiltinCommand, str] | None:
        """The command that a text calls, and its argument; None if it calls none of these."""
        if not text.startswith("/"):
            return None
        name, _, args = text[1:].partition(" ")
        command = self._by_name.get(name)
        return None if command is None else (command, args.strip())

    def near_miss(self, text: str, others: Iterable[str]) -> str | None:
        """The command that was probably meant by a text that calls none: its name, or None.

        `others` are names that can be called, too. A path, and a word that is like no name, call nothing.
        """
        shape = _CALL.match(text)
        known = [*self._by_name, *others]
        if shape is None or shape[1] in known:
            return None
        return next(iter(get_close_matches(shape[1], known, n=1, cutoff=0.7)), None)

    def all(self) -> tuple[BuiltinCommand, ...]:
        """All of them by name."""
        return tuple(self._by_name[name] for name in sorted(self._by_name))
