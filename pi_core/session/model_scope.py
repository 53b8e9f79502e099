"""The models that a person switches through, in order.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from hookspecs.definitions import Model
from pi_core.providers.models import SCRIPTED
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.scope import scope_of
from pi_core.providers.selection import Choice


def in_scope(registry: ModelRegistry, patterns: Sequence[str]) -> list[Choice]:
    """The usable models that the patterns name, each once; without patterns all of them.

    A pattern that means nothing is passed over. The scripted model is there only if nothing else is.
    """
    models = candidates(registry, patterns)
    return list(scope_of(models, patterns).choices) if patterns else [Choice(model) for model in models]


def candidates(registry: ModelRegistry, patterns: Sequence[str]) -> list[Model]:
    """The models that patterns are held against: all that can be used.

    The scripted model is among them only if it is asked for by its name, or if there is nothing else.
    """
    usable = [model for model in registry.models() if registry.is_usable(model)]
    if any(pattern.partition(":")[0].partition("/")[0] == SCRIPTED for pattern in patterns):
        return usable
    return [model for model in usable if model.provider != SCRIPTED] or usable
