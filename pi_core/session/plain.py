"""Any value as the JSON value that comes nearest.

Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, Final

from hookspecs.wire import to_wire

DEEPEST: Final = 100
"""How many lists and objects may stand inside each other; writers and readers of JSON have a limit, too."""


def plain(value: Any) -> Any:
    """The JSON value that comes nearest: what JSON does not know, and what holds itself, becomes text."""
    return _plain(value, ())


def _plain(value: Any, within: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    is_record = is_dataclass(value) and not isinstance(value, type)
    if not is_record and not isinstance(value, Mapping | list | tuple):
        return _text(value)
    if id(value) in within or len(within) >= DEEPEST:
        return f"({type(value).__name__} …)"
    within = (*within, id(value))
    if is_record:
        return _plain(_fields(value), within)
    if isinstance(value, Mapping):
        return {_text(name): _plain(item, within) for name, item in value.items()}
    return [_plain(item, within) for item in value]


def _fields(record: Any) -> Any:
    try:
        return to_wire(record)
    except RecursionError:
        return _text(type(record).__name__)


def _text(value: object) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - an object that cannot even be named is named by its class
        return f"({type(value).__name__})"
