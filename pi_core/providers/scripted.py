"""The scripted model: plays a script turn by turn, or follows the rule table without one.

It needs no key and no network, and it is a provider like any other: request
hooks run, blocks arrive in pieces, an abort ends it.

Touches: files.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

from hookspecs.definitions import Model
from hookspecs.messages import (
    AssistantContent,
    AssistantMessage,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    Usage,
)
from hookspecs.wire import to_wire
from pi_core.abort import AbortSignal
from pi_core.providers.base import (
    BlockEvent,
    Context,
    Done,
    Failed,
    Stream,
    StreamOptions,
    StreamStart,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UpdateEvent,
)
from pi_core.providers.folding import Growing
from pi_core.providers.rules import answer, plain_text
from pi_core.providers.script import Script, Turn

ABORTED = "Request was aborted"


def create(script: str | None = None) -> Stream:
    """The stream function of a new scripted model; `script` is the path of a script file.

    Raises: ScriptError.
    """
    return Scripted(Script.read(script) if script is not None else None).stream


class Scripted:
    """One scripted model. `requests` are the payloads it was sent, oldest first, after the hooks."""

    def __init__(self, script: Script | None = None) -> None:
        self._script = script
        self.requests: list[Any] = []

    async def stream(
        self, model: Model, context: Context, options: StreamOptions
    ) -> AsyncIterator[BlockEvent]:
        """Answer once. Every request takes the next turn of the script."""
        hooks = options.hooks
        headers: dict[str, str | None] = dict(options.headers)
        await hooks.before_headers(headers)
        payload = await hooks.before_payload(payload_of(model, context, options))
        self.requests.append(payload)
        turn = self._turn(payload)
        blank = AssistantMessage(api=model.api, provider=model.provider, model=model.id)
        aborted = await pause(turn.delay_s, options.signal)
        if turn.error is not None and not turn.blocks:
            yield Failed(message=replace(blank, stop_reason="error", error_message=turn.error))
            return
        await hooks.after_response(200, {})
        yield StreamStart(partial=blank)
        growing = Growing(blank)
        for event in () if aborted else events_of(numbered(turn.blocks, payload)):
            await hooks.stream_event(to_wire(event))
            growing.apply(event)
            yield event
            if aborted := await pause(turn.pace_s, options.signal):
                break
        for event in growing.ending():
            growing.apply(event)
            yield event
        yield last_event(turn, growing, payload, aborted=aborted)

    def _turn(self, payload: Any) -> Turn:
        if self._script is None:
            return answer(payload)
        index, turns = len(self.requests) - 1, self._script.turns
        if index >= len(turns):
            return Turn(error=f"the script has {len(turns)} turns, and this is request {index + 1}")
        expected, found = turns[index].expect, last_text(payload)
        if expected is not None and not re.search(expected, found):
            return Turn(error=f"turn {index + 1} of the script expects {expected!r}, found {found!r}")
        return turns[index]


def payload_of(model: Model, context: Context, options: StreamOptions) -> dict[str, Any]:
    """What the scripted model is sent: the request as plain JSON values, nothing shared with the history."""
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": to_wire(tool.parameters)}
        for tool in context.tools
    ]
    return {
        "model": model.id,
        "thinking": options.thinking,
        "system": context.system_prompt,
        "messages": [to_wire(message) for message in context.messages],
        "tools": tools,
    }


def last_text(payload: Any) -> str:
    """The text of the last message of a request; empty if there is none."""
    messages = payload.get("messages") if isinstance(payload, dict) else None
    return plain_text(messages[-1]) if messages else ""


def numbered(blocks: Any, payload: Any) -> list[AssistantContent]:
    """The blocks, with an id for each tool call without one: unique within a conversation."""
    messages = payload.get("messages") if isinstance(payload, dict) else None
    place = len(messages or ()) + 1
    done: list[AssistantContent] = []
    for block in blocks:
        if isinstance(block, ToolCallContent):
            count = sum(isinstance(earlier, ToolCallContent) for earlier in done)
            block = replace(block, id=block.id or f"call_{place}_{count}")
        done.append(block)
    return done


def events_of(blocks: list[AssistantContent]) -> Iterator[UpdateEvent]:
    """The blocks as a model would send them: each opened, filled in pieces, closed."""
    for index, block in enumerate(blocks):
        match block:
            case TextContent(text=text):
                yield TextStart(content_index=index)
                for piece in halves(text):
                    yield TextDelta(content_index=index, delta=piece)
                yield TextEnd(content_index=index, content=text)
            case ThinkingContent(thinking=thinking):
                yield ThinkingStart(content_index=index)
                for piece in halves(thinking):
                    yield ThinkingDelta(content_index=index, delta=piece)
                yield ThinkingEnd(content_index=index, content=thinking)
            case ToolCallContent(id=call_id, name=name, arguments=arguments):
                yield ToolCallStart(content_index=index, id=call_id, tool_name=name)
                for piece in halves(json.dumps(arguments, ensure_ascii=False)):
                    yield ToolCallDelta(content_index=index, delta=piece)
                yield ToolCallEnd(content_index=index, tool_call=block)


def halves(text: str) -> list[str]:
    """The text in two pieces, or in fewer if it has fewer characters."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def last_event(turn: Turn, growing: Growing, payload: Any, *, aborted: bool) -> Done | Failed:
    """How the answer ends."""
    if aborted:
        return Failed(message=growing.finished("aborted", ABORTED))
    if turn.error is not None:
        return Failed(message=growing.finished("error", turn.error))
    message = growing.finished("stop")
    calls = any(isinstance(block, ToolCallContent) for block in message.content)
    message.stop_reason = turn.stop or ("toolUse" if calls else "stop")
    message.usage = turn.usage or estimated(payload, message)
    return Done(message=message)


def estimated(payload: Any, message: AssistantMessage) -> Usage:
    """Token counts at four characters a token."""
    sent = len(json.dumps(payload, default=str)) // 4
    answered = len(json.dumps(to_wire(message.content), default=str)) // 4
    return Usage(input=sent, output=answered, total_tokens=sent + answered)


async def pause(seconds: float, signal: AbortSignal | None) -> bool:
    """Wait, at least for the others to have their turn. True if the signal was aborted meanwhile."""
    if signal is None or seconds <= 0:
        await asyncio.sleep(seconds)
        return signal is not None and signal.aborted
    try:
        async with asyncio.timeout(seconds):
            await signal.wait()
    except TimeoutError:
        return signal.aborted
    return True
