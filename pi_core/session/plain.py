"""Any value as the JSON value that comes nearest.

Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from hookspecs.wire import to_wire


def plain(value: Any) -> Any:
    """The JSON value that comes nearest: what JSON does not know becomes text."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(to_wire(value))
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)
