"""The models that a person switches through, in order.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_core.providers.models import SCRIPTED
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.scope import scope_of
from pi_core.providers.selection import Choice


def in_scope(registry: ModelRegistry, patterns: Sequence[str]) -> list[Choice]:
    """The usable models that the patterns name, each once; without patterns all of them.

    A pattern that means nothing is passed over. The scripted model is there only if nothing else is.
    """
    usable = [model for model in registry.models() if registry.is_usable(model)]
    if patterns:
        return list(scope_of(usable, patterns).choices)
    return [Choice(model) for model in usable if model.provider != SCRIPTED] or [
        Choice(model) for model in usable
    ]
