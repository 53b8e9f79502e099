"""The models of a run's own scope, in a session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthFile
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.values import Values
from pi_core.session.model_scope import candidates, in_scope
from pi_core.session.session import Session
from tests.core.session.test_controls import provider
from tests.support.session_bench import SessionBench

SETTINGS = '[model]\nenabled-models = ["acme/three"]\n'


async def no_command(command: str) -> str | None:
    return None


def registry(**environment: str) -> ModelRegistry:
    return ModelRegistry(Credentials(AuthFile(), environment, Values(environment, no_command)))


async def test_a_scope_of_the_run_wins_over_the_settings(tmp_path: Path) -> None:
    """It chooses the first model and its level, is switched through, and stays after a reload."""

    async def run(session: Session) -> None:
        assert ("two", "low") == (session.model.id, session.thinking_level)
        assert ["one", "two"] == [model.id for _ in range(2) if (model := await session.cycle_model())]
        await session.reload()
        assert ["one", "two"] == [model.id for _ in range(2) if (model := await session.cycle_model())]

    bench = SessionBench(tmp_path, [], provider("one", "two", "three"), settings=SETTINGS)
    request = bench.opening.request
    bench.opening.request = replace(request, model=replace(request.model, scope=("two:low", "acme/one")))
    await bench.run(then=run)


@pytest.mark.parametrize(
    ("patterns", "environment", "expected"),
    [
        ([], {}, {"scripted"}),
        ([], {"OPENAI_API_KEY": "k"}, {"openai"}),
        (["*"], {"OPENAI_API_KEY": "k"}, {"openai"}),
        (["scripted"], {"OPENAI_API_KEY": "k"}, {"openai", "scripted"}),
        (["scripted/scripted:off", "gpt*"], {"OPENAI_API_KEY": "k"}, {"openai", "scripted"}),
    ],
)
def test_the_scripted_model_is_there_if_asked_for_or_alone(
    patterns: list[str], environment: dict[str, str], expected: set[str]
) -> None:
    """Nobody switches to it by accident."""
    assert expected == {model.provider for model in candidates(registry(**environment), patterns)}


def test_without_patterns_everything_usable_is_switched_through() -> None:
    """In the order of the providers, without levels."""
    choices = in_scope(registry(GEMINI_API_KEY="k"), [])
    assert {"google"} == {choice.model.provider for choice in choices}
    assert {None} == {choice.thinking for choice in choices}
    assert ["gemini-4-argon"] == [c.model.id for c in in_scope(registry(GEMINI_API_KEY="k"), ["argon"])]
