"""What is asked of a vendor: limits, levels of thinking, caches, schemas, and how servers differ."""

from __future__ import annotations

from typing import Any, cast

import pytest

from hookspecs.messages import TextContent, ToolCallContent, ToolResultMessage, UserMessage
from pi_core.providers.base import Context
from pi_core.providers.catalogue import built_in
from pi_core.providers.models import Provider
from pi_core.providers.thinking import levels_of
from tests.core.providers.wire_kit import GO, SCHEMA, TOOL, Asking, answer_of
from tests.support.wire_bodies import WIRES, Wire
from tests.support.wire_server import WireServer

LIMIT = {
    "openai-completions": ("max_completion_tokens",),
    "openai-responses": ("max_output_tokens",),
    "anthropic-messages": ("max_tokens",),
    "google-generative-ai": ("generationConfig", "maxOutputTokens"),
}
PATHS = {
    "openai-completions": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "google-generative-ai": "/v1beta/models/m:streamGenerateContent?alt=sse",
}


def at(value: Any, *path: str) -> Any:
    """What stands at a path of names, None if it is not there."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


async def test_the_address_is_the_configured_one(asking: Asking) -> None:
    """Each wire's own path comes after the address, as its vendor writes it."""
    await asking.message()
    assert PATHS[asking.wire] == asking.server.requests[0].path


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"max_tokens": 1000}, 1000),
        ({"max_tokens": 200_000, "context_window": 100_000}, 100_000 - 4096 - 100),
        ({"max_tokens": 9000, "context_window": 0}, 9000),
        ({"max_tokens": 9000, "context_window": 100}, 1),
    ],
)
async def test_the_answer_fits_into_the_window(asking: Asking, fields: dict[str, int], limit: int) -> None:
    """The model's most, as far as window, size of the request and a margin of 4096 leave room."""
    context = Context(messages=[UserMessage(content="x" * 400)])
    assert limit == at(await asking.payload(context, **fields), *LIMIT[asking.wire])


async def test_a_temperature(asking: Asking) -> None:
    """Whoever asks may set one."""
    payload = await asking.payload(temperature=0.5)
    assert 0.5 == (at(payload, "temperature") or at(payload, "generationConfig", "temperature"))


async def test_schemas_are_sent_as_they_are(asking: Asking) -> None:
    """A tool's schema is its author's business; nothing is made strict."""
    payload = await asking.payload()
    tool = payload["tools"][0]
    found = {
        "openai-completions": lambda: tool["function"]["parameters"],
        "openai-responses": lambda: tool["parameters"],
        "anthropic-messages": lambda: tool["input_schema"],
        "google-generative-ai": lambda: tool["functionDeclarations"][0]["parameters_json_schema"],
    }[asking.wire]()
    assert SCHEMA == found
    assert "true" not in str(at(tool, "strict")).lower()


THINKING = [
    ("openai-completions", "high", {}, ("reasoning_effort",), "high"),
    ("openai-completions", "off", {}, ("reasoning_effort",), None),
    ("openai-completions", "low", {"thinkingLevelMap": {"low": "tiny"}}, ("reasoning_effort",), "tiny"),
    ("openai-completions", "low", {"thinkingLevelMap": {"low": 2048}}, ("reasoning_effort",), "low"),
    ("openai-completions", "off", {"thinkingLevelMap": {"off": "none"}}, ("reasoning_effort",), "none"),
    ("openai-responses", "high", {}, ("reasoning", "effort"), "high"),
    ("openai-responses", "minimal", {}, ("reasoning", "effort"), "low"),
    ("openai-responses", "off", {}, ("reasoning",), None),
    ("openai-responses", "max", {"thinkingLevelMap": {"max": "xhigh"}}, ("reasoning", "effort"), "xhigh"),
    ("anthropic-messages", "low", {}, ("thinking",), {"type": "enabled", "budget_tokens": 2048}),
    ("anthropic-messages", "off", {}, ("thinking",), None),
    ("anthropic-messages", "high", {"thinkingLevelMap": {"high": "xhigh"}}, ("thinking", "type"), "adaptive"),
    ("anthropic-messages", "high", {"thinkingLevelMap": {"high": 3000}}, ("thinking", "budget_tokens"), 3000),
    ("google-generative-ai", "high", {}, ("thinking_level",), "HIGH"),
    ("google-generative-ai", "high", {}, ("include_thoughts",), True),
    ("google-generative-ai", "low", {"thinkingLevelMap": {"low": 500}}, ("thinking_budget",), 500),
]


@pytest.mark.parametrize(("api", "level", "extra", "path", "expected"), THINKING)
async def test_a_level_of_thinking(
    server: WireServer, api: Wire, level: Any, extra: dict[str, Any], path: tuple[str, ...], expected: Any
) -> None:
    """Each wire has its own parameter; a model's `thinkingLevelMap` gives the vendor's own word or budget."""
    payload = await Asking(server, api).payload(reasoning=True, thinking=level, extra=extra)
    place = at(payload, "generationConfig", "thinkingConfig") if api.startswith("google") else payload
    assert expected == at(place, *path)


CARRIED = ("id", "provider", "reasoning", "extra", "context_window", "max_tokens")
KNOWN = [provider for provider in built_in() if provider.api in WIRES and provider.models]


@pytest.mark.parametrize("provider", KNOWN, ids=lambda provider: str(provider.name))
async def test_known_models_are_asked_at_each_of_their_levels(server: WireServer, provider: Provider) -> None:
    """The library takes every model of the catalogue at every level, without a warning, and sends a limit."""
    for model in provider.models:
        asking = Asking(server, cast(Wire, model.api or provider.api))
        fields = {name: getattr(model, name) for name in CARRIED}
        for level in levels_of(model):
            message = await asking.message(**fields, thinking=level)
            assert ("stop", None) == (message.stop_reason, message.error_message), (model.id, level)
        assert model.max_tokens == at(server.requests[-1].payload, *LIMIT[asking.wire])


async def test_a_model_that_cannot_think_is_not_asked_to(asking: Asking) -> None:
    """Whatever the level says."""
    payload = await asking.payload(thinking="high")
    assert not any(name in str(payload) for name in ("reasoning", "thinking"))


async def test_a_budget_leaves_room_for_the_answer(server: WireServer) -> None:
    """A budget of thinking counts into the limit of the answer, so it is smaller."""
    asking = Asking(server, "anthropic-messages")
    payload = await asking.payload(reasoning=True, thinking="high", max_tokens=8000)
    assert (8000, 8000 - 1024) == (payload["max_tokens"], payload["thinking"]["budget_tokens"])


async def test_prompt_tools_and_conversation_are_cached(server: WireServer) -> None:
    """The messages wire caches what it is told to: up to the prompt, the last tool, the last block."""
    payload = await Asking(server, "anthropic-messages").payload()
    marked = (payload["system"][-1], payload["tools"][-1], payload["messages"][-1]["content"][-1])
    assert all("cache_control" in place for place in marked)


@pytest.mark.parametrize("api", ["openai-completions", "openai-responses"])
async def test_nothing_is_stored_at_the_vendor(server: WireServer, api: Wire) -> None:
    """OpenAI's wires are told not to keep the conversation."""
    assert False is (await Asking(server, api).payload())["store"]


@pytest.mark.parametrize(
    ("compat", "gone", "there"),
    [
        ({"supportsStore": False}, "store", "stream_options"),
        ({"supportsUsageInStreaming": False}, "stream_options", "store"),
        ({"supportsReasoningEffort": False}, "reasoning_effort", "store"),
        ({"maxTokensField": "max_tokens"}, "max_completion_tokens", "max_tokens"),
        ({"thinkingFormat": "zai"}, "reasoning_effort", "thinking"),
        ({"thinkingFormat": "qwen"}, "reasoning_effort", "enable_thinking"),
        ({"thinkingFormat": "qwen-chat-template"}, "reasoning_effort", "chat_template_kwargs"),
        ({"thinkingFormat": "openrouter"}, "reasoning_effort", "reasoning"),
    ],
)
async def test_servers_that_differ(server: WireServer, compat: dict[str, Any], gone: str, there: str) -> None:
    """The table `compat` of a model says what its server cannot read, or reads under another name."""
    asking = Asking(server, "openai-completions")
    payload = await asking.payload(reasoning=True, thinking="high", extra={"compat": compat})
    assert (False, True) == (gone in payload, there in payload)


@pytest.mark.parametrize(("compat", "role"), [({}, "system"), ({"supportsDeveloperRole": True}, "developer")])
async def test_the_role_of_the_prompt(server: WireServer, compat: dict[str, Any], role: str) -> None:
    """Every server reads a system prompt; some read their own name for it."""
    asking = Asking(server, "openai-completions")
    payload = await asking.payload(reasoning=True, extra={"compat": compat})
    assert {"role": role, "content": "sys"} == payload["messages"][0]


async def test_a_failed_tool_is_told(asking: Asking) -> None:
    """The text of a failed call reaches the model; where a wire can say that it is an error, it does."""
    call = ToolCallContent(id="c1", name="t", arguments={"a": 1})
    failed = ToolResultMessage(
        tool_call_id="c1", tool_name="t", content=[TextContent(text="no such file")], is_error=True
    )
    context = Context(
        messages=[UserMessage(content="go"), answer_of(asking.wire, call), failed], tools=[TOOL]
    )
    told = str(await asking.payload(context))
    assert "no such file" in told
    flags = {"anthropic-messages": "'is_error': True", "google-generative-ai": "{'error': 'no such file'}"}
    assert flags.get(asking.wire, "") in told


async def test_no_tools_are_no_tools(asking: Asking) -> None:
    """A request without tools does not mention any."""
    payload = await asking.payload(Context(messages=GO.messages))
    assert not payload.get("tools")
