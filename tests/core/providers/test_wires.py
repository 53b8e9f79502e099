"""The four wires of the world, each against a server that speaks it: what of an answer arrives, and how."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookspecs.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
    Usage,
    UserContent,
    UserMessage,
    text_of,
)
from hookspecs.wire import to_wire
from pi_core.providers.base import Context, ModelMessage, StreamStart, TextDelta, ToolCallDelta
from tests.core.providers.wire_kit import FULL, TOOL, Asking, answer_of, kinds, last
from tests.support.wire_bodies import Answer, Call, Say, Think, Tokens
from tests.support.wire_server import Reply, WireServer

CALL = ["toolcall_start", "toolcall_delta", "toolcall_end"]
WHOLE: dict[str, list[str]] = {
    "thinking": ["thinking_start", "thinking_delta", "thinking_delta", "thinking_end"],
    "text": ["text_start", "text_delta", "text_delta", "text_end"],
}


async def test_a_text_arrives_piece_by_piece(asking: Asking) -> None:
    """Start, the block opened, every piece a delta, the first one too, the block closed, done."""
    events = await asking.events()
    assert ["start", *WHOLE["text"], "done"] == kinds(events)
    assert ["Hel", "lo"] == [event.delta for event in events if isinstance(event, TextDelta)]
    assert "Hello" == text_of(last(events).content)


async def test_an_answer_names_its_api_provider_and_model(asking: Asking) -> None:
    """The start and the end do, and the end names the vendor's id of the answer."""
    events = await asking.events()
    start = events[0]
    assert isinstance(start, StreamStart)
    for message in (start.partial, last(events)):
        assert (asking.wire, "p", "m") == (message.api, message.provider, message.model)
    assert last(events).response_id


async def test_reasoning_text_and_calls_are_blocks_in_order(asking: Asking) -> None:
    """Every kind of block of one answer; calls are parallel, with their arguments parsed at the end."""
    asking.server.plays(Reply(answer=Answer(blocks=FULL)))
    message = await asking.message(reasoning=True, thinking="high")
    thinking, text, *calls = message.content
    assert isinstance(thinking, ThinkingContent)
    assert ("hmmm", "Hello") == (thinking.thinking, text_of([text]))
    assert [("t", {"a": 1}), ("t", {"a": 2})] == [
        (call.name, call.arguments) for call in calls if isinstance(call, ToolCallContent)
    ]


async def test_blocks_open_and_close_in_order(asking: Asking) -> None:
    """Each block is closed before the next one opens, whatever the wire sends in between."""
    asking.server.plays(Reply(answer=Answer(blocks=FULL)))
    found = kinds(await asking.events(reasoning=True, thinking="high"))
    at_once = asking.wire == "google-generative-ai"  # that wire has no pieces of arguments
    first = CALL if at_once else ["toolcall_start", "toolcall_delta", "toolcall_delta", "toolcall_end"]
    assert ["start", *WHOLE["thinking"], *WHOLE["text"], *first, *CALL, "done"] == found


async def test_the_pieces_of_arguments_are_json_text(asking: Asking) -> None:
    """Put together they are the arguments, so whoever shows them may read them early."""
    asking.server.plays(Reply(answer=Answer(blocks=(Call("c1", "t", ('{"a": ', "[1, 2]}")),))))
    pieces = [event.delta for event in await asking.events() if isinstance(event, ToolCallDelta)]
    assert {"a": [1, 2]} == json.loads("".join(pieces))


@pytest.mark.parametrize(
    ("blocks", "stop", "expected"),
    [
        ((Say(("x",)),), "stop", "stop"),
        ((Say(("x",)),), "length", "length"),
        ((Say(("x",)), Call("c1", "t", ("{}",))), "stop", "toolUse"),
        ((Call("c1", "t", ("{}",)),), "length", "length"),
    ],
)
async def test_the_stop_reason(asking: Asking, blocks: Any, stop: Any, expected: str) -> None:
    """An answer with calls ends with toolUse, whatever the wire says; one that was cut off with length."""
    asking.server.plays(Reply(answer=Answer(blocks=blocks, stop=stop)))
    assert expected == (await asking.message()).stop_reason


async def test_a_call_without_arguments(asking: Asking) -> None:
    """No arguments are an empty object."""
    asking.server.plays(Reply(answer=Answer(blocks=(Call("c1", "t", ()),))))
    (call,) = (await asking.message()).content
    assert isinstance(call, ToolCallContent)
    assert ("t", {}) == (call.name, call.arguments)


async def test_cached_tokens_are_counted_apart(asking: Asking) -> None:
    """`input` has neither what came from the cache nor what went into it; the total has everything."""
    written = 10 if asking.wire == "anthropic-messages" else 0
    tokens = Tokens(prompt=120, cached=40, written=written, output=30)
    asking.server.plays(Reply(answer=Answer(tokens=tokens)))
    expected = Usage(input=80 - written, output=30, cache_read=40, cache_write=written, total_tokens=150)
    assert expected == (await asking.message()).usage


async def test_one_connection_carries_many_requests(asking: Asking) -> None:
    """A connection is kept for the next request."""
    before = asking.server.connections
    for _ in range(3):
        await asking.message()
    assert (3, 1) == (len(asking.server.requests), asking.server.connections - before)


async def test_an_answer_goes_back_as_it_came(asking: Asking) -> None:
    """Reasoning, text, calls and results are sent with the next request, what is sealed unchanged."""
    asking.server.plays(Reply(answer=Answer(blocks=FULL)))
    answer = await asking.message(reasoning=True, thinking="high")
    payload = await asking.payload(conversation(answer), reasoning=True, thinking="high")
    told = json.dumps(payload)
    assert all(piece in told for piece in ("hmmm", "Hello", "result 0", "result 1"))
    if asking.wire != "openai-completions":  # that wire has no seal
        assert "c2VhbGVk" in told


async def test_the_history_survives_its_file(asking: Asking) -> None:
    """An answer is made of our types only: what is written is plain JSON."""
    asking.server.plays(Reply(answer=Answer(blocks=FULL)))
    answer = await asking.message(reasoning=True, thinking="high")
    written = to_wire(answer)
    assert written == json.loads(json.dumps(written))


async def test_redacted_reasoning_goes_back_unread(server: WireServer) -> None:
    """Reasoning that the vendor keeps to itself is a redacted block, and is sent back as it came."""
    asking = Asking(server, "anthropic-messages")
    server.plays(Reply(answer=Answer(blocks=(Think((), "b3BhcXVl"), Say(("x",))))))
    answer = await asking.message(reasoning=True)
    (block, _) = answer.content
    assert isinstance(block, ThinkingContent)
    assert ("", "b3BhcXVl", True) == (block.thinking, block.thinking_signature, block.redacted)
    payload = await asking.payload(conversation(answer), reasoning=True)
    assert {"type": "redacted_thinking", "data": "b3BhcXVl"} in payload["messages"][1]["content"]


async def test_images_are_sent(asking: Asking) -> None:
    """An image of the person and an image of a tool's result both reach the model."""
    content: list[UserContent] = [
        TextContent(text="see"),
        ImageContent(data="cGVyc29u", mime_type="image/png"),
    ]
    call = ToolCallContent(id="c1", name="t", arguments={"a": 1})
    result: list[UserContent] = [
        TextContent(text="shot"),
        ImageContent(data="dG9vbA==", mime_type="image/png"),
    ]
    context = context_of(
        UserMessage(content=content),
        answer_of(asking.wire, call),
        ToolResultMessage(tool_call_id="c1", tool_name="t", content=result),
    )
    told = json.dumps(await asking.payload(context))
    assert all(piece in told for piece in ("see", "cGVyc29u", "shot", "dG9vbA=="))


@pytest.mark.parametrize("call_id", ["call_1|fc_2", "functions.t:0", "x" * 80])
async def test_foreign_ids_of_calls_are_made_plain(asking: Asking, call_id: str) -> None:
    """An id of another wire becomes one that every wire takes, the same in the call and in its result."""
    call = ToolCallContent(id=call_id, name="t", arguments={})
    result = ToolResultMessage(tool_call_id=call_id, tool_name="t", content=[TextContent(text="r")])
    context = context_of(UserMessage(content="go"), answer_of(asking.wire, call), result)
    told = json.dumps(await asking.payload(context))
    plain = call_id.partition("|")[0].replace(".", "_").replace(":", "_")[:64]
    assert 2 == told.count(f'"{plain}"')


async def test_an_empty_text_is_not_sent(asking: Asking) -> None:
    """Wires refuse empty blocks of text; an answer of nothing else is left out."""
    empty = answer_of(asking.wire, TextContent(text=""))
    context = context_of(UserMessage(content="one"), empty, UserMessage(content="two"))
    told = json.dumps(await asking.payload(context))
    assert '"assistant"' not in told
    assert '"model",' not in told


async def test_halves_of_characters_are_not_sent(asking: Asking) -> None:
    """A text that was cut within a character reaches the model without the half; a pair is its character."""
    text = "a\ud83d b\ud83d\ude00"
    context = context_of(UserMessage(content=text), answer_of(asking.wire, TextContent(text=text)))
    told = json.dumps(await asking.payload(context), ensure_ascii=False)
    assert 2 == told.count("a\ufffd b\U0001f600")


async def test_a_server_without_a_key(asking: Asking) -> None:
    """Without a key the request has none, and works."""
    message = await asking.message(api_key=None)
    sent = asking.server.requests[0].headers
    assert "stop" == message.stop_reason
    assert not {"authorization", "x-api-key", "x-goog-api-key"} & set(sent)


def context_of(*messages: ModelMessage) -> Context:
    return Context(messages=messages, tools=[TOOL])


def conversation(answer: AssistantMessage) -> Context:
    """The answer with a result for each of its calls, and what comes after."""
    calls = [block for block in answer.content if isinstance(block, ToolCallContent)]
    results = [
        ToolResultMessage(
            tool_call_id=call.id, tool_name=call.name, content=[TextContent(text=f"result {n}")]
        )
        for n, call in enumerate(calls)
    ]
    return Context(
        messages=[UserMessage(content="go"), answer, *results, UserMessage(content="on")], tools=[TOOL]
    )
