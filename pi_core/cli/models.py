"""`--list-models`: the models that can be used, as a table or as JSON.

Touches: standard output, standard error, and whatever providers touch that are asked for their lists.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from hookspecs.definitions import Model
from pi_core.bootstrap import Prepared
from pi_core.modes.base import Output, finding_line, say
from pi_core.providers.thinking import levels_of
from pi_core.session.model_refresh import make_refreshable

HEAD: Final = ("provider", "model", "context", "max out", "thinking", "images")
MILLION: Final = 1_000_000
THOUSAND: Final = 1_000


async def list_models(prepared: Prepared, query: str, output: Output, *, as_json: bool = False) -> int:
    """Write the models that have a key and fit the query; what else there is stands on standard error."""
    registry, told = prepared.models()
    make_refreshable(registry, prepared.runner.runtime)
    await registry.refresh()
    usable = [model for model in registry.models() if registry.is_usable(model)]
    found = fitting(usable, query)
    if as_json:
        output.write_document(document(found, [finding.to_json() for finding in told]))
        return 0
    for finding in told:
        say(finding_line(finding))
    if found:
        output.show(table([row(model) for model in found]))
    else:
        say(f"pi: no model fits {query!r}.")
    keyless = len(fitting(registry.models(), query)) - len(found)
    if keyless:
        say(f"pi: {keyless} more need a key; pi auth says which.")
    return 0


def fitting(models: Sequence[Model], query: str) -> list[Model]:
    """The models whose names have every word of the query; if none has, its letters in their order."""
    words = query.lower().split()
    named = [(model, f"{model.provider}/{model.id} {model.name}".lower()) for model in models]
    whole = [model for model, name in named if all(word in name for word in words)]
    return whole or [model for model, name in named if all(has_letters(name, word) for word in words)]


def has_letters(text: str, word: str) -> bool:
    """Whether the letters of a word stand in a text, in their order."""
    rest = iter(text)
    return all(letter in rest for letter in word)


def row(model: Model) -> tuple[str, ...]:
    """The cells of one model."""
    return (
        model.provider,
        model.id,
        tokens(model.context_window),
        tokens(model.max_tokens),
        "yes" if model.reasoning else "no",
        "yes" if "image" in model.input else "no",
    )


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows under their heads, in columns of one width."""
    lines = [HEAD, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return "".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
        for line in lines
    )


def tokens(count: int) -> str:
    """A number of tokens as people write it: 1.05M, 200K, 512."""
    if count >= MILLION:
        return f"{count / MILLION:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{count / THOUSAND:.0f}K" if count >= THOUSAND else str(count)


def document(models: Sequence[Model], diagnostics: list[dict[str, Any]]) -> str:
    """One JSON document, in the shape of those of the other commands."""
    observed = [
        {
            "provider": model.provider,
            "id": model.id,
            "name": model.name,
            "contextWindow": model.context_window,
            "maxTokens": model.max_tokens,
            "reasoning": model.reasoning,
            "thinkingLevels": list(levels_of(model)),
            "input": list(model.input),
            "cost": dict(model.cost),
        }
        for model in models
    ]
    found = {"command": "list-models", "ok": True, "observed": observed, "diagnostics": diagnostics}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
