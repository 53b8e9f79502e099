"""What a person decided about names: whose registration counts, what it is called, what is switched off.

The tables `[clashes]` and `[keys]` of the settings as one value. It knows no registrations; whoever
has some asks it by the names of their owner.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias, get_args

from hookspecs.values import dataclass
from pi_pkg import Diagnostic

Kind: TypeAlias = Literal["tool", "command", "flag", "shortcut", "message-renderer", "entry-renderer"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

_SUBJECT: Final = re.compile(rf"(?P<kind>{'|'.join(KINDS)}):(?P<name>.+)", re.DOTALL)
_OWNED: Final = re.compile(rf".+/(?P<kind>{'|'.join(KINDS)}):(?P<name>.+)", re.DOTALL)
_NAMES: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "tool": (re.compile(r"[A-Za-z0-9_-]{1,64}"), "letters, digits, - and _, 64 of them at most"),
    "command": (re.compile(r"[^\s/]\S*"), "one word without a slash in front"),
    "flag": (re.compile(r"[^\s-]\S*"), "one word without dashes in front"),
    "shortcut": (re.compile(r".*\S.*"), "a key such as ctrl+alt+p"),
}
"""What a new name may be; the kinds that are not here keep their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClashRules:
    """Decisions by subject. A subject is `kind:name`, with `owner/` in front where one owner is meant."""

    prefer: Mapping[str, str] = field(default_factory=dict)
    """`tool:search` → the owner whose one counts; `pi` is the host."""
    alias: Mapping[str, str] = field(default_factory=dict)
    """`owner/tool:search` → the name under which it is known."""
    hide: frozenset[str] = frozenset()
    """`owner/command:x` is not there."""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """`owner/action`, or the id of a built-in action → its keys; none at all unbinds it."""

    def __bool__(self) -> bool:
        return bool(self.prefer or self.alias or self.hide or self.keys)

    def keymap(self, defaults: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
        """The keys of the built-in actions in effect."""
        return {action: self.keys.get(action, keys) for action, keys in defaults.items()}

    def subjects(self) -> Iterable[tuple[str, str]]:
        """Every rule about registrations as (how it is written, its subject). Ordered."""
        for subject in self.prefer:
            yield f'prefer."{subject}"', subject
        for subject in self.alias:
            yield f'alias."{subject}"', subject
        for subject in sorted(self.hide):
            yield f'hide "{subject}"', subject


NO_RULES: Final = ClashRules()


@dataclass(frozen=True, slots=True)
class Naming:
    """How the registrations of one extension are called from outside, as the rules have it."""

    owners: tuple[str, ...]
    """Every name of its owner."""
    rules: ClashRules

    def public(self, kind: Kind, name: str) -> str | None:
        """The name under which others know a registration; None for one that is switched off."""
        for owner in self.owners:
            subject = f"{owner}/{kind}:{name}"
            if subject in self.rules.hide:
                return None
            if subject in self.rules.alias:
                return self.rules.alias[subject]
        return name

    def keys(self, *actions: str | None) -> tuple[str, ...] | None:
        """The keys that a person chose for a shortcut, known by any of these names; None if none."""
        for owner in self.owners:
            for action in actions:
                chosen = self.rules.keys.get(f"{owner}/{action}")
                if action is not None and chosen is not None:
                    return chosen
        return None


def read_rules(clashes: object = None, keys: object = None) -> tuple[ClashRules, tuple[Diagnostic, ...]]:
    """Read the tables `clashes` and `keys` of the settings; what cannot be meant is reported and left out."""
    findings: list[Diagnostic] = []
    table = clashes if isinstance(clashes, Mapping) else {}
    rules = ClashRules(
        prefer=_prefer(_strings(table.get("prefer")), findings),
        alias=_alias(_strings(table.get("alias")), findings),
        hide=_hide(table.get("hide"), findings),
        keys=_keys(keys),
    )
    return rules, tuple(findings)


def _prefer(table: Mapping[str, str], findings: list[Diagnostic]) -> dict[str, str]:
    good = {subject: owner for subject, owner in table.items() if _SUBJECT.fullmatch(subject)}
    findings += [
        _finding(f'prefer."{subject}"', 'Write it as prefer."tool:NAME" = "PACKAGE".')
        for subject in table.keys() - good.keys()
    ]
    return good


def _alias(table: Mapping[str, str], findings: list[Diagnostic]) -> dict[str, str]:
    good = {}
    for subject, name in table.items():
        match = _OWNED.fullmatch(subject)
        if match is None or match["kind"] not in _NAMES:
            findings.append(
                _finding(f'alias."{subject}"', 'Write it as alias."PACKAGE/tool:NAME" = "NEW_NAME".')
            )
            continue
        pattern, wanted = _NAMES[match["kind"]]
        if pattern.fullmatch(name):
            good[subject] = name
        else:
            findings.append(_finding(f'alias."{subject}" = "{name}"', f"The new name must be {wanted}."))
    return good


def _hide(listed: object, findings: list[Diagnostic]) -> frozenset[str]:
    given = [item for item in listed if isinstance(item, str)] if isinstance(listed, Sequence) else []
    good = frozenset(subject for subject in given if _OWNED.fullmatch(subject))
    findings += [
        _finding(f'hide "{subject}"', 'Write it as "PACKAGE/command:NAME".')
        for subject in given
        if subject not in good
    ]
    return good


def _keys(table: object) -> dict[str, tuple[str, ...]]:
    """One key, several, or an empty string for none."""
    chosen: dict[str, tuple[str, ...]] = {}
    for action, keys in table.items() if isinstance(table, Mapping) else ():
        given: Iterable[Any] = [keys] if isinstance(keys, str) else keys if isinstance(keys, Sequence) else ()
        chosen[str(action)] = tuple(key for key in given if isinstance(key, str) and key.strip())
    return chosen


def _strings(table: object) -> dict[str, str]:
    """The entries of a table that are strings; the settings report the others."""
    if not isinstance(table, Mapping):
        return {}
    return {str(key): value for key, value in table.items() if isinstance(value, str)}


def _finding(rule: str, hint: str) -> Diagnostic:
    message = f"The rule {rule} under [clashes] cannot be meant; it is left out."
    return Diagnostic("warning", "clash-rule-invalid", "settings", message, hint=hint)
