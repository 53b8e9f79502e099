"""Presets as values, read from the settings. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from pi_core.api import ThinkingLevel

LEVELS: Final[tuple[str, ...]] = get_args(ThinkingLevel)


@dataclass(frozen=True, slots=True)
class Preset:
    """What is switched together. None leaves a thing as it is."""

    model: str | None = None
    thinking: ThinkingLevel | None = None
    tools: tuple[str, ...] | None = None
    instructions: str = ""


def presets_of(table: Any) -> dict[str, Preset]:
    """The presets by name, in the order of the settings; fields of another type are left out."""
    if not isinstance(table, Mapping):
        return {}
    return {str(name): _preset(fields) for name, fields in table.items() if isinstance(fields, Mapping)}


def _preset(fields: Mapping[str, Any]) -> Preset:
    model, thinking, tools = fields.get("model"), fields.get("thinking"), fields.get("tools")
    return Preset(
        model=model if isinstance(model, str) else None,
        thinking=thinking if thinking in LEVELS else None,
        tools=tuple(map(str, tools)) if isinstance(tools, list) else None,
        instructions=str(fields.get("instructions", "")),
    )
