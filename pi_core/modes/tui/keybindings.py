"""`keybindings.toml`: the person's own keys, by action id; what makes no sense in it is told and left out.

    "app.model.select" = "ctrl+shift+m"
    "tui.input.newLine" = ["shift+enter", "ctrl+j"]
    "app.clear" = []

Touches: the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from hookspecs.ui import Severity
from hookspecs.values import dataclass
from pi_core.extensions.shortcuts import normalise_key, unknown_modifiers
from pi_core.modes.tui.keys import KeyAction, actions
from pi_pkg import Diagnostic

FILE_NAME: Final = "keybindings.toml"
MAX_BYTES: Final = 256 * 1024
"""No table of keys is larger."""

Overrides = dict[str, tuple[str, ...]]

_ELSEWHERE: Final[Mapping[str, str]] = {
    "app.thinking.save": "A level that is chosen is kept at once.",
    "tui.input.copy": "app.clear copies what is selected, if anything is.",
}
"""Actions of pi that there are none of here, and what is done instead."""

_NAMED: Final = frozenset(
    (
        "enter", "return", "tab", "space", "escape", "esc", "backspace", "delete", "insert", "home", "end",
        "pageup", "pagedown", "up", "down", "left", "right", "plus", "minus", "clear",
        *(f"f{number}" for number in range(1, 25)),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Keybindings:
    """The keys of a person by action id, and what is wrong with the file."""

    overrides: Mapping[str, tuple[str, ...]]
    findings: tuple[Diagnostic, ...] = ()


def read_keybindings(agent_dir: Path) -> Keybindings:
    """The file of a person; without one, nothing is changed. A file that cannot be read changes nothing."""
    path = agent_dir / FILE_NAME
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES} bytes")
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return Keybindings({})
    except (OSError, ValueError) as error:
        problem = _finding("keybindings-unreadable", f"The keys cannot be read: {error}.", path, "error")
        return Keybindings({}, (problem,))
    return keybindings_of(values, path)


def keybindings_of(values: Mapping[str, Any], path: Path) -> Keybindings:
    """The same for what a file holds."""
    findings: list[Diagnostic] = []
    given: Overrides = {}
    known = {action.id: action for action in actions()}
    for name, value in _flat(values):
        if name not in known:
            findings.append(_unknown(name, known, path))
            continue
        keys = _keys(name, value, path, findings)
        if keys is not None:
            given[name] = keys
    return Keybindings(_settled(given, path, findings), tuple(findings))


def _flat(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Ids with their values, whether they are quoted or written as tables of tables."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield above + name, value


def _unknown(name: str, known: Mapping[str, KeyAction], path: Path) -> Diagnostic:
    if name in _ELSEWHERE:
        said = f"There is no action {name} here."
        return _finding("keybindings-no-effect", said, path, "info", hint=_ELSEWHERE[name])
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else "/hotkeys lists all actions."
    return _finding("keybindings-unknown-action", f"There is no action {name!r}.", path, hint=hint)


def _keys(name: str, value: Any, path: Path, findings: list[Diagnostic]) -> tuple[str, ...] | None:
    """The keys that are some; None if the value is neither a text nor a list of them."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(key, str) for key in listed):
        said = f"The keys of {name} must be a text or a list of texts."
        findings.append(_finding("keybindings-bad-key", said, path))
        return None
    good = []
    for key in listed:
        problem = key_problem(key)
        if problem:
            findings.append(_finding("keybindings-bad-key", f"{key!r}, given to {name}, {problem}.", path))
        else:
            good.append(key)
    return tuple(good) if good or not listed else None


def key_problem(key: str) -> str:
    """What is wrong with a key, as in "… is no key"; empty if nothing."""
    strange = unknown_modifiers(key)
    if strange:
        return f"has {strange[0]!r}, which is no modifier"
    last = "+" if key.strip().endswith("+") else normalise_key(key).rsplit("+", 1)[-1]
    return "" if len(last) == 1 or last in _NAMED else "is no key"


def _settled(given: Overrides, path: Path, findings: list[Diagnostic]) -> Overrides:
    """A key that the person gave to an action is taken from others that have it in the same place."""
    settled = dict(given)
    for name, keys in given.items():
        for key in keys:
            for other in _rivals(name, key, settled):
                if other in given:
                    if list(given).index(other) > list(given).index(name):
                        said = f"{key} is given to {name} and to {other}."
                        findings.append(_finding("keybindings-conflict", said, path, hint="One acts."))
                    continue
                left = tuple(k for k in _keys_of(other, settled) if normalise_key(k) != normalise_key(key))
                settled[other] = left
                said = f"{key} does {name} now, and no longer {other}."
                hint = None if left else f"{other} has no key left."
                findings.append(_finding("keybindings-conflict", said, path, hint=hint))
    return settled


def _rivals(name: str, key: str, settled: Overrides) -> list[str]:
    """Other actions that have a key where this one is read."""
    by_id = {action.id: action for action in actions()}
    places = _read_together(by_id[name].where)
    wanted = normalise_key(key)
    return [
        action.id
        for action in by_id.values()
        if action.id != name
        and action.where in places
        and any(normalise_key(other) == wanted for other in _keys_of(action.id, settled))
    ]


def _read_together(where: str) -> Sequence[str]:
    """The places whose keys are read at the same time."""
    match where:
        case "chat" | "editor":
            return ("chat", "editor")
        case "search":
            return ("search",)
        case "list":
            return ("list", "sessions", "models", "tree")
        case _:
            return ("list", where)


def _keys_of(name: str, settled: Overrides) -> tuple[str, ...]:
    if name in settled:
        return settled[name]
    return next(action.keys for action in actions() if action.id == name)


def _finding(
    code: str, message: str, path: Path, severity: Severity = "warning", *, hint: str | None = None
) -> Diagnostic:
    return Diagnostic(severity, code, "settings", message, path=str(path), hint=hint)
