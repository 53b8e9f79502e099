"""The models file: its comments, its entries, and that a mistake costs only itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import ProviderConfig
from pi_core.providers.models import (
    MalformedEntry,
    overridden,
    parse_models,
    provider_from_config,
    read_models_file,
    without_comments,
)

FILE = """
{
  // my own server
  "providers": {
    "acme": {
      "name": "Acme", "baseUrl": "http://127.0.0.1:8080/v1", "api": "openai-completions",
      "apiKey": "$ACME_KEY", /* from the shell */ "authHeader": true,
      "headers": {"X-Team": "a // b"},
      "models": [
        {"id": "rocket", "contextWindow": 1000, "maxTokens": 10, "reasoning": true, "compat": {"x": 1},},
        {"id": "lens", "api": "anthropic-messages", "baseUrl": "http://127.0.0.1:9090"},
      ],
      "modelOverrides": {"rocket": {"name": "R"}},
    },
  },
}
"""


def test_a_models_file() -> None:
    """Camel-case entries become providers and models; what is unknown is kept."""
    (provider,) = parse_models(FILE, name="models.json").providers
    assert ("Acme", "$ACME_KEY", True, {"X-Team": "a // b"}) == (
        provider.label,
        provider.api_key,
        provider.auth_header,
        provider.headers,
    )
    rocket, lens = provider.models
    assert ("acme", "openai-completions", "http://127.0.0.1:8080/v1", 1000, 10, True) == (
        rocket.provider,
        rocket.api,
        rocket.base_url,
        rocket.context_window,
        rocket.max_tokens,
        rocket.reasoning,
    )
    assert {"compat": {"x": 1}} == rocket.extra
    assert ("anthropic-messages", "http://127.0.0.1:9090", 128_000) == (
        lens.api,
        lens.base_url,
        lens.context_window,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} // end', {"a": 1}),
        ('{"a": "// no /* no */ \\" ,]"}', {"a": '// no /* no */ " ,]'}),
        ('{/* , } */ "a": [1, 2, /* x */ ], }', {"a": [1, 2]}),
        ("[1,\n// two\n2]", [1, 2]),
    ],
)
def test_comments(text: str, value: Any) -> None:
    """Comments and trailing commas go, texts stay, and every line keeps its number."""
    assert value == json.loads(without_comments(text))
    assert text.count("\n") == without_comments(text).count("\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n "providers": nope}', "m.json:2:15 is no JSON"),
        ("[]", 'expected an object with "providers"'),
        ('{"providers": {"a": 1, "b": {}}}', "provider a: is not an object"),
        ('{"providers": {"a": {"baseUrl": 1}, "b": {}}}', "provider a: base_url is not a text"),
        ('{"providers": {"a": {"models": {}}, "b": {}}}', "provider a: models is not a list"),
        ('{"providers": {"a": {"models": [{}]}, "b": {}}}', "provider a: a model needs an id"),
        (
            '{"providers": {"a": {"models": [{"id": "x", "contextWindow": "big"}]}, "b": {}}}',
            "not a whole number",
        ),
        ('{"providers": {"a": {"headers": {"h": 1}}, "b": {}}}', "headers has a value that is not a text"),
        ('{"providers": {"a": {"modelOverrides": 1}, "b": {}}}', "model_overrides is not an object"),
        (
            '{"providers": {"a": {"modelOverrides": {"m": 1}}, "b": {}}}',
            "model_overrides of m is not an object",
        ),
        (
            '{"providers": {"a": {"modelOverrides": {"m": {"maxTokens": 0}}}, "b": {}}}',
            "model_overrides of m: max_tokens is not a whole number",
        ),
        ('{"providers": {"a": {"models": [{"id": "x", "input": "text"}]}, "b": {}}}', "input is not a list"),
        ('{"providers": {"a": {"models": [{"id": "x", "reasoning": 1}]}, "b": {}}}', "not true or false"),
        ('{"providers": {"a": {"models": [{"id": "x", "cost": 1}]}, "b": {}}}', "cost is not an object"),
        ('{"providers": {"a": {"compat": 1}, "b": {}}}', "compat is not an object"),
    ],
)
def test_a_mistake_costs_only_itself(text: str, problem: str) -> None:
    """One sentence says what is wrong and where; the other providers count."""
    file = parse_models(text, name="m.json")
    assert problem in file.problems[0]
    assert (["b"] if '"b"' in text else []) == [provider.name for provider in file.providers]


def test_no_file_is_no_problem(tmp_path: Path) -> None:
    """A file that is not there is empty; one that cannot be read is told."""
    assert ((), ()) == (
        read_models_file(tmp_path / "none.json").providers,
        read_models_file(tmp_path / "none.json").problems,
    )
    assert "cannot be read" in read_models_file(tmp_path).problems[0]


def test_an_extensions_models_may_be_spelled_both_ways() -> None:
    """A registered model may use snake_case or camelCase."""
    listed = [{"id": "a", "context_window": 5}, {"id": "b", "contextWindow": 6}]
    config = ProviderConfig(api="x", base_url="u", api_key="k", models=listed)
    assert [5, 6] == [model.context_window for model in provider_from_config("p", config).models]


def test_overrides_keep_the_id() -> None:
    """An override changes what a model is, never which one it is."""
    (provider,) = parse_models(FILE, name="m").providers
    changed = overridden(provider.models[0], {"id": "other", "contextWindow": 7, "unknown": 1})
    assert ("rocket", 7) == (changed.id, changed.context_window)


def test_a_malformed_registration() -> None:
    """What an extension gives is judged like the file."""
    with pytest.raises(MalformedEntry, match="a model needs an id"):
        provider_from_config("p", ProviderConfig(models=[{"name": "x"}]))
