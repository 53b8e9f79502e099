"""Which extension gets a key: the later one, unless the key belongs to the program itself.

Keys are compared with their modifiers in one fixed order and without regard to
case, and only with actions that are active where shortcuts are: in the prompt.
Reserved keys are judged by the keymap in effect, so a key that the person took
away from a reserved action is free, and the new one is not. A key that the
person gave to a shortcut beats one that an author wished for.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from hookspecs.definitions import ShortcutDefinition
from hookspecs.values import dataclass
from pi_core.extensions.clashes import NO_RULES, ClashRules
from pi_core.extensions.owners import HOST
from pi_core.extensions.registrations import Extension
from pi_pkg import Diagnostic

Keymap: TypeAlias = Mapping[str, Sequence[str]]
ConflictKind: TypeAlias = Literal["reserved", "overrides-builtin", "overrides-extension"]
InputContext: TypeAlias = Literal["prompt", "list", "sessions", "models", "tree", "search"]
"""Where keys are read: the prompt with all around it, or one of the screens that take the keys over."""

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
    """A key that two wanted, and what came of it; `extension` is the one that the finding is about.

    reserved: the key stays with the built-in `action`, and the shortcut does not work.
    overrides-builtin: the shortcut works in place of `action`.
    overrides-extension: the shortcut works in place of that of `other`.
    """

    kind: ConflictKind
    key: str
    extension: Extension
    action: str | None = None
    other: Extension | None = None
    action_id: str | None = None
    """What the author called the shortcut that does not work, or that replaces a built-in one."""

    def diagnostic(self) -> Diagnostic:
        """The conflict as a finding."""
        return Diagnostic(
            severity="warning",
            code="shortcut-reserved" if self.kind == "reserved" else f"shortcut-{self.kind}",
            stage="register",
            message=self._sentence(),
            source=self.extension.provenance.source,
            scope=self.extension.provenance.scope,
            path=self.extension.path,
            hint=self._advice(),
        )

    def _sentence(self) -> str:
        path = self.extension.path
        match self.kind:
            case "reserved":
                return f"The shortcut {self.key} of {path} is left out: {self.action} needs this key."
            case "overrides-builtin":
                return f"The key {self.key} is taken by {path} from the built-in action {self.action}."
            case "overrides-extension":
                other = self.other.path if self.other else "another extension"
                return f"The key {self.key} is wanted by {other} and by {path}, which gets it."

    def _advice(self) -> str:
        unhappy = self.other if self.kind == "overrides-extension" and self.other else self.extension
        action = self.action_id or self.key
        return f'Choose another key: "{unhappy.owners()[0]}/{action}" = "…" under [keys].'


_ELSEWHERE: Final[tuple[tuple[str, InputContext], ...]] = (
    ("tui.select.", "list"),
    ("tui.altScreen.search", "search"),
    ("app.tree.", "tree"),
    ("app.models.", "models"),
    ("app.session.toggle", "sessions"),
    ("app.session.rename", "sessions"),
    ("app.session.delete", "sessions"),
)
"""How the actions begin that are not active in the prompt."""


def context_of(action: str) -> InputContext:
    """Where the keys of a built-in action are read."""
    return next((context for start, context in _ELSEWHERE if action.startswith(start)), "prompt")


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


def unknown_modifiers(key: str) -> list[str]:
    """What stands before the key itself and is no modifier: `hyper` in `hyper+p`, `ctr` in `ctr+p`."""
    *before, _ = normalise_key(key).split("+")
    return [part for part in before if part and part not in _MODIFIERS]


@dataclass(frozen=True, slots=True)
class _Wish:
    """A shortcut that wants a key; `chosen` if a person gave it the key."""

    key: str
    spelled: str
    definition: ShortcutDefinition
    extension: Extension
    chosen: bool


def resolve_shortcuts(
    extensions: Iterable[Extension], keymap: Keymap = RESERVED_KEYS, rules: ClashRules = NO_RULES
) -> tuple[dict[str, Shortcut], list[KeyConflict]]:
    """The working shortcuts by normalised key, and the conflicts in the order in which they were met.

    `keymap` holds the keys of every action in effect; actions that it leaves out have none. What `rules`
    decide is no conflict.
    """
    owners = _owners(keymap)
    preferred = {normalise_key(key): owner for key, owner in _preferred(rules)}
    winners: dict[str, _Wish] = {}
    conflicts: list[KeyConflict] = []
    for wish in [wish for extension in extensions for wish in _wishes(extension)]:
        action = owners.get(wish.key)
        name = wish.definition.action_id
        if action in RESERVED_KEYS:
            conflicts.append(KeyConflict("reserved", wish.spelled, wish.extension, action, action_id=name))
            continue
        owner = preferred.get(wish.key)
        if action is not None and owner == HOST:
            continue
        earlier = winners.get(wish.key)
        if action is not None and not wish.chosen and owner is None:
            conflicts.append(
                KeyConflict("overrides-builtin", wish.spelled, wish.extension, action, action_id=name)
            )
        winner = wish if earlier is None else _stronger(earlier, wish, owner)
        winners[wish.key] = winner
        if earlier is not None and not _decided(earlier, wish, owner):
            loser = earlier if winner is wish else wish
            conflicts.append(
                KeyConflict(
                    "overrides-extension",
                    winner.spelled,
                    winner.extension,
                    other=loser.extension,
                    action_id=loser.definition.action_id,
                )
            )
    return {key: Shortcut(key, wish.definition, wish.extension) for key, wish in winners.items()}, conflicts


def _wishes(extension: Extension) -> Iterator[_Wish]:
    """What an extension wants, as the person has it; a shortcut may have several keys, or none."""
    for spelled, definition in extension.shortcuts.items():
        public = extension.public("shortcut", spelled)
        if public is None:
            continue
        naming = extension.naming
        names = (definition.action_id, spelled, normalise_key(spelled))
        chosen = None if naming is None else naming.keys(*names)
        if chosen is None and public != spelled:
            chosen = (public,)
        for key in (spelled,) if chosen is None else chosen:
            yield _Wish(normalise_key(key), key, definition, extension, chosen is not None)


def _preferred(rules: ClashRules) -> Iterator[tuple[str, str]]:
    for subject, owner in rules.prefer.items():
        if subject.startswith("shortcut:"):
            yield subject.removeprefix("shortcut:"), owner


def _stronger(earlier: _Wish, later: _Wish, owner: str | None) -> _Wish:
    """Who gets the key: the preferred owner, else whom a person gave it, else the later one."""
    if owner is not None and owner in earlier.extension.owners():
        return earlier
    if owner is not None and owner in later.extension.owners():
        return later
    return earlier if earlier.chosen and not later.chosen else later


def _decided(earlier: _Wish, later: _Wish, owner: str | None) -> bool:
    """Whether a person said who gets the key."""
    return owner is not None and any(owner in wish.extension.owners() for wish in (earlier, later))


def _owners(keymap: Keymap) -> dict[str, str]:
    """The action that has a key in the prompt: the last one in the keymap, a reserved one first of all."""
    return {
        normalise_key(key): action
        for action in sorted(keymap, key=lambda name: name in RESERVED_KEYS)
        if action in RESERVED_KEYS or context_of(action) == "prompt"
        for key in keymap[action]
    }
