"""What extensions register as objects of their own, and what of a registration is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from hookspecs.definitions import Model, ProviderConfig
from hookspecs.messages import AssistantMessage
from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthFile
from pi_core.providers.base import BlockEvent, Done
from pi_core.providers.models import MalformedEntry
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.values import Values


async def no_command(command: str) -> str | None:
    return None


def registry(**environment: str) -> ModelRegistry:
    return ModelRegistry(Credentials(AuthFile(), environment, Values(environment, no_command)))


class Echo:
    """A provider as an object: a name, models, a stream function."""

    name = "echo"
    label = "Echo"

    def __init__(self, *ids: str) -> None:
        self.models = [Model(id=model_id, provider="", api="echo") for model_id in ids]

    async def stream(self, *given: Any) -> AsyncIterator[BlockEvent]:
        yield Done(message=AssistantMessage())


def ids(models: ModelRegistry, name: str) -> list[str]:
    return [model.id for model in models.models() if model.provider == name]


async def test_an_object_is_a_whole_provider() -> None:
    """Its models and its stream function are used as they are, without api, address or key."""
    models, echo = registry(), Echo("a", "b")
    models.register("echo", echo)
    known = models.provider("echo")
    assert known is not None
    assert ("Echo", ["a", "b"], False) == (known.label, ids(models, "echo"), known.needs_key)
    assert echo.stream == (await models.connect(known.models[0])).stream


def test_an_object_replaces_and_a_configuration_adds() -> None:
    """The object form takes the place of what was registered; the configuration form changes its fields."""
    models = registry()
    models.register(
        "echo", ProviderConfig(base_url="http://127.0.0.1", api="x", api_key="k", models=[{"id": "c"}])
    )
    models.register("echo", Echo("a"))
    known = models.provider("echo")
    assert known is not None
    assert (["a"], "") == (ids(models, "echo"), known.base_url)
    models.register("echo", ProviderConfig(name="Louder"))
    known = models.provider("echo")
    assert known is not None
    assert (["a"], "Louder") == (ids(models, "echo"), known.label)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (object(), "a object has none of base_url, api_key"),
        (ProviderConfig(base_url=1), "base_url is not a text"),  # type: ignore[arg-type]  # the fault itself
        (ProviderConfig(headers={"a": 1}), "headers has a value"),  # type: ignore[dict-item]  # the fault itself
        (ProviderConfig(models="abc"), "models is not a list"),  # type: ignore[arg-type]  # the fault itself
        (ProviderConfig(oauth={"login": 1}), "oauth needs the functions"),
    ],
)
def test_what_is_wrong_is_refused_whole(given: Any, problem: str) -> None:
    """The sentence names the field; what was registered before still stands."""
    models = registry()
    models.register("echo", Echo("a"))
    with pytest.raises(MalformedEntry, match=problem):
        models.register("echo", given)
    assert ["a"] == ids(models, "echo")


def test_a_known_provider_can_be_moved_and_comes_back() -> None:
    """An address alone moves the known models; models replace them; unregistering restores all."""
    models = registry(ANTHROPIC_API_KEY="k")
    before = ids(models, "anthropic")
    models.register("anthropic", ProviderConfig(base_url="http://proxy"))
    assert before == ids(models, "anthropic")
    assert {"http://proxy"} == {model.base_url for model in models.models() if model.provider == "anthropic"}
    models.register("anthropic", ProviderConfig(models=[{"id": "only"}]))
    assert ["only"] == ids(models, "anthropic")
    models.unregister("anthropic")
    assert before == ids(models, "anthropic")
    assert models.models()[1].base_url == "https://api.anthropic.com"


def test_a_stream_function_of_ones_own_still_wants_the_key_of_its_provider() -> None:
    """Over a provider that says where its key is, a registration does not make it answer without one."""
    models = registry()
    models.register("anthropic", ProviderConfig(stream=Echo().stream))
    known = models.provider("anthropic")
    assert known is not None
    assert (True, False) == (known.needs_key, models.is_usable(known.models[0]))
