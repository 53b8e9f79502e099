"""The models that a person switches through: named by patterns, in the order of the patterns.

A pattern with `*`, `?` or `[` is held against `provider/id` and against the id, without regard to case;
`*` stays within a part, `**` crosses the slash. Another pattern names a model, whole or in part. Either
may end in `:level`. A pattern that begins with `!` takes models away again.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.values import dataclass
from pi_core.providers.models import names_of
from pi_core.providers.selection import Choice, best, split_level

WILD: Final = frozenset("*?[")
ScopeProblem: TypeAlias = Literal["no_match", "ambiguous", "invalid_thinking_level"]


@dataclass(frozen=True, slots=True)
class ScopeWarning:
    """What is odd about a pattern. `message` is a sentence for the person."""

    kind: ScopeProblem
    pattern: str
    message: str


@dataclass(frozen=True, slots=True)
class Scope:
    """The models, each once with the level of the first pattern that named it, and what was odd."""

    choices: tuple[Choice, ...] = ()
    warnings: tuple[ScopeWarning, ...] = ()


def scope_of(models: Sequence[Model], patterns: Sequence[str]) -> Scope:
    """What the patterns name among `models`, which are those that can be used; all of them for `!` alone."""
    chosen: dict[tuple[str, str], Choice] = {}
    warnings: list[ScopeWarning] = []
    if patterns and all(pattern.startswith("!") for pattern in patterns):
        chosen = {key_of(model): Choice(model) for model in models}
    for pattern in patterns:
        if pattern.startswith("!"):
            gone = matching(models, pattern[1:])
            warnings += [] if gone else [no_match(pattern)]
            for model in gone:
                chosen.pop(key_of(model), None)
            continue
        choices, odd = named_by(models, pattern)
        warnings += odd
        for choice in choices:
            chosen.setdefault(key_of(choice.model), choice)
    return Scope(tuple(chosen.values()), tuple(warnings))


def key_of(model: Model) -> tuple[str, str]:
    """What tells models apart."""
    return model.provider, model.id


def named_by(models: Sequence[Model], pattern: str) -> tuple[list[Choice], list[ScopeWarning]]:
    """The models of one pattern, and what is odd about it."""
    head, level = split_level(pattern)
    if WILD & set(pattern):
        found = [Choice(model, level) for model in matching(models, head)]
        return found, [] if found else [no_match(pattern)]
    if whole := meant(models, pattern):
        return _told(pattern, whole, None)
    if level is not None:
        return _told(pattern, meant(models, head), level)
    head, colon, wrong = pattern.rpartition(":")
    found_models = meant(models, head) if colon else []
    if not found_models:
        return [], [no_match(pattern)]
    choices, warnings = _told(pattern, found_models, None)
    said = f"{wrong} is no thinking level; {head} thinks as set"
    return choices, [ScopeWarning("invalid_thinking_level", pattern, said), *warnings]


def _told(
    pattern: str, models: Sequence[Model], level: ThinkingLevel | None
) -> tuple[list[Choice], list[ScopeWarning]]:
    warnings = [] if models else [no_match(pattern)]
    if len(models) > 1:
        said = f"{pattern} could be any of {', '.join(names_of(models))}; all are taken"
        warnings = [ScopeWarning("ambiguous", pattern, said)]
    return [Choice(model, level) for model in models], warnings


def no_match(pattern: str) -> ScopeWarning:
    """The warning about a pattern that names nothing."""
    return ScopeWarning("no_match", pattern, f"{pattern} names no model that can be used")


def matching(models: Sequence[Model], pattern: str) -> list[Model]:
    """The models that a pattern fits, in order."""
    if not WILD & set(pattern):
        return meant(models, pattern)
    from wcmatch import glob  # start-up time: only a pattern with wildcards needs it

    flags = glob.GLOBSTAR | glob.IGNORECASE | glob.DOTGLOB | glob.FORCEUNIX
    return [
        model
        for model in models
        if glob.globmatch(f"{model.provider}/{model.id}", pattern, flags=flags)
        or glob.globmatch(model.id, pattern, flags=flags)
    ]


def meant(models: Sequence[Model], text: str) -> list[Model]:
    """The models that a name means: exactly so called, else the best that has it in its id or name.

    More than one if providers have the same.
    """
    wanted = text.lower()
    if not wanted:
        return []
    for exact in (
        [model for model in models if f"{model.provider}/{model.id}".lower() == wanted],
        [model for model in models if model.id.lower() == wanted],
    ):
        if exact:
            return exact
    return best(models, wanted) or [
        model
        for provider in dict.fromkeys(model.provider for model in models)
        if wanted.startswith(f"{provider.lower()}/")
        for model in best(
            [model for model in models if model.provider == provider], wanted[len(provider) + 1 :]
        )
    ]
