"""What a person is told about names: two that wanted one, and rules that decide nothing.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from hookspecs.values import dataclass
from pi_core.extensions.clashes import KINDS, ClashRules
from pi_core.extensions.registrations import Extension
from pi_pkg import Diagnostic

ClashKind: TypeAlias = Literal[
    "tool",
    "flag",
    "command",
    "shortcut",
    "message-renderer",
    "entry-renderer",
    "builtin-tool",
    "builtin-command",
]


@dataclass(frozen=True, slots=True)
class Clash:
    """Two registrations of one name. `winner` is None where the other side is built in.

    `rule` is the person's rule that decides, if there is one; `invocation` is what still reaches a
    command that lost its bare name.
    """

    kind: ClashKind
    name: str
    loser: Extension
    winner: Extension | None = None
    invocation: str | None = None
    rule: str | None = None

    def diagnostic(self) -> Diagnostic:
        """The clash as a finding about the extension that did not get the bare name."""
        harmless = self.rule is not None or self.kind in ("builtin-tool", "command")
        return Diagnostic(
            severity="info" if harmless else "warning",
            code=f"{self.kind}-clash",
            stage="register",
            message=self._sentence(self.winner.path if self.winner else "pi itself"),
            source=self.loser.provenance.source,
            scope=self.loser.provenance.scope,
            path=self.loser.path,
            hint=f"Decided by {self.rule}." if self.rule else self._advice(),
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

    def _advice(self) -> str:
        """How to settle it under [clashes]; a name of the owner is one that rules understand."""
        owner = self.loser.owners()[0]
        match self.kind:
            case "builtin-tool":
                return f'To keep the built-in one: prefer."tool:{self.name}" = "pi" under [clashes].'
            case "builtin-command":
                return f'To rename it: alias."{owner}/command:{self.name}" = "…" under [clashes].'
            case "command" | "tool" | "flag":
                subject = f"{self.kind}:{self.name}"
                return (
                    f'To choose, under [clashes]: prefer."{subject}" = "{owner}",'
                    f' or alias."{owner}/{subject}" = "…", or hide = ["{owner}/{subject}"].'
                )
            case _:
                return f'To choose: prefer."{self.kind}:{self.name}" = "{owner}" under [clashes].'


def unused_rules(rules: ClashRules, extensions: Iterable[Extension]) -> Iterator[Diagnostic]:
    """Rules about an extension that is there and registered no such thing: a name may be misspelt.

    Rules about owners that are not there say nothing; a package may be switched off for a while.
    """
    present = [(owner, extension) for extension in extensions for owner in extension.owners()]
    for written, subject in rules.subjects():
        owners = [pair for pair in present if subject.startswith(pair[0] + "/")]
        if owners and not any(_has(extension, subject[len(owner) + 1 :]) for owner, extension in owners):
            yield _unused(written, owners[0])
    for action in rules.keys:
        owners = [pair for pair in present if action.startswith(pair[0] + "/")]
        if owners and not any(
            _has_action(extension, action[len(owner) + 1 :]) for owner, extension in owners
        ):
            yield _unused(f'"{action}"', owners[0])


def _has(extension: Extension, subject: str) -> bool:
    kind, _, name = subject.partition(":")
    parts: Mapping[str, Mapping[str, Any]] = {
        "tool": extension.tools,
        "command": extension.commands,
        "flag": extension.flags,
        "shortcut": extension.shortcuts,
        "message-renderer": extension.message_renderers,
        "entry-renderer": extension.entry_renderers,
    }
    return kind in KINDS and name in parts[kind]


def _has_action(extension: Extension, action: str) -> bool:
    return any(action in (spelled, item.action_id) for spelled, item in extension.shortcuts.items())


def _unused(rule: str, owner: tuple[str, Extension]) -> Diagnostic:
    name, extension = owner
    return Diagnostic(
        "info",
        "clash-rule-unused",
        "register",
        f"The rule {rule} has nothing to decide: {name} registered nothing of that name.",
        source=extension.provenance.source,
        scope=extension.provenance.scope,
        path=extension.path,
    )
