"""How a request is asked: the limit, the level of thinking and the cache, in the words of each wire.

The library turns a level into what the model of that name takes. A `thinkingLevelMap` gives the vendor's own
word or budget instead.

Pure.
"""

from __future__ import annotations

from typing import Any, Final, cast

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition as VendorTool

from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.wire import to_wire
from pi_core.providers.base import Context, StreamOptions
from pi_core.providers.limits import answer_limit
from pi_core.providers.vendors.compat import Compat, compat_of, level_value, level_word, thinking_body

LEAST_BUDGET: Final = 1024
"""Tokens: the smallest budget of thinking that the messages wire accepts."""

BUDGETS: Final[dict[ThinkingLevel, int]] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16384,
    "xhigh": 32768,
    "max": 65536,
}
"""Tokens of thinking for models that take a budget, not a level."""


def request_parameters(context: Context) -> ModelRequestParameters:
    """The tools of a request, their schemas as they are."""
    tools = [
        VendorTool(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=to_wire(tool.parameters),
            strict=False,
        )
        for tool in context.tools
    ]
    return ModelRequestParameters(function_tools=tools, allow_text_output=True)


def request_settings(
    model: Model, context: Context, options: StreamOptions, *, adaptive: bool = True
) -> ModelSettings:
    """Everything else that is asked with a request. `adaptive`: the model takes a level, not a budget."""
    settings: dict[str, Any] = {"max_retries": 0, "framing_announcement": "never"}
    limit = answer_limit(model, context, options.max_tokens)
    if limit is not None:
        settings["max_tokens"] = limit
    if options.temperature is not None:
        settings["temperature"] = options.temperature
    match model.api:
        case "openai-completions":
            settings |= _chat(model, options)
        case "openai-responses":
            settings |= _responses(model, options)
        case "anthropic-messages":
            settings |= _messages(model, options, limit, adaptive=adaptive)
        case _:
            settings |= _gemini(model, options)
    return cast(ModelSettings, settings)


def _chat(model: Model, options: StreamOptions) -> dict[str, Any]:
    compat = compat_of(model)
    settings: dict[str, Any] = {"openai_store": False} if compat.supports_store else {}
    if options.conversation_id is not None and model.provider == "openai":
        settings["openai_prompt_cache_key"] = options.conversation_id
    if model.reasoning:
        settings |= _chat_thinking(model, options, compat)
    return settings


def _chat_thinking(model: Model, options: StreamOptions, compat: Compat) -> dict[str, Any]:
    value = level_word(model, options.thinking)
    if body := thinking_body(compat, options.thinking, value):
        return {"extra_body": body}
    if not compat.supports_reasoning_effort:
        return {}
    if value is not None:
        return {"openai_reasoning_effort": value}
    return _level(options)


def _responses(model: Model, options: StreamOptions) -> dict[str, Any]:
    settings: dict[str, Any] = {"openai_store": False}
    if options.conversation_id is not None:
        settings["openai_prompt_cache_key"] = options.conversation_id
    if not model.reasoning:
        return settings
    value = level_word(model, options.thinking)
    if value is not None:
        settings["openai_reasoning_effort"] = value
    else:
        settings |= _level(options)
    if options.thinking != "off":
        settings["openai_reasoning_summary"] = "auto"
    return settings


def _messages(model: Model, options: StreamOptions, limit: int | None, *, adaptive: bool) -> dict[str, Any]:
    """The prompt, the tools and the conversation are cached. A budget leaves room for the answer."""
    settings: dict[str, Any] = {
        "anthropic_cache_instructions": True,
        "anthropic_cache_tool_definitions": True,
        "anthropic_cache_messages": True,
    }
    if not model.reasoning:
        return settings
    value = level_value(model, options.thinking)
    if value is None and not adaptive:
        value = BUDGETS.get(options.thinking)
    if isinstance(value, int):
        budget = max(LEAST_BUDGET, min(value, (limit or value + 1) - LEAST_BUDGET))
        settings["anthropic_thinking"] = {"type": "enabled", "budget_tokens": budget}
    elif value is not None:
        settings |= {"anthropic_thinking": {"type": "adaptive"}, "anthropic_effort": value}
    else:
        settings |= {"thinking": False if options.thinking == "off" else options.thinking}
    return settings


def _gemini(model: Model, options: StreamOptions) -> dict[str, Any]:
    if not model.reasoning:
        return {}
    value = level_value(model, options.thinking)
    if value is None:
        return {"thinking": False if options.thinking == "off" else options.thinking}
    name = "thinking_budget" if isinstance(value, int) else "thinking_level"
    return {"google_thinking_config": {"include_thoughts": options.thinking != "off", name: value}}


def _level(options: StreamOptions) -> dict[str, Any]:
    """The level for an OpenAI wire. Off is not said: a server that knows no such word refuses it."""
    return {} if options.thinking == "off" else {"thinking": options.thinking}
