"""Which extension gets a key: the later one, unless the key belongs to the program itself.

Keys are compared with their modifiers in one fixed order and without regard to
case. Reserved keys are judged by the keymap in effect, so a key that the person
took away from a reserved action is free, and the new one is not.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from hookspecs.definitions import ShortcutDefinition
from pi_core.extensions.registrations import Extension

Keymap: TypeAlias = Mapping[str, Sequence[str]]
ConflictKind: TypeAlias = Literal["reserved", "overrides-builtin", "overrides-extension"]

_MODIFIERS: Final = ("ctrl", "alt", "shift", "super", "meta")

RESERVED_KEYS: Final[Keymap] = {
    "app.interrupt": ("escape",),
    "app.clear": ("ctrl+c",),
    "app.exit": ("ctrl+d",),
    "app.suspend": ("ctrl+z",),
    "app.thinking.cycle": ("shift+tab",),
    "app.model.cycleForward": ("ctrl+p",),
    "app.model.cycleBackward": ("shift+ctrl+p",),
    "app.model.select": ("ctrl+l",),
    "app.tools.expand": ("ctrl+o",),
    "app.thinking.toggle": ("ctrl+t",),
    "app.editor.external": ("ctrl+g",),
    "app.message.copy": ("ctrl+x",),
    "app.message.followUp": ("alt+enter",),
    "tui.input.submit": ("enter",),
    "tui.select.confirm": ("enter",),
    "tui.select.cancel": ("escape", "ctrl+c"),
    "tui.input.copy": ("ctrl+c",),
    "tui.editor.deleteToLineEnd": ("ctrl+k",),
}
"""The actions whose keys no extension gets, with the keys that they have unless the person rebinds them."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A key that works. `key` is normalised."""

    key: str
    definition: ShortcutDefinition
    extension: Extension


@dataclass(frozen=True, slots=True)
class KeyConflict:
    """A key that two wanted. `action` is set for built-in keys, `other` for an earlier extension's."""

    kind: ConflictKind
    key: str
    extension: Extension
    action: str | None = None
    other: Extension | None = None


def normalise_key(key: str) -> str:
    """`Shift+CTRL+p` → `ctrl+shift+p`: lower case, modifiers in one order. The key itself may be `+`."""
    text = key.strip().lower()
    body, last = ("", "+") if text == "+" else text.rsplit("+", 1) if "+" in text else ("", text)
    if last == "":  # the key is a plus: ctrl++
        body, last = body.rstrip("+"), "+"
    given = [part.strip() for part in body.split("+") if part.strip()]
    known = [modifier for modifier in _MODIFIERS if modifier in given]
    other = [part for part in given if part not in _MODIFIERS]
    return "+".join([*known, *other, last.strip()])


def resolve_shortcuts(
    extensions: Iterable[Extension], keymap: Keymap = RESERVED_KEYS
) -> tuple[dict[str, Shortcut], list[KeyConflict]]:
    """The working shortcuts by normalised key, and the conflicts in the order in which they were met.

    `keymap` holds the keys of every action in effect; actions that it leaves out have none.
    """
    owners = _owners(keymap)
    winners: dict[str, Shortcut] = {}
    conflicts: list[KeyConflict] = []
    for extension in extensions:
        for spelled, definition in extension.shortcuts.items():
            key = normalise_key(spelled)
            action = owners.get(key)
            if action in RESERVED_KEYS:
                conflicts.append(KeyConflict("reserved", spelled, extension, action))
                continue
            if action is not None:
                conflicts.append(KeyConflict("overrides-builtin", spelled, extension, action))
            if (earlier := winners.get(key)) is not None:
                conflicts.append(
                    KeyConflict("overrides-extension", spelled, extension, other=earlier.extension)
                )
            winners[key] = Shortcut(key, definition, extension)
    return winners, conflicts


def _owners(keymap: Keymap) -> dict[str, str]:
    """The action that has a key: the last one in the keymap, but a reserved one before any other."""
    return {
        normalise_key(key): action
        for action in sorted(keymap, key=lambda name: name in RESERVED_KEYS)
        for key in keymap[action]
    }
