"""Configured values: literal text, `$NAME` of an environment, or `!command` whose output counts.

`$NAME` and `${NAME}` are replaced anywhere, `$$` and `$!` stand for `$` and
`!`. A variable that is unset or empty leaves the whole value unresolved.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from hookspecs.values import dataclass

PIECE: Final = re.compile(r"\$(?:([$!])|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")

RunCommand: TypeAlias = Callable[[str], Awaitable[str | None]]
"""Runs a shell command. Returns its trimmed output; None if it failed or said nothing."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it was written. `names` are the variables that it needs, in order, each once."""

    text: str

    @property
    def command(self) -> str | None:
        """The shell command, if the value is one."""
        return self.text[1:] if self.text.startswith("!") else None

    @property
    def names(self) -> tuple[str, ...]:
        if self.command is not None:
            return ()
        return tuple(dict.fromkeys(name for match in PIECE.finditer(self.text) if (name := name_in(match))))

    @property
    def sole_name(self) -> str | None:
        """The variable's name, if the value is that variable and nothing else."""
        match = PIECE.fullmatch(self.text)
        return name_in(match) if match else None

    def missing(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """The variables that are unset or empty, in order."""
        return tuple(name for name in self.names if not environment.get(name))

    def filled(self, environment: Mapping[str, str]) -> str | None:
        """The text with every variable filled in; None if one is missing. Not for commands."""
        if self.missing(environment):
            return None
        return PIECE.sub(lambda match: match[1] or environment[name_in(match) or ""], self.text)


class Values:
    """Resolves values against one environment. A command runs once; its answer is kept, failures too."""

    def __init__(self, environment: Mapping[str, str], run_command: RunCommand) -> None:
        self._environment = environment
        self._run_command = run_command
        self._outputs: dict[str, str | None] = {}

    async def resolve(self, text: str, scoped: Mapping[str, str] | None = None) -> str | None:
        """The value, None if it cannot be resolved. Non-empty `scoped` variables win."""
        value = Value(text)
        command = value.command
        if command is None:
            return value.filled(self.environment(scoped))
        if command not in self._outputs:
            self._outputs[command] = await self._run_command(command) if command.strip() else None
        return self._outputs[command]

    def is_configured(self, text: str, scoped: Mapping[str, str] | None = None) -> bool:
        """Whether the value can be expected to resolve; a command is not run for that."""
        return not self.missing(text, scoped)

    def missing(self, text: str, scoped: Mapping[str, str] | None = None) -> str:
        """The variables that keep the value from resolving, with commas between them; empty if none."""
        return ", ".join(Value(text).missing(self.environment(scoped)))

    def environment(self, scoped: Mapping[str, str] | None = None) -> dict[str, str]:
        """The variables, with the non-empty scoped ones over them."""
        return {**self._environment, **{name: text for name, text in (scoped or {}).items() if text}}


def name_in(match: re.Match[str]) -> str | None:
    """The variable of a match; None for an escape."""
    return match[2] or match[3]
