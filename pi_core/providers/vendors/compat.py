"""How a server differs from the one whose wire it speaks: the table `compat` of a model.

Names and meanings are those of models.json. What is not said there is as the wire's own vendor does it,
except for the few hosts that are known to refuse it.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.values import dataclass
from pi_core.providers.thinking import level_map

REFUSES_STORE: Final = (
    "api.mistral.ai",
    "api.cerebras.ai",
    "api.x.ai",
    "api.deepseek.com",
    "api.z.ai",
    "api.groq.com",
    "llm.chutes.ai",
    "generativelanguage.googleapis.com",
)
"""Hosts that speak the chat wire and answer an unknown field with an error."""

WANTS_MAX_TOKENS: Final = ("api.mistral.ai", "llm.chutes.ai")
"""Hosts that know the older name of the limit only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compat:
    """What a chat server can do. Each field is one of the table's, in snake_case."""

    supports_store: bool = True
    """`store: false` may be sent."""
    supports_developer_role: bool = False
    """A reasoning model reads the system prompt in the role `developer`."""
    supports_reasoning_effort: bool = True
    """`reasoning_effort` may be sent."""
    supports_usage_in_streaming: bool = True
    """`stream_options` may be sent."""
    max_tokens_field: str = "max_completion_tokens"
    """The name of the limit: this one or `max_tokens`."""
    thinking_format: str = "openai"
    """How reasoning is asked for: openai, openrouter, zai, qwen, qwen-chat-template."""


def host_of(address: str) -> str | None:
    """The host of an address; None if it is no address of a server on the web."""
    try:
        parts = urlsplit(address)
        return parts.hostname if parts.scheme in ("http", "https") else None
    except ValueError:
        return None


def compat_of(model: Model) -> Compat:
    """The table of a model; what has the wrong type does not count."""
    host = host_of(model.base_url) or ""
    table = model.extra.get("compat")
    given: Mapping[str, Any] = table if isinstance(table, Mapping) else {}
    return Compat(
        supports_store=_flag(given, "supportsStore", host not in REFUSES_STORE),
        supports_developer_role=_flag(given, "supportsDeveloperRole", False),
        supports_reasoning_effort=_flag(given, "supportsReasoningEffort", True),
        supports_usage_in_streaming=_flag(given, "supportsUsageInStreaming", True),
        max_tokens_field=_text(
            given, "maxTokensField", "max_tokens" if host in WANTS_MAX_TOKENS else "max_completion_tokens"
        ),
        thinking_format=_text(given, "thinkingFormat", "openai"),
    )


def unsent_fields(model: Model) -> tuple[str, ...]:
    """What the library always asks for and the model's server cannot read."""
    if model.api != "openai-completions" or compat_of(model).supports_usage_in_streaming:
        return ()
    return ("stream_options",)


def level_value(model: Model, level: ThinkingLevel) -> str | int | None:
    """What the model's `thinkingLevelMap` says for a level: a vendor's word or budget; None if nothing."""
    value = level_map(model).get(level)
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def level_word(model: Model, level: ThinkingLevel) -> str | None:
    """The same for a wire that has no budgets: a number there says nothing to it."""
    value = level_value(model, level)
    return value if isinstance(value, str) else None


def thinking_body(compat: Compat, level: ThinkingLevel, effort: str | None) -> dict[str, Any]:
    """The fields that ask for reasoning where that is not `reasoning_effort`; empty for the usual way."""
    on = level != "off"
    match compat.thinking_format:
        case "openrouter":
            return {"reasoning": {"effort": effort or level}} if on else {"reasoning": {"enabled": False}}
        case "zai":
            return {"thinking": {"type": "enabled" if on else "disabled"}}
        case "qwen":
            return {"enable_thinking": on}
        case "qwen-chat-template":
            return {"chat_template_kwargs": {"enable_thinking": on}}
        case _:
            return {}


def _flag(given: Mapping[str, Any], name: str, default: bool) -> bool:
    value = given.get(name)
    return value if isinstance(value, bool) else default


def _text(given: Mapping[str, Any], name: str, default: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else default
