"""How long ago something was, as a person says it.

Pure.
"""

from __future__ import annotations

from typing import Final

_STEPS: Final = ((60, "s"), (60, "m"), (24, "h"), (7, "d"), (52, "w"))


def age(then_ms: float, now_ms: float) -> str:
    """`now`, `5m`, `3h`, `2d`, `6w`, `1y`. What lies ahead is now."""
    left = max(0.0, now_ms - then_ms) / 1000
    if left < 60:
        return "now"
    for size, unit in _STEPS:
        if left < size:
            return f"{int(left)}{unit}"
        left /= size
    return f"{int(left)}y"
