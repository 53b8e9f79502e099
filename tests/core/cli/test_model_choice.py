"""Which model answers, as a person asks for it on the command line, and which there are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookspecs.definitions import Model
from pi_core.cli.models import fitting, has_letters, tokens
from tests.support.agent_cli import AgentCli, Ran

MODELS_FILE = """
    // two servers of mine
    {"providers": {
      "acme": {"baseUrl": "http://127.0.0.1:9", "api": "house", "apiKey": "!echo k", "models": [
        {"id": "rocket-1", "reasoning": true, "contextWindow": 200000, "maxTokens": 512,
         "thinkingLevelMap": {"max": "max", "off": null, "minimal": null}},
        {"id": "rocket-2", "input": ["text", "image"]},
      ]},
      "dark": {"baseUrl": "http://127.0.0.1:9", "api": "house", "apiKey": "$UNSET_Q",
               "models": [{"id": "moon"}]},
      "anthropic": {"modelOverrides": {"claude-opus-5-5": {"name": "Mine"}}},
    }}
    """
HOUSE = """
    from pi_core.api import AssistantMessage, Done, ProviderConfig, TextContent, Usage

    async def stream(model, context, options):
        text = f"{model.provider}/{model.id} {options.thinking} {options.api_key}"
        usage = Usage(input=1_000_000, output=500_000, cache_read=2_000_000)
        yield Done(message=AssistantMessage(content=[TextContent(text=text)], usage=usage))

    def extension(pi):
        for name in ("acme", "dark", "anthropic"):
            pi.register_provider(name, ProviderConfig(stream=stream))
        pi.register_provider("priced", ProviderConfig(stream=stream, models=[
            {"id": "p", "cost": {"input": 2, "output": 10, "cacheRead": 0.5}}]))

        @pi.command("models")
        def models(args, ctx):
            pi.append_entry("seen", {"model": ctx.model.id, "thinking": ctx.thinking_level})
    """
NO_KEYS = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"), "")


@pytest.fixture
def house(pi: AgentCli) -> AgentCli:
    """Models of a file and of an extension; nobody's keys."""
    pi.write(str(pi.agent_dir / "models.json"), MODELS_FILE)
    pi.user_extension(HOUSE, "house.py")
    return pi


def ask(pi: AgentCli, *words: str, **env: str) -> Ran:
    return pi.run("-p", *words, "hello", env={**NO_KEYS, **env})


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ([], "acme/rocket-1 medium k"),
        (["--model", "acme/rocket-1:max"], "acme/rocket-1 max k"),
        (["--model", "rocket-1:off"], "acme/rocket-1 low k"),
        (["--model", "acme/rocket-1:low", "--thinking", "high"], "acme/rocket-1 high k"),
        (["--model", "rocket"], "acme/rocket-2 off k"),
        (["--provider", "ACME", "--model", "rocket-2:high"], "acme/rocket-2 off k"),
        (["--models", "rocket-2,acme/*:high"], "acme/rocket-2 off k"),
        (["--models", "acme/*:high"], "acme/rocket-1 high k"),
        (["--models", "!*-1"], "acme/rocket-2 off k"),
        (["--provider", "dark", "--api-key", "mine"], "dark/moon off mine"),
        (
            ["--model", "opus:max", "--provider", "anthropic", "--api-key", "k"],
            "anthropic/claude-opus-5-5 max k",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "answer",
)
def test_who_answers(house: AgentCli, words: list[str], answer: str) -> None:
    """Ids, parts, levels, scopes; a level that the model does not have becomes the nearest that it has."""
    ran = ask(house, *words)
    assert (0, f"{answer}\n") == (ran.code, ran.out)


def test_an_unlisted_id_is_taken_at_its_word(house: AgentCli) -> None:
    """On a known provider any id may be asked for, and pi says that it does not know it."""
    ran = ask(house, "--model", "acme/rocket-9:high")
    assert "acme/rocket-9 high k\n" == ran.out
    assert "acme does not list rocket-9; it is asked for by that id." in ran.err


def test_a_provider_without_its_variable_is_not_there(house: AgentCli) -> None:
    """82: `$UNSET` leaves one provider out, the others are fine, a command's output is a key."""
    assert "moon" not in house.run("--list-models", env=NO_KEYS).out
    ran = ask(house, "--model", "dark/moon")
    assert (1, True) == (ran.code, "there is no key for dark" in ran.err)
    assert "dark/moon off set\n" == ask(house, "--model", "moon", UNSET_Q="set").out


def test_what_is_odd_about_a_scope_is_told(house: AgentCli) -> None:
    """A pattern that names nothing is a warning; the others count."""
    ran = ask(house, "--models", "nope,rocket-2")
    assert "acme/rocket-2 off k\n" == ran.out
    assert "pi: warning: nope names no model that can be used." in ran.err


def test_a_conversation_keeps_its_model_or_says_that_it_cannot(house: AgentCli) -> None:
    """69: model and level come back; where the model has no key any more, another answers, told as such."""
    assert "dark/moon off k\n" == ask(house, "--model", "dark/moon", "--session-id", "s", UNSET_Q="k").out
    assert "dark/moon off k\n" == ask(house, "-c", UNSET_Q="k").out
    ran = ask(house, "-c")
    assert "acme/rocket-1 low k\n" == ran.out
    assert (
        "pi: warning: The model of this conversation, dark/moon, cannot be used: there is no key for dark. "
        "acme/rocket-1 answers.\n"
    ) in ran.err


def test_a_default_that_is_gone_is_told(house: AgentCli) -> None:
    """A model of the settings that nothing brings is never silently another one."""
    house.write(
        str(house.agent_dir / "settings.toml"),
        '[model]\ndefault-provider = "old"\ndefault-model = "m"\ndefault-thinking-level = "low"\n',
    )
    ran = ask(house)
    assert "acme/rocket-1 low k\n" == ran.out
    assert "The model of the settings, old/m, cannot be used: there is no provider old." in ran.err


def test_a_scope_of_the_settings(house: AgentCli) -> None:
    """enabled-models is the scope unless --models is given."""
    house.write(str(house.agent_dir / "settings.toml"), '[model]\nenabled-models = ["rocket-2"]\n')
    assert "acme/rocket-2 off k\n" == ask(house).out
    assert "acme/rocket-1 medium k\n" == ask(house, "--models", "rocket-1").out


@pytest.mark.parametrize("words", [["--model", "anthropic/opus"], ["--provider", "anthropic"]])
def test_an_asked_for_model_without_a_key_says_how(pi: AgentCli, words: list[str]) -> None:
    """Exit code 1, the variable, the option and the command; the scripted model does not answer."""
    ran = ask(pi, *words)
    assert (1, "") == (ran.code, ran.out)
    for way in ("ANTHROPIC_API_KEY", "--api-key", "pi auth login anthropic"):
        assert way in ran.err


def test_a_broken_models_file_costs_only_itself(pi: AgentCli) -> None:
    """It is named with line and column; the rest works."""
    path = pi.write(str(pi.agent_dir / "models.json"), '{"providers": {\n  "acme": nope}}')
    pi.user_extension(HOUSE, "house.py")
    ran = ask(pi, "--model", "priced/p")
    assert (0, "priced/p off None\n") == (ran.code, ran.out)
    assert f"{path}:2:11 is no JSON" in ran.err


def test_answers_are_priced(house: AgentCli) -> None:
    """usage.cost comes from the model's prices, cache included; the scripted model costs nothing."""

    def costs(*words: str) -> dict[str, Any]:
        ran = house.run("--mode", "json", *words, "hello", env=NO_KEYS)
        (answer,) = [r["message"] for r in ran.of_type("message_end") if r["message"]["role"] == "assistant"]
        cost: dict[str, Any] = answer["usage"]["cost"]
        return cost

    expected = {"input": 2.0, "output": 5.0, "cacheRead": 1.0, "cacheWrite": 0.0, "total": 8.0}
    assert expected == costs("--model", "priced/p")
    assert {0.0} == set(costs("--model", "scripted").values())


def test_the_list_of_models(house: AgentCli) -> None:
    """A table of what can be used, filtered by words or letters; the rest is counted on standard error."""
    ran = house.run("--list-models", env=NO_KEYS)
    head, *rows = [line.split() for line in ran.out.splitlines()]
    assert (0, ["provider", "model", "context", "max", "out", "thinking", "images"]) == (ran.code, head)
    assert ["acme", "rocket-1", "200K", "512", "yes", "no"] in rows
    assert ["acme", "rocket-2", "128K", "16K", "no", "yes"] in rows
    assert "more need a key; pi auth says which." in ran.err
    (named,) = house.run("--list-models", "rkt2", env=NO_KEYS).out.splitlines()[1:]
    assert "rocket-2" in named
    none = house.run("--list-models", "nope-at-all", env=NO_KEYS)
    assert (0, "") == (none.code, none.out)
    assert "no model fits 'nope-at-all'" in none.err


def test_the_list_as_a_document(house: AgentCli) -> None:
    """--mode json prints one document, with levels of thinking and prices."""
    document = json.loads(house.run("--mode", "json", "--list-models=rocket-1", env=NO_KEYS).out)
    (found,) = document["observed"]
    assert ("list-models", True, "acme", "rocket-1") == (
        document["command"], document["ok"], found["provider"], found["id"],
    )  # fmt: skip
    assert ["low", "medium", "high", "max"] == found["thinkingLevels"]


def test_models_that_fit() -> None:
    """Words win over letters; letters must stand in their order."""
    models = [Model(id=name, provider="p", api="x") for name in ("opus-4", "sonnet-4", "o-p-u-s")]
    assert ["opus-4"] == [model.id for model in fitting(models, "OPUS 4")]
    assert ["sonnet-4"] == [model.id for model in fitting(models, "snt4")]
    assert models == fitting(models, "")
    assert (True, False) == (has_letters("sonnet", "snt"), has_letters("sonnet", "tns"))
    assert ["1M", "1.05M", "200K", "512"] == [tokens(n) for n in (1_000_000, 1_050_000, 200_000, 512)]
