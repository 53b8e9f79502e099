"""Levels of thinking: which a model has, and the nearest one to what is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookspecs.definitions import Model, ThinkingLevel
from pi_core.providers.thinking import LEVELS, clamped, level_named, levels_of

levels = st.sampled_from(LEVELS)
maps = st.dictionaries(levels, st.sampled_from([None, "x"]))


def model(mapped: Any = None, *, reasoning: bool = True) -> Model:
    extra = {} if mapped is None else {"thinkingLevelMap": mapped}
    return Model(id="m", provider="p", api="a", reasoning=reasoning, extra=extra)


@pytest.mark.parametrize(
    ("given_model", "expected"),
    [
        (model(reasoning=False), ("off",)),
        (model({"max": "max"}, reasoning=False), ("off",)),
        (model(), ("off", "minimal", "low", "medium", "high")),
        (model({"xhigh": "xhigh", "max": "m"}), LEVELS),
        (model({"off": None, "minimal": None}), ("low", "medium", "high")),
        (model(dict.fromkeys(LEVELS)), ("off",)),
        (model("nonsense"), ("off", "minimal", "low", "medium", "high")),
    ],
)
def test_the_levels_of_a_model(given_model: Model, expected: tuple[str, ...]) -> None:
    """A reasoning model has off to high; its map takes levels away, and is the way to the two highest."""
    assert expected == levels_of(given_model)


@pytest.mark.parametrize(
    ("mapped", "asked", "expected"),
    [
        (None, "max", "high"),
        ({"off": None, "minimal": None}, "off", "low"),
        ({"max": "max"}, "xhigh", "max"),
        ({"high": None}, "high", "medium"),
    ],
)
def test_the_nearest_level(mapped: Any, asked: ThinkingLevel, expected: str) -> None:
    """The next one up that the model has; where there is none, the next one down."""
    assert expected == clamped(model(mapped), asked)


@given(maps, levels, st.booleans())
def test_clamping_is_idempotent_and_stays_with_what_the_model_has(
    mapped: dict[str, Any], level: ThinkingLevel, reasoning: bool
) -> None:
    """The answer is one of the model's levels, and the level itself wherever the model has it."""
    asked = model(mapped, reasoning=reasoning)
    answer = clamped(asked, level)
    assert answer in levels_of(asked)
    assert answer == clamped(asked, answer)
    assert answer == level or level not in levels_of(asked)


def test_names() -> None:
    """A text that is exactly a level's name is that level, any other is none."""
    assert ("max", None, None) == (level_named("max"), level_named("Max"), level_named(""))
