"""A model whose stream is a function: it repeats what it was told. Pure."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from pi_core.api import (
    AssistantMessage,
    BlockEvent,
    Done,
    Failed,
    Model,
    ProviderConfig,
    StreamContext,
    StreamOptions,
    StreamStart,
    TextContent,
    TextDelta,
    TextEnd,
    TextStart,
    Usage,
    text_of,
)


def provider() -> ProviderConfig:
    """The provider: no address, no key, one model."""
    return ProviderConfig(name="Parrot", stream=repeat, models=[{"id": "polly", "name": "Polly"}])


async def repeat(model: Model, context: StreamContext, options: StreamOptions) -> AsyncIterator[BlockEvent]:
    """Block events, word by word. The last is `Done`, or `Failed` after an abort."""
    heard = text_of(context.messages[-1].content) if context.messages else ""
    answer = AssistantMessage(api=model.api, provider=model.provider, model=model.id)
    yield StreamStart(partial=answer)
    yield TextStart(content_index=0)
    said = ""
    for word in re.findall(r"\S+\s*", heard):
        if options.signal is not None and options.signal.aborted:
            answer.stop_reason, answer.error_message = "aborted", "The parrot was interrupted"
            yield Failed(message=answer)
            return
        said += word
        yield TextDelta(content_index=0, delta=word)
    yield TextEnd(content_index=0, content=said)
    answer.content = [TextContent(text=said)]
    words = len(said.split())
    answer.usage = Usage(input=words, output=words, total_tokens=2 * words)
    yield Done(message=answer)
