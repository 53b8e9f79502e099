"""What is proposed without any extension: commands by name, their arguments, and files.

Touches: files, and whatever commands of extensions touch when they complete.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from pi_core.modes.tui.completion.files import FileIndex, Search, mention
from pi_core.modes.tui.completion.proposal import MOST, Proposal, Typing, typing_at
from pi_core.modes.tui.fuzzy import best
from pi_core.modes.tui.here import Here

SCATTERED: Final = 3
"""From so many letters on, they may stand apart in the name of a command."""


AT_ONCE_S: Final = 0.01
"""A key is answered after so long with what was found by then;"""
BIT_S: Final = 0.008
"""the rest is looked at in bits of this length,"""
PAUSE_S: Final = 0.012
"""with pauses of this length between them."""


class Sources:
    """Proposes for the session of the moment. `changed` is called when more files are known."""

    def __init__(self, here: Here, changed: Callable[[], None]) -> None:
        self._here = here
        self._changed = changed
        self._index: FileIndex | None = None
        self._reading = False
        self._search: Search | None = None

    def propose(self, text: str, cursor: int) -> list[Proposal]:
        """Everything that fits, the best first."""
        typing = typing_at(text, cursor)
        if typing is None:
            return []
        match typing.kind:
            case "command":
                return self._commands(typing)
            case "argument":
                return self._arguments(typing)
            case "file":
                return self._files(typing)

    def completer(self, typing: Typing) -> Callable[[str], Any] | None:
        """How a command of an extension completes its arguments; None if it does not, or is none."""
        if self._here.commands.find(f"/{typing.command}") is not None:
            return None
        found = self._here.session.parts.runner.registry.find_command(typing.command)
        return None if found is None else found.definition.complete

    # commands

    def _commands(self, typing: Typing) -> list[Proposal]:
        known = list(self.known_commands())
        fitting = fitting_names(typing.typed, [name for name, _ in known])
        about = dict(reversed(known))
        return [
            Proposal(f"{name} ", typing.start, f"/{name}", about[name], sends=True) for name in fitting[:MOST]
        ]

    def known_commands(self) -> Iterator[tuple[str, str]]:
        """Names with what they are for: the program's own, those of extensions, templates, skills."""
        own = {command.name: command.description for command in self._here.commands.all()}
        yield from own.items()
        parts = self._here.session.parts
        for command in parts.runner.registry.commands():
            if command.invocation not in own:
                yield command.invocation, command.definition.description
        hints = parts.system.argument_hints()
        for info in parts.system.commands():
            if info.name not in own:
                yield info.name, " · ".join(filter(None, (hints.get(info.name), info.description)))

    def _arguments(self, typing: Typing) -> list[Proposal]:
        found = self._here.commands.find(f"/{typing.command}")
        if found is None or found[0].complete is None:
            return []
        offered = found[0].complete(self._here.desk, typing.typed)
        fitting = best(typing.typed, offered, str)
        return [Proposal(value, typing.start) for value in fitting[:MOST]]

    # files

    def _files(self, typing: Typing) -> list[Proposal]:
        index = self._index
        root = self._here.session.parts.cwd
        if index is None or index.root != root:
            index = self._index = FileIndex(root)
        if index.is_stale and not self._reading:
            self._reading = True
            self._here.desk.start(self._read(index), "read the files of the project")
        search = self._search
        if search is None or search.sought != typing.typed or search.paths is not index.paths:
            search = self._search = index.search(typing.typed, search)
            search.step(AT_ONCE_S)
            if not search.done:
                self._here.desk.start(self._go_on(search), "search the files of the project")
        return [Proposal(mention(path), typing.start, path) for path in search.best(MOST)]

    async def _go_on(self, search: Search) -> None:
        """Look at the rest bit by bit, as long as nothing else is sought; keys come first."""
        while not search.done:
            await asyncio.sleep(PAUSE_S)
            if search is not self._search:
                return
            search.step(BIT_S)
        self._changed()

    async def _read(self, index: FileIndex) -> None:
        try:
            await asyncio.to_thread(index.read)
        finally:
            self._reading = False
        self._changed()


def fitting_names(sought: str, names: Sequence[str]) -> list[str]:
    """The very name, those that begin so, those that have it inside, those that have its letters in order."""
    low = sought.lower()
    unique = list(dict.fromkeys(names))
    begin = sorted((name for name in unique if name.lower().startswith(low)), key=lambda name: name != sought)
    inside = [name for name in unique if low in name.lower() and name not in begin]
    if len(low) < SCATTERED:
        return begin + inside
    rest = [
        name for name in unique if name not in begin and name not in inside and name[:1].lower() == low[:1]
    ]
    return begin + inside + best(low, rest, str)
