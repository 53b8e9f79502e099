"""The providers and models that are known without anybody naming them.

`catalogue.json` holds facts: ids, windows, prices, levels of thinking, as their makers published them
on the day that it names. What it does not know of a model has the same default as in a models file.

Touches: files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hookspecs.definitions import Model
from pi_core.providers.models import SCRIPTED, Provider, models_from, provider_from

FILE: Final = Path(__file__).with_name("catalogue.json")


def built_in() -> tuple[Provider, ...]:
    """The providers that are always known, the one to prefer first; the scripted one stands before all."""
    listed = json.loads(FILE.read_text(encoding="utf-8"))["providers"]
    return (scripted_provider(), *(known_provider(name, entry) for name, entry in listed.items()))


def scripted_provider() -> Provider:
    """The provider that needs nothing, with its one model."""
    model = Model(id=SCRIPTED, provider=SCRIPTED, api=SCRIPTED, name="Scripted (follows rules, no network)")
    return Provider(name=SCRIPTED, label="Scripted", api=SCRIPTED, needs_key=False, models=(model,))


def known_provider(name: str, entry: Mapping[str, Any]) -> Provider:
    """The provider of an entry, which is written as in a models file.

    Its models do not name the provider's address, so that whoever moves the provider moves them.
    """
    fields = {key: value for key, value in entry.items() if key != "models"}
    return replace(
        provider_from(name, {**fields, "name": entry["label"]}),
        models=models_from(entry.get("models"), Provider(name=name)),
        variables=tuple(entry.get("variables", ())),
        needs_key=entry.get("needsKey", True),
        default_model=entry.get("defaultModel", ""),
    )
