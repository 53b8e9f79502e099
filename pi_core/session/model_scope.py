"""The models that a person switches through: named by patterns, in the order of the patterns.

A pattern with `*`, `?` or `[` is held against `provider/id` and against the id, without regard to
case; another one means a model as on the command line. Either may end in `:level`.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from hookspecs.definitions import Model
from pi_core.errors import ModelChoiceError
from pi_core.providers.models import SCRIPTED
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.selection import LEVELS, Catalogue, Choice, asked_for


def in_scope(registry: ModelRegistry, patterns: Sequence[str]) -> list[Choice]:
    """The usable models that the patterns name, each once; without patterns all of them.

    A pattern that means nothing is passed over. The scripted model is there only if nothing else is.
    """
    usable = [model for model in registry.models() if registry.is_usable(model)]
    real = [model for model in usable if model.provider != SCRIPTED] or usable
    if not patterns:
        return [Choice(model) for model in real]
    catalogue = Catalogue(usable, registry.providers(), registry.is_usable)
    found: dict[tuple[str, str], Choice] = {}
    for pattern in patterns:
        for choice in _named(catalogue, pattern):
            found.setdefault((choice.model.provider, choice.model.id), choice)
    return list(found.values())


def _named(catalogue: Catalogue, pattern: str) -> Iterable[Choice]:
    if not set("*?[") & set(pattern):
        try:
            return [asked_for(catalogue, pattern)]
        except ModelChoiceError:
            return []
    head, colon, level = pattern.rpartition(":")
    has_level = bool(colon) and level in LEVELS
    wanted = (head if has_level else pattern).lower()
    thinking = next((known for known in LEVELS if has_level and known == level), None)
    return [Choice(model, thinking) for model in catalogue.models if _matches(model, wanted)]


def _matches(model: Model, pattern: str) -> bool:
    names = (f"{model.provider}/{model.id}".lower(), model.id.lower())
    return any(fnmatchcase(name, pattern) for name in names)
