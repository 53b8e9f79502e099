"""A provider with a stream of its own, written with the block events of the face."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pi_core.api import (
    AssistantMessage,
    BlockEvent,
    Done,
    ExtensionAPI,
    Failed,
    Model,
    ProviderConfig,
    RefreshModelsContext,
    StreamContext,
    StreamOptions,
    StreamStart,
    TextContent,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallContent,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)


async def echo(model: Model, context: StreamContext, options: StreamOptions) -> AsyncIterator[BlockEvent]:
    """Answer with what was said last."""
    message = AssistantMessage(content=[], provider=model.provider, model=model.id, api=model.api)
    yield StreamStart(partial=message)
    payload = await options.hooks.before_payload({"messages": len(context.messages)})
    if options.signal is not None and options.signal.aborted:
        message.stop_reason = "aborted"
        yield Failed(message=message)
        return
    text = str(payload)
    yield ThinkingStart(content_index=0)
    yield ThinkingDelta(content_index=0, delta="hm")
    yield ThinkingEnd(content_index=0, content="hm")
    yield TextStart(content_index=1)
    yield TextDelta(content_index=1, delta=text)
    yield TextEnd(content_index=1, content=text)
    call = ToolCallContent(id="1", name="read", arguments={"path": "a"})
    yield ToolCallStart(content_index=2, id=call.id, tool_name=call.name)
    yield ToolCallDelta(content_index=2, delta='{"path": "a"}')
    yield ToolCallEnd(content_index=2, tool_call=call)
    message.content = [TextContent(text=text), call]
    yield Done(message=message)


async def names(context: RefreshModelsContext) -> list[dict[str, object]]:
    """The models of the moment, by what is known of their provider."""
    return [{"id": f"{context.provider}-{len(context.models)}", "name": context.api_key or ""}]


def extension(pi: ExtensionAPI) -> None:
    models = [{"id": "echo-1", "contextWindow": 8000}]
    config = ProviderConfig(
        api="echo",
        api_key="none",
        base_url="http://127.0.0.1",
        models=models,
        stream=echo,
        refresh_models=names,
    )
    pi.register_provider("echo", config)
    pi.unregister_provider("echo")
