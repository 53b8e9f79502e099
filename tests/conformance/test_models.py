"""The choice of a model against the recorded reference: what people type, and what is taken without a word.

Rows of the kinds that are listed as differences are counted, so that none goes missing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import Model
from pi_core.errors import ModelChoiceError
from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthFile, StoredKey
from pi_core.providers.models import ModelsFile, Provider
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.selection import Catalogue, Wish, asked_for, choose
from pi_core.providers.values import Values
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


@pytest.mark.parametrize("row", of_kind("initial"), ids=lambda row: row["id"])
def test_the_model_that_nobody_typed(row: dict[str, Any]) -> None:
    """The default of the settings if it can be used, else the first that can."""
    given = row["in"]
    keys = {name: StoredKey("key") for name in given["auth"]}
    credentials = Credentials(AuthFile(keys), {}, Values({}, no_command))
    registry = ModelRegistry(credentials, ModelsFile(providers(row)))
    default = (given["default_provider"], given["default_model"]) if "default_model" in given else None
    try:
        model = choose(registry, Wish(default=default)).model
        ours: dict[str, Any] | None = {"provider": model.provider, "id": model.id}
    except ModelChoiceError:
        ours = None
    assert row["out"]["model"] == ours


def test_every_other_row_is_listed() -> None:
    """What is not replayed stands in the list of differences, each row and kind with its reason."""
    replayed = {row["id"] for kind in ("cli", "initial") for row in of_kind(kind)}
    rest = [row for row in ROWS if row["id"] not in replayed]
    assert rest
    assert all(row["kind"] in LISTED["kinds"] or row["id"] in LISTED["rows"] for row in rest)
