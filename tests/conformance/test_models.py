"""The choice of a model against the recorded reference: what people type, and what is taken without a word.

Rows that are listed as differences are counted, so that none goes missing.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import Model
from pi_core.errors import ModelChoiceError
from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthFile, StoredKey
from pi_core.providers.models import ModelsFile, Provider
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.scope import scope_of
from pi_core.providers.selection import Catalogue, Choice, Wish, asked_for, choose
from pi_core.providers.thinking import clamped
from pi_core.providers.values import Values
from pi_core.session.model_selection import DEFAULT_THINKING
from tests.conformance.host_rows import differences

HERE = Path(__file__).parent
LINES = (HERE / "data" / "models.jsonl").read_text(encoding="utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]
LISTED = differences()["models"]
FOUND = {"there are no models": "no_models", "there is no such model": "not_found"}


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["kind"] == kind and row["id"] not in LISTED["rows"]]


def models(row: dict[str, Any]) -> list[Model]:
    return [
        Model(
            id=item["id"],
            provider=item["provider"],
            api="openai-completions",
            name=item["name"],
            reasoning=item["reasoning"],
            context_window=item["contextWindow"],
        )
        for item in row["in"]["catalogue"]
    ]


def providers(row: dict[str, Any]) -> tuple[Provider, ...]:
    own = models(row)
    names = dict.fromkeys(model.provider for model in own)
    return tuple(Provider(name=name, models=tuple(m for m in own if m.provider == name)) for name in names)


def typed(row: dict[str, Any]) -> dict[str, Any]:
    """What we make of a typed model, in the recorded words."""
    given = row["in"]
    catalogue = Catalogue(models(row), providers(row), lambda model: model.provider in given["auth"])
    nothing: dict[str, Any] = {"model": None, "thinking": None}
    try:
        choice = asked_for(catalogue, given["model"], given.get("provider"))
    except ModelChoiceError as error:
        if error.found.startswith("it could be "):
            names = error.found.removeprefix("it could be ").split(", ")
            return {**nothing, "error": "ambiguous", "candidates": names}
        return {**nothing, "error": FOUND.get(error.found, "unknown_provider")}
    chosen = {"provider": choice.model.provider, "id": choice.model.id}
    found: dict[str, Any] = {"model": chosen, "thinking": choice.thinking}
    if choice.notice is not None:
        based_on = choice.model.context_window
        found |= {"warning": "custom_id", "based_on_context_window": based_on}
        found |= {"reasoning": choice.model.reasoning}
    return found


async def no_command(command: str) -> str | None:
    return None


@pytest.mark.parametrize("row", of_kind("cli"), ids=lambda row: row["id"])
def test_a_typed_model(row: dict[str, Any]) -> None:
    """The same model, level, warning or error."""
    assert row["out"] == typed(row)


def usable(row: dict[str, Any]) -> list[Model]:
    return [model for model in models(row) if model.provider in row["in"]["auth"]]


@pytest.mark.parametrize("row", of_kind("scope"), ids=lambda row: row["id"])
def test_a_scope(row: dict[str, Any]) -> None:
    """The same models in the same order, with the same levels and warnings."""
    scope = scope_of(usable(row), row["in"]["patterns"])
    named = [
        {"provider": choice.model.provider, "id": choice.model.id, "thinking": choice.thinking}
        for choice in scope.choices
    ]
    warnings = [{"kind": warning.kind, "pattern": warning.pattern} for warning in scope.warnings]
    assert row["out"] == {"models": named, "warnings": warnings}


@pytest.mark.parametrize("row", of_kind("initial"), ids=lambda row: row["id"])
def test_the_model_that_nobody_typed(row: dict[str, Any]) -> None:
    """A scope where a conversation begins, the default of the settings if usable, else the first."""
    given = row["in"]
    keys = {name: StoredKey("key") for name in given["auth"]}
    credentials = Credentials(AuthFile(keys), {}, Values({}, no_command))
    registry = ModelRegistry(credentials, ModelsFile(providers(row)))
    wish = Wish(
        scope=scope_of(usable(row), given.get("scoped", ())).choices,
        continuing=given.get("continuing", False),
        default=(given["default_provider"], given["default_model"]) if "default_model" in given else None,
    )
    expected = row["out"]
    try:
        choice = choose(registry, wish)
    except ModelChoiceError:
        assert expected["model"] is None
        return
    assert expected["model"] == {"provider": choice.model.provider, "id": choice.model.id}
    assert expected["thinking"] == level_of(choice, given)


def level_of(choice: Choice, given: dict[str, Any]) -> str:
    """The level at the start, but for what the model cannot do: the recording has that still to come."""
    level = choice.thinking or given.get("default_thinking") or DEFAULT_THINKING
    thinker = replace(choice.model, reasoning=True)
    return clamped(thinker, level)


def test_every_other_row_is_listed() -> None:
    """What is not replayed stands in the list of differences, each row and kind with its reason."""
    replayed = {row["id"] for kind in ("cli", "scope", "initial") for row in of_kind(kind)}
    rest = [row for row in ROWS if row["id"] not in replayed]
    assert rest
    assert {row["id"] for row in rest} == set(LISTED["rows"])
