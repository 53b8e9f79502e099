"""The models that a person switches through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookspecs.definitions import Model
from pi_core.providers.scope import scope_of
from pi_core.providers.selection import split_level
from pi_core.providers.thinking import LEVELS

NAMES = ("acme/rocket-1", "acme/rocket-2", "acme/lens", "globex/lens", "globex/a/b")
MODELS = [Model(provider=name.partition("/")[0], id=name.partition("/")[2], api="x") for name in NAMES]
words = st.text(st.sampled_from("ab-1:/*"), max_size=8)


def named(*patterns: str) -> list[str]:
    choices = scope_of(MODELS, patterns).choices
    return [f"{c.model.provider}/{c.model.id}" + (f":{c.thinking}" if c.thinking else "") for c in choices]


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["!acme/*"], ["globex/lens", "globex/a/b"]),
        (["acme/*", "!*-1"], ["acme/rocket-2", "acme/lens"]),
        (["!**"], []),
        (["acme/rock"], ["acme/rocket-2"]),
        (["acme/rock:low", "acme/lens"], ["acme/rocket-2:low", "acme/lens"]),
        (["globex/*"], ["globex/lens"]),
        (["globex/**:max"], ["globex/lens:max", "globex/a/b:max"]),
        ([":low"], []),
        ([], []),
    ],
)
def test_patterns(patterns: list[str], expected: list[str]) -> None:
    """In the order of the patterns, each once; `!` takes away, from all of them if nothing else is named."""
    assert expected == named(*patterns)


@pytest.mark.parametrize(
    ("pattern", "kind", "said"),
    [
        ("nope", "no_match", "nope names no model that can be used"),
        ("!nope", "no_match", "!nope names no model"),
        ("lens", "ambiguous", "lens could be any of acme/lens, globex/lens; all are taken"),
        ("rocket-1:often", "invalid_thinking_level", "often is no thinking level; rocket-1 thinks as set"),
    ],
)
def test_what_is_odd_is_told(pattern: str, kind: str, said: str) -> None:
    """Each warning has its kind, its pattern and a sentence."""
    (warning, *_) = scope_of(MODELS, [pattern]).warnings
    assert (kind, pattern) == (warning.kind, warning.pattern)
    assert warning.message.startswith(said)


@given(words, st.sampled_from(LEVELS))
def test_a_level_at_the_end_is_always_found(text: str, level: str) -> None:
    """`TEXT:level` is TEXT and the level, whatever TEXT is; only the last colon counts."""
    assert (text, level) == split_level(f"{text}:{level}")


@given(words)
def test_a_text_without_a_level_stays_whole(text: str) -> None:
    """Nothing is cut off that is no level."""
    assert (text, None) == split_level(text)
    assert (f"{text}:often", None) == split_level(f"{text}:often")


@given(st.lists(words, max_size=4))
def test_a_scope_is_a_part_of_the_models_without_doubles(patterns: list[str]) -> None:
    """Whatever is typed, every model that comes out went in, and comes out once."""
    found = [choice.model for choice in scope_of(MODELS, patterns).choices]
    assert all(model in MODELS for model in found)
    assert len(found) == len({(model.provider, model.id) for model in found})
