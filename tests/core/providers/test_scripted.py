"""The scripted model as a provider: hooks, pieces, ends, aborts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import Model, ToolDefinition
from hookspecs.messages import AssistantMessage, ToolCallContent, Usage, UserMessage, text_of
from pi_core.abort import AbortController
from pi_core.providers.base import BlockEvent, Context, Done, Failed, NoHooks, StreamOptions
from pi_core.providers.script import Script
from pi_core.providers.scripted import Scripted, create

MODEL = Model(id="scripted", provider="scripted", api="scripted")
GO = Context(system_prompt="sys", messages=[UserMessage(content="go")])


async def collect(
    model: Scripted, options: StreamOptions | None = None, context: Context = GO
) -> list[BlockEvent]:
    return [event async for event in model.stream(MODEL, context, options or StreamOptions())]


def kinds(events: list[BlockEvent]) -> list[str]:
    return [event.type for event in events]


def message_of(events: list[BlockEvent]) -> AssistantMessage:
    last = events[-1]
    assert isinstance(last, Done | Failed)
    return last.message


def scripted(*turns: Any) -> Scripted:
    return Scripted(Script.of(turns))


class Hooks(NoHooks):
    """Notes what is called, and replaces the payload."""

    def __init__(self, payload: Any = None) -> None:
        self.called: list[Any] = []
        self.payload = payload

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        self.called.append("headers")

    async def before_payload(self, payload: Any) -> Any:
        self.called.append("payload")
        return payload if self.payload is None else self.payload

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        self.called.append(status)

    async def stream_event(self, data: Any) -> None:
        self.called.append(data["type"])


async def test_a_text_arrives_in_pieces() -> None:
    """Start, the block in two deltas, done."""
    events = await collect(scripted("Hello"))
    assert ["start", "text_start", "text_delta", "text_delta", "text_end", "done"] == kinds(events)
    assert ("Hello", "stop") == (text_of(message_of(events).content), message_of(events).stop_reason)


async def test_hooks_run_in_order() -> None:
    """Headers, payload, then the response before the first piece of it."""
    hooks = Hooks()
    await collect(scripted("x"), StreamOptions(hooks=hooks))
    assert ["headers", "payload", 200, "text_start", "text_delta", "text_end"] == hooks.called


async def test_a_failing_request_has_no_response() -> None:
    """An error without blocks comes before the response, and is data."""
    hooks = Hooks()
    events = await collect(scripted({"error": "overloaded"}), StreamOptions(hooks=hooks))
    assert ["headers", "payload"] == hooks.called
    assert ("error", "overloaded") == (message_of(events).stop_reason, message_of(events).error_message)


async def test_the_model_reads_the_payload_that_hooks_leave() -> None:
    """What a hook puts in place of the payload is what is answered, and what is remembered."""
    payload = {"messages": [{"role": "user", "content": "run: ls"}], "tools": [{"name": "bash"}]}
    model = Scripted()
    await collect(model, StreamOptions(hooks=Hooks(payload)))
    assert [payload] == model.requests


async def test_nothing_of_the_history_is_in_the_payload() -> None:
    """The payload is made of copies: editing it cannot reach the conversation or a tool's schema."""
    tool = ToolDefinition(name="t", description="d", parameters={"properties": {}}, execute=lambda: None)  # type: ignore[arg-type, return-value]  # never called
    message = UserMessage(content="go")
    model = scripted("x")
    await collect(model, context=Context(messages=[message], tools=[tool]))
    model.requests[0]["messages"][0]["content"] = "changed"
    model.requests[0]["tools"][0]["parameters"]["properties"]["x"] = {}
    assert ("go", {"properties": {}}) == (message.content, tool.parameters)


async def test_tool_calls_end_a_turn_with_their_reason() -> None:
    """Calls get ids that are unique in the conversation, and the stop reason toolUse."""
    events = await collect(scripted({"blocks": [{"tool": "a"}, {"tool": "b", "id": "mine"}, {"tool": "c"}]}))
    message = message_of(events)
    ids = [block.id for block in message.content if isinstance(block, ToolCallContent)]
    assert (["call_2_0", "mine", "call_2_2"], "toolUse") == (ids, message.stop_reason)


async def test_a_turn_may_name_its_end_and_its_usage() -> None:
    """A scripted stop reason and usage are the message's; otherwise usage is estimated."""
    events = await collect(scripted({"text": "x", "stop": "length", "usage": {"input": 7}}))
    assert ("length", Usage(input=7, total_tokens=7)) == (
        message_of(events).stop_reason,
        message_of(events).usage,
    )
    assert message_of(await collect(scripted("x"))).usage.total_tokens > 0


async def test_turns_are_played_in_order() -> None:
    """Each request takes the next turn; one too many says so."""
    model = scripted("one", "two")
    said = [message_of(await collect(model)) for _ in range(3)]
    assert ["one", "two", ""] == [text_of(message.content) for message in said]
    assert "the script has 2 turns, and this is request 3" == said[2].error_message


@pytest.mark.parametrize(("pattern", "error"), [("^go$", None), ("stop", "expects 'stop', found 'go'")])
async def test_a_turn_may_expect_a_message(pattern: str, error: str | None) -> None:
    """A turn whose expectation is not met fails and shows both."""
    message = message_of(await collect(scripted({"text": "x", "expect": pattern})))
    assert (error or "") in (message.error_message or "")
    assert (error is None) == (message.stop_reason == "stop")


async def test_an_abort_closes_what_is_open() -> None:
    """After the abort the open block ends, and the answer says that it was aborted."""
    controller = AbortController()
    asyncio.get_running_loop().call_later(0.02, controller.abort)
    options = StreamOptions(signal=controller.signal)
    events = await asyncio.wait_for(collect(scripted({"text": "long text", "pace_s": 30}), options), 5)
    assert ["text_end", "error"] == kinds(events)[-2:]
    assert ("aborted", "Request was aborted") == (
        message_of(events).stop_reason,
        message_of(events).error_message,
    )


async def test_an_abort_ends_the_wait_before_the_answer() -> None:
    """A delayed turn does not hold an abort up."""
    controller = AbortController()
    asyncio.get_running_loop().call_later(0.02, controller.abort)
    options = StreamOptions(signal=controller.signal)
    events = await asyncio.wait_for(collect(scripted({"text": "x", "delay_s": 30}), options), 5)
    assert ("aborted", []) == (message_of(events).stop_reason, message_of(events).content)


async def test_a_script_file(tmp_path: Path) -> None:
    """The factory plays a file, and follows the rules without one."""
    path = tmp_path / "s.yaml"
    path.write_text("- from the file\n", encoding="utf-8")
    said = [
        message_of([event async for event in stream(MODEL, GO, StreamOptions())])
        for stream in (create(str(path)), create())
    ]
    assert "from the file" == text_of(said[0].content)
    assert "scripted model" in text_of(said[1].content)
