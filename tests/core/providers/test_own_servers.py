"""Servers of one's own: without a key, with odd abilities, by a file or by an extension."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookspecs.definitions import Model, ProviderConfig
from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthFile
from pi_core.providers.models import (
    MalformedEntry,
    ModelsFile,
    needs_key,
    overridden,
    parse_models,
    provider_from_config,
)
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.values import Values


async def no_command(command: str) -> str | None:
    return None


def registry(file: ModelsFile | None = None, **environment: str) -> ModelRegistry:
    return ModelRegistry(Credentials(AuthFile(), environment, Values(environment, no_command)), file)


def listed(**entry: Any) -> ModelsFile:
    """A models file with the provider `own`."""
    return parse_models(json.dumps({"providers": {"own": entry}}), name="models.json")


@pytest.mark.parametrize(
    ("base_url", "needed"),
    [
        ("http://localhost:11434/v1", False),
        ("http://127.0.0.1:8080", False),
        ("http://[::1]:8080/v1", False),
        ("http://0.0.0.0:8000/v1", False),
        ("http://192.168.1.20:11434/v1", False),
        ("http://172.20.0.2/v1", False),
        ("http://box.local/v1", False),
        ("https://api.example.com/v1", True),
        ("https://localhost.example.com/v1", True),
        ("https://127.0.0.1.example.com/v1", True),
        ("http://172.32.0.2/v1", True),
        (None, True),
    ],
)
def test_a_server_nearby_needs_no_key(base_url: str | None, needed: bool) -> None:
    """On this machine and in the network around it a server answers without a key, unless one is given."""
    assert needed == needs_key(None, base_url)
    assert needs_key("$KEY", base_url)


async def test_a_listed_server_without_a_key() -> None:
    """It can be connected to, and no key is sent."""
    models = registry(listed(baseUrl="http://localhost:1/v1", api="openai-completions", models=[{"id": "m"}]))
    model = models.find("own", "m")
    assert model is not None
    assert models.is_usable(model)
    assert (await models.connect(model)).api_key is None


async def test_an_extension_registers_a_server_without_a_key() -> None:
    """The same for an extension; a server elsewhere has to say how it gets its key."""
    models = registry()
    config = ProviderConfig(base_url="http://127.0.0.1:1/v1", api="openai-completions", models=[{"id": "m"}])
    models.register("own", config)
    model = models.find("own", "m")
    assert model is not None
    assert (await models.connect(model)).api_key is None
    far = ProviderConfig(base_url="https://far.example", api="openai-completions", models=[{"id": "m"}])
    with pytest.raises(MalformedEntry, match="no way to a key"):
        models.register("far", far)


def test_an_own_stream_function_needs_a_key_only_if_one_is_given() -> None:
    """Wherever its address is."""
    far = ProviderConfig(base_url="https://far.example", stream=lambda *given: None)  # type: ignore[arg-type]  # never called
    assert not provider_from_config("own", far).needs_key


def test_what_a_provider_says_of_its_server_holds_for_its_models() -> None:
    """The table `compat` of a provider is each model's, and a model's own fields win."""
    own = {"id": "b", "compat": {"supportsStore": True}}
    file = listed(baseUrl="u", api="x", compat={"supportsStore": False, "a": 1}, models=[{"id": "a"}, own])
    provider = registry(file).provider("own")
    assert provider is not None
    assert [{"supportsStore": False, "a": 1}, {"supportsStore": True, "a": 1}] == [
        model.extra["compat"] for model in provider.models
    ]


def test_an_override_reaches_fields_that_are_not_ours() -> None:
    """`compat` and levels of thinking can be overridden as well."""
    model = Model(id="m", provider="p", api="x", extra={"other": 2})
    changed = overridden(model, {"compat": {"b": 2}, "maxTokens": 5})
    assert ({"compat": {"b": 2}, "other": 2}, 5) == (changed.extra, changed.max_tokens)


async def test_headers_of_a_model_are_values() -> None:
    """They may name variables like those of a provider; what cannot be resolved is left out."""
    entry = {"id": "m", "headers": {"A": "$TEAM", "B": "$UNSET", "C": "plain"}}
    models = registry(
        listed(baseUrl="http://localhost:1", api="openai-completions", models=[entry]), TEAM="blue"
    )
    model = models.find("own", "m")
    assert model is not None
    assert {"A": "blue", "C": "plain"} == (await models.connect(model)).headers
