"""Copies of messages, fast: a copier is generated once for each class of message.

A generated copier makes an object without running `__init__`, takes the declared fields
over one by one, and copies those that can hold something mutable; a field whose
annotation names only immutable types is left alone. That is a tenth of `deepcopy`.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import fields
from typing import Any, Final, TypeAlias

Copier: TypeAlias = Callable[[Any], Any]

_ATOMS: Final[frozenset[type]] = frozenset({str, int, float, bool, type(None), bytes, complex})
_IMMUTABLE: Final = frozenset({"str", "int", "float", "bool", "None", "bytes", "StopReason"})


class Copiers(dict[type, Copier]):
    """The copier of each class, made when it is first asked for."""

    def __missing__(self, kind: type) -> Copier:
        copier = self[kind] = deepcopy if _is_special(kind) else _generate(kind)
        return copier


def copy_messages(messages: Iterable[Any]) -> list[Any]:
    """A new list of copied messages, in the same order. Raises what an uncopyable member raises."""
    copiers = _COPIERS
    return [copiers[type(message)](message) for message in messages]


def copy_value(value: Any) -> Any:
    """A copy that shares nothing mutable with the original."""
    return _COPIERS[type(value)](value)


def _same(value: Any) -> Any:
    return value


def _copy_list(value: list[Any]) -> list[Any]:
    copiers = _COPIERS
    return [copiers[type(item)](item) for item in value]


def _copy_dict(value: dict[Any, Any]) -> dict[Any, Any]:
    if not value:
        return {}
    copiers = _COPIERS
    return {key: copiers[type(item)](item) for key, item in value.items()}


def _is_special(kind: Any) -> bool:
    """Whether a class is anything but a plain mutable dataclass, and left to `deepcopy`."""
    own = vars(kind)
    if "__dataclass_fields__" not in own or "__slots__" in own:
        return True
    return bool(own["__dataclass_params__"].frozen) or hasattr(kind, "__deepcopy__")


def _is_immutable(annotation: Any) -> bool:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.startswith("Literal[") or all(part.strip() in _IMMUTABLE for part in text.split("|"))


def _generate(kind: Any) -> Copier:
    lines = ["def copy(value):", "    new = make(kind)"]
    for spec in fields(kind):
        lines.append(f"    item = value.{spec.name}")
        if _is_immutable(spec.type):
            lines.append(f"    new.{spec.name} = item")
        else:
            lines.append(f"    new.{spec.name} = item if type(item) in atoms else copiers[type(item)](item)")
    lines.append("    return new")
    scope: dict[str, Any] = {"kind": kind, "make": object.__new__, "atoms": _ATOMS, "copiers": _COPIERS}
    exec("\n".join(lines), scope)
    made: Copier = scope["copy"]
    return made


_COPIERS: Final = Copiers({list: _copy_list, dict: _copy_dict, **dict.fromkeys(_ATOMS, _same)})
