"""The known providers and models: whole, addressed, priced, each with a default that it lists."""

from __future__ import annotations

import pytest

from pi_core.providers.catalogue import built_in
from pi_core.providers.models import Provider
from pi_core.providers.thinking import LEVELS, level_map

KNOWN = [provider for provider in built_in() if provider.name != "scripted"]
WITH_MODELS = [provider for provider in KNOWN if provider.models]
by_name = pytest.mark.parametrize("provider", WITH_MODELS, ids=lambda provider: provider.name)


def test_the_scripted_model_stands_before_all() -> None:
    """It needs nothing; the providers of the world follow, the ones of this machine without a key."""
    first, *others = built_in()
    assert (("scripted",), False) == (tuple(model.id for model in first.models), first.needs_key)
    assert ["anthropic", "openai", "google"] == [provider.name for provider in others[:3]]
    assert {"ollama", "lmstudio", "llamacpp", "vllm"} == {p.name for p in others if not p.needs_key}


@by_name
def test_a_provider_is_complete(provider: Provider) -> None:
    """It has an address, an api, a variable for its key, and lists the model that it prefers."""
    assert provider.base_url.startswith("https://")
    assert provider.api
    assert all(name.endswith("_API_KEY") for name in provider.variables)
    assert provider.default_model in [model.id for model in provider.models]


@by_name
def test_a_model_is_complete(provider: Provider) -> None:
    """Its window holds its answer, its prices are there, and its map names levels."""
    assert len({model.id for model in provider.models}) == len(provider.models)
    for model in provider.models:
        assert model.max_tokens < model.context_window
        assert 0 < model.cost["input"] < model.cost["output"]
        assert set(level_map(model)) <= set(LEVELS)
        assert "" == model.base_url, "whoever moves the provider moves its models"


def test_the_variables_are_those_that_people_have_set() -> None:
    """The usual names; Google has two."""
    named = {provider.name: provider.variables for provider in KNOWN}
    assert ("ANTHROPIC_API_KEY",) == named["anthropic"]
    assert ("OPENAI_API_KEY",) == named["openai"]
    assert ("GEMINI_API_KEY", "GOOGLE_API_KEY") == named["google"]
    assert ("OPENROUTER_API_KEY",) == named["openrouter"]
