"""Copies of messages, fast: a copier is generated once for each class of message.

What a generated copier does: take over the attributes, then copy those that can hold
something mutable. Fields whose annotation names only immutable types are left alone,
so a text message costs one dictionary and one object.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

_ATOMS: Final = frozenset({str, int, float, bool, type(None), bytes, complex})
_IMMUTABLE: Final = frozenset({"str", "int", "float", "bool", "None", "bytes"})

Copier = Callable[[Any], Any]


def copy_messages(messages: Any) -> list[Any]:
    """A new list of copied messages, in the same order. Raises what an uncopyable member raises."""
    return [copy_value(message) for message in messages]


def copy_value(value: Any) -> Any:
    """A copy that shares nothing mutable with the original."""
    kind: Any = type(value)
    if kind in _ATOMS:
        return value
    if kind is list:
        return [item if type(item) in _ATOMS else copy_value(item) for item in value]
    if kind is dict:
        return {key: item if type(item) in _ATOMS else copy_value(item) for key, item in value.items()}
    return copier_of(kind)(value)


@cache
def copier_of(kind: Any) -> Copier:
    """The copier of a class: generated for plain dataclasses, `deepcopy` for anything else."""
    if not is_dataclass(kind) or "__slots__" in kind.__dict__ or hasattr(kind, "__deepcopy__"):
        return deepcopy
    return _generate(kind)


def _is_immutable(annotation: Any) -> bool:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.startswith("Literal[") or all(part.strip() in _IMMUTABLE for part in text.split("|"))


def _generate(kind: Any) -> Copier:
    specs = fields(kind)
    names = [spec.name for spec in specs]
    lines = [
        "def copy(value):",
        "    new = make(kind)",
        "    old = value.__dict__",
        "    attributes = new.__dict__",
        "    attributes.update(old)",
    ]
    for spec in specs:
        if _is_immutable(spec.type):
            continue
        lines += [
            f"    item = old.get({spec.name!r})",
            "    if type(item) not in atoms:",
            f"        attributes[{spec.name!r}] = copy_value(item)",
        ]
    lines += [
        f"    if len(old) > {len(names)}:",
        "        for name in old.keys() - names:",
        "            attributes[name] = copy_value(old[name])",
        "    return new",
    ]
    scope: dict[str, Any] = {
        "kind": kind,
        "make": object.__new__,
        "atoms": _ATOMS,
        "names": frozenset(names),
        "copy_value": copy_value,
    }
    exec("\n".join(lines), scope)
    made: Copier = scope["copy"]
    return made
