"""Values of settings held against the table of keys: what has the wrong type is left out and reported.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, assert_never

from pi_pkg.settings.findings import Findings, shown
from pi_pkg.settings.keys import SECURING, Key, Tree, tree
from pi_pkg.settings.places import Steps

_NOTHING: Final = object()
"""The value cannot be used."""


def checked(
    values: Mapping[str, Any], findings: Findings, *, without: Collection[str] = ()
) -> dict[str, Any]:
    """The usable values, keys in their order; unknown keys as they are, at every depth.

    Keys of the top level that are named `without` are somebody else's to check, and are kept.
    """
    known = {name: key for name, key in tree().items() if name not in without}
    kept = _table(values, known, (), findings)
    return {
        name: value if name in SECURING else kept[name]
        for name, value in values.items()
        if name in kept or name in SECURING
    }


def _table(values: Mapping[str, Any], known: Tree, above: Steps, findings: Findings) -> dict[str, Any]:
    kept = {}
    for name, value in values.items():
        at = (*above, name)
        match known.get(name):
            case None:
                kept[name] = value
            case Key() as key:
                usable = _usable(key, value, at, findings)
                if usable is not _NOTHING:
                    kept[name] = usable
            case inner if isinstance(value, Mapping):
                kept[name] = _table(value, inner, at, findings)
            case _:
                _refuse(at, value, "a table", findings)
    return kept


def _usable(key: Key, value: Any, at: Steps, findings: Findings) -> Any:
    """The value, or what of it can be used."""
    match key.kind:
        case "strings":
            return _strings(key, value, at, findings)
        case "string-table" | "keys-table":
            return _names(key, value, at, findings)
        case "string" | "boolean" | "integer" | "number" | "choice":
            if _fits(key, value):
                return value
            return _refuse(at, value, key.wanted, findings)
        case _:
            assert_never(key.kind)


def _fits(key: Key, value: Any) -> bool:
    match key.kind:
        case "boolean":
            return isinstance(value, bool)
        case "choice":
            return value in key.choices
        case "integer" | "number":
            types: tuple[type, ...] = (int,) if key.kind == "integer" else (int, float)
            is_number = isinstance(value, types) and not isinstance(value, bool)
            return is_number and (key.least is None or value >= key.least)
        case _:
            return isinstance(value, str)


def _strings(key: Key, value: Any, at: Steps, findings: Findings) -> Any:
    if not isinstance(value, list):
        return _refuse(at, value, key.wanted, findings)
    for number, item in enumerate(value):
        if not isinstance(item, str):
            _refuse((*at, number), item, "a string", findings)
    return [item for item in value if isinstance(item, str)]


def _names(key: Key, value: Any, at: Steps, findings: Findings) -> Any:
    if not isinstance(value, Mapping):
        return _refuse(at, value, key.wanted, findings)
    kept = {}
    for name, item in value.items():
        if isinstance(item, str):
            kept[name] = item
        elif key.kind == "keys-table" and isinstance(item, list):
            kept[name] = _strings(key, item, (*at, name), findings)
        else:
            wanted = "a string" if key.kind == "string-table" else "a string or a list of strings"
            _refuse((*at, name), item, wanted, findings)
    return kept


def _refuse(at: Steps, value: Any, wanted: str, findings: Findings) -> object:
    """Report a value of the wrong type; nothing can be used."""
    then = "what needs it will refuse" if at[0] in SECURING else "it is left out"
    findings.warn("settings-type", f"'{spelt(at)}' is {shown(value)}, not {wanted}; {then}.", at)
    return _NOTHING


def spelt(at: Steps) -> str:
    """The way to a value as people write it, items counted from 1: `packages[1].skills`."""
    text = ""
    for step in at:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return text
