"""Who wins a name: the registrations of all extensions, by rank, as one set of answers.

Computed from the live records at every question, so a registration of a running
session counts from the next one on. A clash never stops anything: the winner
works, the other is hidden or renamed, and both are named in a Diagnostic. What a
person decided about a name comes before the rank.

Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from hookspecs.definitions import CommandDefinition, FlagDefinition, FlagType, ToolDefinition
from hookspecs.values import dataclass
from pi_core.extensions.clashes import NO_RULES, ClashRules, Kind
from pi_core.extensions.findings import Clash, unused_rules
from pi_core.extensions.owners import HOST
from pi_core.extensions.registrations import Extension
from pi_core.extensions.shortcuts import RESERVED_KEYS, KeyConflict, Keymap, Shortcut, resolve_shortcuts
from pi_core.extensions.tool_functions import renamed
from pi_pkg import Diagnostic

T = TypeVar("T")

_PARTS: Mapping[Kind, Callable[[Extension], Mapping[str, Any]]] = {
    "tool": lambda extension: extension.tools,
    "flag": lambda extension: extension.flags,
    "message-renderer": lambda extension: extension.message_renderers,
    "entry-renderer": lambda extension: extension.entry_renderers,
    "command": lambda extension: extension.commands,
}
"""Where a record keeps each kind, in the order in which clashes are told."""


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


class Registry:
    """The winners among extensions in rank order. Extensions that are not active do not count.

    `rules` are the person's decisions about names; by default those that the extensions were loaded with.
    """

    def __init__(self, extensions: Sequence[Extension], rules: ClashRules | None = None) -> None:
        self._extensions = tuple(extensions)
        namings = (extension.naming for extension in self._extensions)
        loaded_with = next((naming.rules for naming in namings if naming is not None), NO_RULES)
        self.rules = loaded_with if rules is None else rules
        self._renamed: dict[tuple[Extension, Kind, str], tuple[Any, Any]] = {}

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """Those that are active, by rank."""
        return tuple(extension for extension in self._extensions if extension.state == "active")

    def tools(self) -> tuple[Owned[ToolDefinition], ...]:
        """One tool a name, in order of first registration; the first extension by rank wins."""
        return tuple(self._winners("tool").values())

    def find_tool(self, name: str, asked_by: Extension | None = None) -> Owned[ToolDefinition] | None:
        """The winning tool of a name; an extension finds its own tool also by the name that it gave it."""
        winners = self._winners("tool")
        if asked_by is not None and name in asked_by.tools:
            public = asked_by.public("tool", name) or ""
            if public in winners and winners[public].extension is asked_by:
                return winners[public]
        return winners.get(name)

    def meant_by(self, caller: str, name: str) -> str:
        """The public name of the tool that a running tool `caller` means: its own extension's comes first."""
        running = self._winners("tool").get(caller)
        found = None if running is None else self.find_tool(name, running.extension)
        return name if found is None else found.value.name

    def flags(self) -> tuple[Owned[FlagDefinition], ...]:
        """One flag a name, as tools."""
        return tuple(self._winners("flag").values())

    def flag_types(self) -> dict[str, FlagType]:
        """Name → type of every flag, for the second reading of the command line."""
        return {flag.value.name: flag.value.type for flag in self.flags()}

    def commands(self) -> tuple[ResolvedCommand, ...]:
        """All commands, by rank, under the names by which they are typed."""
        return tuple(_resolved_commands(self._items("command")))

    def find_command(self, invocation: str) -> ResolvedCommand | None:
        """The command that is typed so: as listed; by a bare name that several have; as `owner:name`.

        After a clash the bare name means the preferred one, else the first by rank.
        """
        commands = self.commands()
        exact = (command for command in commands if command.invocation == invocation)
        bare = [command for command in commands if command.definition.name == invocation]
        winner = self._winners("command").get(invocation)
        chosen = (item for item in bare if winner is not None and item.extension is winner.extension)
        owner, _, name = invocation.rpartition(":")
        qualified = (
            command
            for command in commands
            if owner and command.definition.name == name and owner in command.extension.owners()
        )
        return next(exact, None) or next(chosen, None) or next(qualified, None)

    def shortcuts(self, keymap: Keymap = RESERVED_KEYS) -> tuple[dict[str, Shortcut], list[KeyConflict]]:
        """The working keys, and what stood in the way; see `resolve_shortcuts`. `keymap` is without rules."""
        return resolve_shortcuts(self.extensions, self.rules.keymap(keymap), self.rules)

    def message_renderer(self, custom_type: str) -> Callable[..., Any] | None:
        """How to show a custom message: the first by rank."""
        found = self._winners("message-renderer").get(custom_type)
        return None if found is None else found.value

    def entry_renderer(self, custom_type: str) -> Callable[..., Any] | None:
        """How to show a custom entry: the first by rank."""
        found = self._winners("entry-renderer").get(custom_type)
        return None if found is None else found.value

    def tool_renderers(self) -> tuple[Callable[..., Any], ...]:
        """The resolvers of tool renderers, by rank."""
        return tuple(resolver for extension in self.extensions for resolver in extension.tool_renderers)

    # findings

    def clashes(
        self,
        *,
        builtin_tools: Collection[str] = (),
        builtin_commands: Collection[str] = (),
        decided: bool = False,
    ) -> tuple[Clash, ...]:
        """Every name that two wanted: by extension, then by kind. Shortcuts have their own conflicts.

        Those that a rule decides are told only if `decided` asks for them.
        """
        found: list[Clash] = []
        for kind in _PARTS:
            found += self._clashes_of(kind, builtin_commands if kind == "command" else ())
        for tool in self.tools():
            if tool.value.name in builtin_tools:
                rule = self._rule("tool", tool.value.name)
                found.append(Clash("builtin-tool", tool.value.name, tool.extension, rule=rule))
        rank = {extension: number for number, extension in enumerate(self._extensions)}
        told = [clash for clash in found if decided or clash.rule is None]
        return tuple(sorted(told, key=lambda clash: rank[clash.loser]))

    def findings(
        self,
        *,
        builtin_tools: Collection[str] = (),
        builtin_commands: Collection[str] = (),
        keymap: Keymap | None = None,
    ) -> tuple[Diagnostic, ...]:
        """Everything that a person should know about names: clashes, conflicts of keys, rules without effect.

        Without a `keymap` this run has no keys, and nothing is said about them.
        """
        clashes = self.clashes(builtin_tools=builtin_tools, builtin_commands=builtin_commands)
        conflicts = [] if keymap is None else self.shortcuts(keymap)[1]
        return (
            *(clash.diagnostic() for clash in clashes),
            *(conflict.diagnostic() for conflict in conflicts),
            *unused_rules(self.rules, self.extensions),
        )

    def _clashes_of(self, kind: Kind, builtin: Collection[str]) -> Iterator[Clash]:
        winners = self._winners(kind)
        typed = iter(self.commands()) if kind == "command" else None
        for name, _, extension in self._items(kind):
            invocation = None if typed is None else next(typed).invocation
            if name in builtin:
                yield Clash("builtin-command", name, extension, rule=self._rule("command", name))
            winner = winners[name].extension
            if winner is not extension:
                clash = "command" if kind == "command" else kind
                yield Clash(clash, name, extension, winner, invocation, self._rule(kind, name))

    # names

    def _items(self, kind: Kind) -> Iterator[tuple[str, Any, Extension]]:
        """Every registration of a kind by rank, under its public name; those switched off are left out."""
        part = _PARTS[kind]
        for extension in self.extensions:
            for name, value in part(extension).items():
                public = extension.public(kind, name)
                if public is None or (kind == "tool" and self.rules.prefer.get(f"tool:{public}") == HOST):
                    continue
                if public != name:
                    value = self._called(kind, public, value, extension)
                yield public, value, extension

    def _called(self, kind: Kind, name: str, value: Any, extension: Extension) -> Any:
        """A definition under another name; the same object as long as the extension keeps the definition."""
        known = self._renamed.get((extension, kind, name))
        if known is None or known[0] is not value:
            made = renamed(value, name) if kind == "tool" else replace(value, name=name)
            known = self._renamed[extension, kind, name] = (value, made)
        return known[1]

    def _winners(self, kind: Kind) -> dict[str, Owned[Any]]:
        winners: dict[str, Owned[Any]] = {}
        settled: set[str] = set()
        for name, value, extension in self._items(kind):
            if name not in winners:
                winners[name] = Owned(value, extension)
            preferred = self.rules.prefer.get(f"{kind}:{name}") if self.rules else None
            if preferred is not None and name not in settled and preferred in extension.owners():
                settled.add(name)
                winners[name] = Owned(value, extension)
        return winners

    def _rule(self, kind: Kind, name: str) -> str | None:
        """The rule that decides about a name, if one of its owners is there."""
        preferred = self.rules.prefer.get(f"{kind}:{name}")
        if preferred is None:
            return None
        owners = (extension.owners() for found, _, extension in self._items(kind) if found == name)
        matches = preferred == HOST or any(preferred in names for names in owners)
        return f'prefer."{kind}:{name}" = "{preferred}"' if matches else None


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
