"""Providers in layers, the way to a model, and which model answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from hookspecs.definitions import Model, ProviderConfig
from hookspecs.messages import AssistantMessage
from pi_core.errors import ModelChoiceError
from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthFile
from pi_core.providers.base import BlockEvent, Done
from pi_core.providers.models import MalformedEntry, ModelsFile, Provider, parse_models
from pi_core.providers.registry import WIRES, LazyStream, ModelRegistry
from pi_core.providers.selection import NOTICE, Choice, Wish, choose
from pi_core.providers.values import Values

MINE = """{"providers": {
  "acme": {"baseUrl": "http://mine", "api": "wire", "apiKey": "k", "models": [{"id": "own"}],
           "modelOverrides": {"rocket": {"name": "Renamed"}}},
  "anthropic": {"baseUrl": "http://proxy"}}}"""
SPOKEN = {"openai-responses": LazyStream("pi_core.providers.scripted:create")}
ROCKET = ProviderConfig(base_url="http://ext", api="wire", api_key="e", models=[{"id": "rocket"}])


async def no_command(command: str) -> str | None:
    return None


async def own_stream(*given: Any) -> AsyncIterator[BlockEvent]:
    yield Done(message=AssistantMessage())


def registry(file: str | None = None, apis: Any = None, **environment: str) -> ModelRegistry:
    credentials = Credentials(AuthFile(), environment, Values(environment, no_command))
    parsed = parse_models(file, name="models.json") if file else ModelsFile()
    return ModelRegistry(credentials, parsed, apis)


def provider(models: ModelRegistry, name: str) -> Provider:
    known = models.provider(name)
    assert known is not None
    return known


def found(models: ModelRegistry, name: str, model_id: str) -> Model:
    model = models.find(name, model_id)
    assert model is not None
    return model


def ids(models: ModelRegistry, name: str) -> list[str]:
    return [model.id for model in provider(models, name).models]


def test_a_persons_models_survive_registrations() -> None:
    """PROV 151: what an extension registers comes beside a person's own models, however often it does."""
    models = registry(MINE)
    models.register("acme", ROCKET)
    models.register("acme", ROCKET)
    assert ["rocket", "own"] == ids(models, "acme")
    assert "http://ext" == found(models, "acme", "rocket").base_url
    assert "http://mine" == found(models, "acme", "own").base_url


def test_overrides_are_on_top() -> None:
    """The file's overrides change even what an extension registers."""
    models = registry(MINE)
    models.register("acme", ROCKET)
    assert "Renamed" == found(models, "acme", "rocket").name


def test_models_replace_models_and_fields_merge() -> None:
    """A second registration replaces the extension's models and keeps the fields that it does not give."""
    models = registry()
    models.register("acme", ROCKET)
    models.register("acme", ProviderConfig(base_url="http://moved"))
    assert (["rocket"], "http://moved") == (ids(models, "acme"), provider(models, "acme").base_url)
    models.register("acme", ProviderConfig(models=[{"id": "lens"}]))
    assert ["lens"] == ids(models, "acme")


def test_unregistering_uncovers() -> None:
    """A built-in or listed provider is back once the extension's is gone."""
    models = registry(MINE)
    models.register("anthropic", ProviderConfig(base_url="http://ext"))
    models.register("acme", ROCKET)
    models.unregister("anthropic")
    models.unregister("acme")
    assert ("http://proxy", ["own"]) == (provider(models, "anthropic").base_url, ids(models, "acme"))


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (replace(ROCKET, api=None), "model rocket has no api"),
        (replace(ROCKET, base_url=None), "model rocket has no base_url"),
        (replace(ROCKET, api_key=None), "no way to a key"),
        (replace(ROCKET, models=[{}]), "a model needs an id"),
    ],
)
def test_an_incomplete_registration_changes_nothing(config: ProviderConfig, problem: str) -> None:
    """It is refused with what is missing; what stood before still stands."""
    models = registry()
    models.register("other", ROCKET)
    with pytest.raises(MalformedEntry, match=problem):
        models.register("acme", config)
    assert models.provider("acme") is None
    assert ["rocket"] == ids(models, "other")


async def test_a_provider_with_its_own_stream() -> None:
    """A stream function needs neither api nor address nor key."""
    models = registry()
    models.register("mine", ProviderConfig(stream=own_stream, models=[{"id": "m"}]))
    connection = await models.connect(found(models, "mine", "m"))
    assert (own_stream, None) == (connection.stream, connection.api_key)


async def test_the_way_to_a_model() -> None:
    """Stream function of its api, resolved key, headers of the provider under those of the model."""
    apis = {"wire": LazyStream("pi_core.providers.scripted:create")}
    models = registry(apis=apis, KEY="secret")
    listed = [{"id": "m", "headers": {"B": "model"}}]
    config = ProviderConfig(
        base_url="u", api="wire", api_key="$KEY", headers={"A": "$KEY", "B": "provider"}, models=listed
    )
    models.register("acme", config)
    model = found(models, "acme", "m")
    connection = await models.connect(model)
    assert ("secret", {"A": "secret", "B": "model"}) == (connection.api_key, connection.headers)
    assert connection.stream == (await models.connect(model)).stream


@pytest.mark.parametrize(
    ("name", "api", "said"),
    [
        ("anthropic", "anthropic-messages", "there is no key for anthropic. Set ANTHROPIC_API_KEY, give"),
        ("openai", "smoke-signals", 'speaks its api "smoke-signals". An extension can register'),
        ("nobody", "x", "there is no provider nobody"),
    ],
)
async def test_no_way_to_a_model(name: str, api: str, said: str) -> None:
    """Without provider, key or stream function one sentence says what is missing and what to do."""
    models = registry(OPENAI_API_KEY="k")
    model = Model(id="m", provider=name, api=api)
    with pytest.raises(ModelChoiceError) as caught:
        await models.connect(model)
    assert said in str(caught.value)
    with pytest.raises(ModelChoiceError) as checked:
        models.check(model)
    assert str(caught.value) == str(checked.value)


@pytest.mark.parametrize("api", WIRES)
async def test_a_wire_whose_libraries_are_not_installed(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence names the command that installs them, before anything is asked."""
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(ModelChoiceError) as caught:
        await registry(OPENAI_API_KEY="k").connect(Model(id="m", provider="openai", api=api))
    assert "pip install 'pi-pluggy[providers]'" in str(caught.value)
    assert f'its api "{api}"' in str(caught.value)


def test_libraries_can_be_loaded_in_good_time() -> None:
    """What the first request would load is there before; a model without libraries loads nothing."""
    script = (
        "import sys\n"
        "from pi_core.providers.auth import Credentials\nfrom pi_core.providers.auth_file import AuthFile\n"
        "from pi_core.providers.registry import ModelRegistry\nfrom pi_core.providers.values import Values\n"
        "from hookspecs.definitions import Model\n"
        "models = ModelRegistry(Credentials(AuthFile(), {}, Values({}, None)))\n"
        "for api in ('scripted', 'unknown', 'openai-completions'):\n"
        "    assert 'openai' not in sys.modules\n"
        "    models.warm(Model(id='m', provider='p', api=api))\n"
        "assert 'openai' in sys.modules and 'anthropic' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)


def test_nothing_is_imported_before_it_is_used() -> None:
    """A registry alone loads no stream function and no vendor."""
    code = (
        "import sys, pi_core.providers.registry;"
        "heavy = {'pi_core.providers.scripted', 'yaml', 'pydantic', 'jsonschema_rs', 'httpx2', 'openai'};"
        "raise SystemExit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_bare_setup_gets_the_scripted_model() -> None:
    """Without model, key or file the scripted model answers and says so."""
    choice = choose(registry(), Wish())
    assert ("scripted", NOTICE) == (choice.model.provider, choice.notice)


def test_a_script_asks_for_the_scripted_model() -> None:
    """A script that is handed in chooses it whatever else is set up, without a notice."""
    choice = choose(registry(MINE, OPENAI_API_KEY="k"), Wish(has_script=True))
    assert ("scripted", None) == (choice.model.provider, choice.notice)


@pytest.mark.parametrize("text", ["scripted", "scripted/scripted"])
def test_the_scripted_model_may_be_asked_for(text: str) -> None:
    """It is a model like any other."""
    assert "scripted" == choose(registry(MINE), Wish(model=text)).model.provider


@pytest.mark.parametrize(
    ("models", "wish", "said"),
    [
        (registry(), Wish(model="anthropic/some-model"), "there is no key for anthropic"),
        (
            registry(),
            Wish(provider="anthropic"),
            "there is no key for anthropic. Set ANTHROPIC_API_KEY, give",
        ),
        (registry(), Wish(provider="ollama"), "model ollama: it has no models of its own. Name one"),
        (registry(), Wish(model="opus"), "pi auth login"),
        (registry(), Wish(model="nope"), "model nope: there is no such model. Write it as PROVIDER/ID."),
        (
            registry(),
            Wish(model="x", provider="nope"),
            "there is no provider nope. Known: scripted, anthropic",
        ),
        (
            registry('{"providers": {"acme": {"apiKey": "k"}}}'),
            Wish(),
            "there is a key for acme, but no model. Choose one with",
        ),
        (registry(), Wish(default=("anthropic", "claude-opus-5-5")), "there is no key for anthropic"),
        (registry(), Wish(session=("gone", "m")), "there is no provider gone. Choose: --model PROVIDER/ID"),
        (registry("{"), Wish(), "is no JSON"),
        (
            registry(MINE.replace('"k"', '"$UNSET_Q"')),
            Wish(),
            "no listed model has a key (acme/own)",
        ),
    ],
)
def test_a_choice_that_cannot_be_made(models: ModelRegistry, wish: Wish, said: str) -> None:
    """Nothing is silently replaced by the scripted model: the sentence says what is missing."""
    with pytest.raises(ModelChoiceError) as caught:
        choose(models, wish)
    assert said in str(caught.value)


def test_a_key_alone_chooses_the_preferred_model_of_its_provider() -> None:
    """A variable of the environment is enough; the first provider of the catalogue that has one counts."""
    assert "gpt-6.1-sol" == choose(registry(OPENAI_API_KEY="k"), Wish()).model.id
    both = registry(OPENAI_API_KEY="k", ANTHROPIC_API_KEY="k")
    assert "claude-opus-5-5" == choose(both, Wish()).model.id
    asked = registry(apis=SPOKEN, OPENAI_API_KEY="k", ANTHROPIC_API_KEY="k")
    assert "gpt-6.1-sol" == choose(asked, Wish(provider="openai")).model.id
    assert "gpt-6.1-terra" == choose(asked, Wish(model="gpt")).model.id


def test_a_lost_model_is_told_with_its_successor() -> None:
    """69: a conversation whose model cannot be used goes on with another, and says so."""
    models = registry(OPENAI_API_KEY="k")
    choice = choose(models, Wish(session=("anthropic", "claude-opus-5-5"), continuing=True))
    assert "gpt-6.1-sol" == choice.model.id
    assert (
        "The model of this conversation, anthropic/claude-opus-5-5, cannot be used: "
        "there is no key for anthropic. openai/gpt-6.1-sol answers."
    ) == choice.notice
    assert "anthropic does not list it" in str(choose(models, Wish(default=("anthropic", "x"))).notice)


def test_a_scope_decides_where_a_conversation_begins() -> None:
    """Its first model answers, or the default one if it is in the scope; a conversation keeps its own."""
    models = registry(MINE)
    models.register("acme", ROCKET)
    scope = [Choice(found(models, "acme", "rocket"), "low"), Choice(found(models, "acme", "own"))]
    assert ("rocket", "low") == (
        choose(models, Wish(scope=scope)).model.id,
        choose(models, Wish(scope=scope)).thinking,
    )
    assert "own" == choose(models, Wish(scope=scope, default=("acme", "own"))).model.id
    going_on = Wish(scope=scope, session=("acme", "own"), continuing=True)
    assert "own" == choose(models, going_on).model.id


def test_a_persons_models_come_beside_the_known_ones() -> None:
    """A models file adds to a built-in provider, replaces one of the same id, and moves it by its address."""
    text = """{"providers": {"anthropic": {"baseUrl": "http://proxy",
        "models": [{"id": "mine"}, {"id": "claude-opus-5", "name": "My Opus"}],
        "modelOverrides": {"claude-haiku-5-5": {"contextWindow": 7}}}}}"""
    models = registry(text)
    assert {"mine", "claude-opus-5-5"} < set(ids(models, "anthropic"))
    assert "My Opus" == found(models, "anthropic", "claude-opus-5").name
    haiku = found(models, "anthropic", "claude-haiku-5-5")
    assert ("http://proxy", "anthropic-messages", 7) == (haiku.base_url, haiku.api, haiku.context_window)


def test_objects_of_a_models_file_are_merged() -> None:
    """Changes of a model add to its prices, headers and ways; ways of a provider stand under those."""
    text = """{"providers": {
        "acme": {"baseUrl": "u", "api": "wire", "apiKey": "k", "compat": {"a": 1, "b": 1}, "models": [
            {"id": "m", "cost": {"input": 1, "output": 2}, "headers": {"A": "1"}, "compat": {"b": 2}},
            {"id": "n"}],
          "modelOverrides": {"m": {"cost": {"output": 9}, "headers": {"B": "2"}, "compat": {"c": 3},
                                   "thinkingLevelMap": {"max": "max"}}}}}}"""
    models = registry(text)
    m, n = found(models, "acme", "m"), found(models, "acme", "n")
    assert ({"input": 1, "output": 9}, {"A": "1", "B": "2"}) == (m.cost, m.headers)
    assert {"compat": {"a": 1, "b": 2, "c": 3}, "thinkingLevelMap": {"max": "max"}} == m.extra
    assert {"compat": {"a": 1, "b": 1}} == n.extra


def test_who_decides_without_a_word() -> None:
    """The session's model, else the settings', else the first with a key; no key, no model."""
    models = registry(MINE)
    models.register("ext", replace(ROCKET, api="scripted"))
    models.register("dark", replace(ROCKET, api_key="$UNSET_Q"))
    session, default = ("ext", "rocket"), ("acme", "own")
    assert "ext" == choose(models, Wish(session=session, default=default)).model.provider
    assert "acme" == choose(models, Wish(session=("dark", "rocket"), default=default)).model.provider
    assert "acme" == choose(models, Wish(session=("gone", "x"))).model.provider
