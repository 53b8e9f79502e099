"""How hard a model can think: its levels, and the nearest one to what was asked for.

A model that reasons has every level from `off` to `high`. Its `thinkingLevelMap` names what the
wire calls a level, takes one away with null, and is the only way to `xhigh` and `max`.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from hookspecs.definitions import Model, ThinkingLevel

LEVELS: Final[tuple[ThinkingLevel, ...]] = get_args(ThinkingLevel)
"""All levels, from none to the most."""
BY_NAME_ONLY: Final = frozenset[ThinkingLevel]({"xhigh", "max"})
LEVEL_MAP: Final = "thinkingLevelMap"


def level_named(text: str) -> ThinkingLevel | None:
    """The level of that name; None if there is none."""
    return next((level for level in LEVELS if level == text), None)


def level_map(model: Model) -> Mapping[str, Any]:
    """What the model says about single levels; empty if nothing."""
    found = model.extra.get(LEVEL_MAP)
    return found if isinstance(found, Mapping) else {}


def levels_of(model: Model) -> tuple[ThinkingLevel, ...]:
    """The levels that the model has, from none to the most; never empty."""
    if not model.reasoning:
        return ("off",)
    known = level_map(model)
    found = tuple(
        level
        for level in LEVELS
        if (known[level] is not None if level in known else level not in BY_NAME_ONLY)
    )
    return found or ("off",)


def clamped(model: Model, level: ThinkingLevel) -> ThinkingLevel:
    """The level if the model has it, else the next one up that it has, else the next one down."""
    have = levels_of(model)
    place = LEVELS.index(level)
    return next(near for near in (*LEVELS[place:], *reversed(LEVELS[:place])) if near in have)
