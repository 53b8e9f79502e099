"""Who wins a name: the registrations of all extensions, by rank, as one set of answers.

Computed from the live records at every question, so a registration of a running
session counts from the next one on. A clash never stops anything: the winner
works, the other is hidden or renamed, and both are named in a Diagnostic.

Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from hookspecs.definitions import CommandDefinition, FlagDefinition, FlagType, ToolDefinition
from pi_core.extensions.registrations import Extension
from pi_core.extensions.shortcuts import RESERVED_KEYS, KeyConflict, Keymap, Shortcut, resolve_shortcuts
from pi_pkg import Diagnostic

T = TypeVar("T")
ClashKind: TypeAlias = Literal[
    "tool", "flag", "command", "message-renderer", "entry-renderer", "builtin-tool", "builtin-command"
]


@dataclass(frozen=True, slots=True)
class Owned(Generic[T]):
    """A registered value and the extension that brought it."""

    value: T
    extension: Extension


@dataclass(frozen=True, slots=True)
class ResolvedCommand:
    """A command under the name by which it is typed, which differs from its own after a clash."""

    invocation: str
    definition: CommandDefinition
    extension: Extension


@dataclass(frozen=True, slots=True)
class Clash:
    """Two registrations of one name. `winner` is None where the other side is built in."""

    kind: ClashKind
    name: str
    loser: Extension
    winner: Extension | None = None
    invocation: str | None = None

    def diagnostic(self) -> Diagnostic:
        """The clash as a finding about the extension that did not get the bare name."""
        winner = self.winner.path if self.winner else "pi itself"
        return Diagnostic(
            severity="info" if self.kind in ("builtin-tool", "command") else "warning",
            code=f"{self.kind}-clash",
            stage="register",
            message=self._sentence(winner),
            source=self.loser.provenance.source,
            scope=self.loser.provenance.scope,
            path=self.loser.path,
        )

    def _sentence(self, winner: str) -> str:
        match self.kind:
            case "builtin-tool":
                return f"The tool {self.name} replaces the built-in tool of that name."
            case "builtin-command":
                return f"The command /{self.name} is hidden where pi has a built-in command of that name."
            case "command":
                return f"The command /{self.name} is also in {winner}: type /{self.invocation} for this one."
            case "flag":
                return f'Flag "--{self.name}" conflicts with {winner}, whose definition counts.'
            case "tool":
                return f'Tool "{self.name}" conflicts with {winner}, whose tool counts.'
            case _:
                return f"The renderer of {self.name} is also in {winner}, whose renderer counts."


class Registry:
    """The winners among extensions in rank order. Extensions that are not active do not count."""

    def __init__(self, extensions: Sequence[Extension]) -> None:
        self._extensions = tuple(extensions)

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """Those that are active, by rank."""
        return tuple(extension for extension in self._extensions if extension.state == "active")

    def tools(self) -> tuple[Owned[ToolDefinition], ...]:
        """One tool a name, in order of first registration; the first extension by rank wins."""
        return tuple(self._winners(lambda extension: extension.tools).values())

    def find_tool(self, name: str) -> Owned[ToolDefinition] | None:
        """The winning tool of a name."""
        return self._winners(lambda extension: extension.tools).get(name)

    def flags(self) -> tuple[Owned[FlagDefinition], ...]:
        """One flag a name, as tools."""
        return tuple(self._winners(lambda extension: extension.flags).values())

    def flag_types(self) -> dict[str, FlagType]:
        """Name → type of every flag, for the second reading of the command line."""
        return {flag.value.name: flag.value.type for flag in self.flags()}

    def commands(self) -> tuple[ResolvedCommand, ...]:
        """All commands, by rank, under the names by which they are typed."""
        return tuple(_resolved_commands(self._items(lambda extension: extension.commands)))

    def find_command(self, invocation: str) -> ResolvedCommand | None:
        """The command that is typed so; after a clash the bare name means the first by rank."""
        commands = self.commands()
        exact = (command for command in commands if command.invocation == invocation)
        bare = (command for command in commands if command.definition.name == invocation)
        return next(exact, None) or next(bare, None)

    def shortcuts(self, keymap: Keymap = RESERVED_KEYS) -> tuple[dict[str, Shortcut], list[KeyConflict]]:
        """The working keys, and what stood in the way; see `resolve_shortcuts`."""
        return resolve_shortcuts(self.extensions, keymap)

    def message_renderer(self, custom_type: str) -> Callable[..., Any] | None:
        """How to show a custom message: the first by rank."""
        return self._first_renderer(custom_type, lambda extension: extension.message_renderers)

    def entry_renderer(self, custom_type: str) -> Callable[..., Any] | None:
        """How to show a custom entry: the first by rank."""
        return self._first_renderer(custom_type, lambda extension: extension.entry_renderers)

    def tool_renderers(self) -> tuple[Callable[..., Any], ...]:
        """The resolvers of tool renderers, by rank."""
        return tuple(resolver for extension in self.extensions for resolver in extension.tool_renderers)

    def clashes(
        self, *, builtin_tools: Collection[str] = (), builtin_commands: Collection[str] = ()
    ) -> tuple[Clash, ...]:
        """Every name that two wanted: by extension, then by kind. Shortcuts have their own conflicts."""
        found: list[Clash] = []
        by_kind: tuple[tuple[ClashKind, Callable[[Extension], Mapping[str, Any]]], ...] = (
            ("tool", lambda extension: extension.tools),
            ("flag", lambda extension: extension.flags),
            ("message-renderer", lambda extension: extension.message_renderers),
            ("entry-renderer", lambda extension: extension.entry_renderers),
        )
        for kind, part in by_kind:
            winners = self._winners(part)
            found += [
                Clash(kind, name, extension, winners[name].extension)
                for name, _, extension in self._items(part)
                if winners[name].extension is not extension
            ]
        found += self._command_clashes(builtin_commands)
        found += [
            Clash("builtin-tool", tool.value.name, tool.extension)
            for tool in self.tools()
            if tool.value.name in builtin_tools
        ]
        rank = {extension: number for number, extension in enumerate(self._extensions)}
        return tuple(sorted(found, key=lambda clash: rank[clash.loser]))

    def _command_clashes(self, builtin: Collection[str]) -> Iterator[Clash]:
        first: dict[str, Extension] = {}
        for command in self.commands():
            name = command.definition.name
            if name in builtin:
                yield Clash("builtin-command", name, command.extension)
            winner = first.setdefault(name, command.extension)
            if winner is not command.extension:
                yield Clash("command", name, command.extension, winner, command.invocation)

    def _items(self, part: Callable[[Extension], Mapping[str, T]]) -> Iterator[tuple[str, T, Extension]]:
        for extension in self.extensions:
            for name, value in part(extension).items():
                yield name, value, extension

    def _winners(self, part: Callable[[Extension], Mapping[str, T]]) -> dict[str, Owned[T]]:
        winners: dict[str, Owned[T]] = {}
        for name, value, extension in self._items(part):
            winners.setdefault(name, Owned(value, extension))
        return winners

    def _first_renderer(
        self, custom_type: str, part: Callable[[Extension], Mapping[str, Callable[..., Any]]]
    ) -> Callable[..., Any] | None:
        return next((value for name, value, _ in self._items(part) if name == custom_type), None)


def _resolved_commands(
    items: Iterable[tuple[str, CommandDefinition, Extension]],
) -> Iterator[ResolvedCommand]:
    """Number what shares a name, stepping over numbers that a literal name took already."""
    given = list(items)
    total = Counter(name for name, _, _ in given)
    met: Counter[str] = Counter()
    taken: set[str] = set()
    for name, definition, extension in given:
        met[name] += 1
        number = met[name]
        invocation = f"{name}:{number}" if total[name] > 1 else name
        while invocation in taken:
            number += 1
            invocation = f"{name}:{number}"
        taken.add(invocation)
        yield ResolvedCommand(invocation, definition, extension)
