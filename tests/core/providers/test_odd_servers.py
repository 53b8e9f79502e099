"""Servers that speak a wire their own way, and proxies that do not speak it at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hookspecs.messages import TextContent, ThinkingContent, ToolCallContent
from pi_core.providers.failures import is_retryable
from pi_core.providers.vendors.chat import Places
from pi_core.providers.vendors.wording import asked_wait_s
from tests.core.providers.wire_kit import Asking
from tests.support.wire_server import Reply, WireServer

PAGE = b"<html>\n<head><title>502 Bad Gateway</title></head>\n<body><h1>502</h1></body></html>"
STREAM = {"Content-Type": "text/event-stream"}


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(index: Any, call_id: Any, arguments: str, name: Any = "t") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return chunk({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]})


def streamed(*chunks: dict[str, Any], end: bytes = b"data: [DONE]\n\n") -> Reply:
    """These chunks, with comments between them as proxies send them to keep a connection alive."""
    body = b"".join(b": waiting\n\ndata: " + json.dumps(item).encode() + b"\n\n" for item in chunks)
    return Reply(body=body + end, headers=STREAM)


@pytest.fixture
def chat(server: WireServer) -> Asking:
    return Asking(server, "openai-completions")


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (502, PAGE, "502 Bad Gateway"),
        (500, b"", "500 (no body)"),
        (503, b"try\nlater", "503 try later"),
        (413, b"", "413 (no body)"),
        (400, b'{"message": "flat"}', "400 flat"),
        (400, b'{"error": "a word"}', "400 a word"),
        (400, b'{"detail": [1]}', '400 {"detail": [1]}'),
    ],
)
async def test_a_refusal_in_any_form_is_one_line(chat: Asking, status: int, body: bytes, said: str) -> None:
    """A page is its title, a text is a line, an object is its message."""
    chat.server.plays(Reply(status=status, body=body))
    assert said == (await chat.message()).error_message


async def test_a_page_of_a_proxy(asking: Asking) -> None:
    """On every wire it is its title, with the status once, and may pass."""
    asking.server.plays(Reply(status=502, body=PAGE, headers={"Content-Type": "text/html"}))
    failed = await asking.message()
    assert ("502 Bad Gateway", True) == (failed.error_message, is_retryable(failed, 1000))


async def test_a_good_status_without_a_stream(asking: Asking) -> None:
    """What the server says instead of an answer is told; nothing at all is an answer that broke off."""
    asking.server.plays(Reply(body=b'{"error": {"message": "model not loaded"}}'), Reply(body=b""))
    refused, empty = await asking.message(), await asking.message()
    assert "model not loaded" in (refused.error_message or "")
    assert is_retryable(empty, 1000)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([call(0, "a", '{"a": 1}'), call(0, "b", '{"a": 2}')], [("a", 1), ("b", 2)]),
        ([call(0, "a", ""), call(0, None, '{"a": 1}', None), call(0, "b", '{"a": 2}')], [("a", 1), ("b", 2)]),
        ([call(0, "a", '{"a":', "t"), call(0, "a", " 1}", None)], [("a", 1)]),
        ([call(None, "a", '{"a": 1}'), call(None, "b", '{"a": 2}')], [("a", 1), ("b", 2)]),
        ([call(1, "b", '{"a": 2}'), call(0, "a", '{"a": 1}')], [("b", 2), ("a", 1)]),
    ],
)
async def test_calls_are_kept_apart_by_their_ids(chat: Asking, pieces: Any, expected: Any) -> None:
    """Servers that give all calls one place, or none, are understood."""
    chat.server.plays(streamed(*pieces, chunk({}, "tool_calls")))
    calls = [block for block in (await chat.message()).content if isinstance(block, ToolCallContent)]
    assert expected == [(block.id, block.arguments["a"]) for block in calls]


@pytest.mark.parametrize("call_id", [None, ""])
async def test_a_call_without_an_id_gets_one(chat: Asking, call_id: Any) -> None:
    """It can be answered."""
    chat.server.plays(streamed(call(0, call_id, "{}"), chunk({}, "tool_calls")))
    (block,) = (await chat.message()).content
    assert isinstance(block, ToolCallContent)
    assert block.id.startswith("call_")


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b""])
@pytest.mark.parametrize("finish", ["stop", "eos", "function_call"])
async def test_any_word_for_the_end_is_an_end(chat: Asking, finish: str, end: bytes) -> None:
    """With the wire's last word or without it."""
    chat.server.plays(streamed(chunk({"content": "Hi"}), chunk({}, finish), end=end))
    message = await chat.message()
    assert ("stop", [TextContent(text="Hi")]) == (message.stop_reason, message.content)


@pytest.mark.parametrize(
    "deltas",
    [
        [{"reasoning": "hm"}, {"content": "Hi"}],
        [{"reasoning_content": "hm"}, {"content": "Hi"}],
        [{"content": "<think>"}, {"content": "hm"}, {"content": "</think>"}, {"content": "Hi"}],
    ],
)
async def test_reasoning_comes_in_several_fields(chat: Asking, deltas: Any) -> None:
    """Whatever the server calls it, or within tags, it is a block of thinking before the text."""
    chat.server.plays(streamed(*map(chunk, deltas), chunk({}, "stop")))
    thinking, text = (await chat.message()).content
    assert isinstance(thinking, ThinkingContent)
    assert ("hm", TextContent(text="Hi")) == (thinking.thinking, text)


async def test_an_end_with_an_error(server: WireServer) -> None:
    """A vendor that cannot finish says why."""
    part = {
        "candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "MALFORMED_FUNCTION_CALL"}]
    }
    server.plays(Reply(body=b"data: " + json.dumps(part).encode() + b"\n\n", headers=STREAM))
    failed = await Asking(server, "google-generative-ai").message()
    assert ("error", True) == (failed.stop_reason, "MALFORMED_FUNCTION_CALL" in (failed.error_message or ""))


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "9", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Tue, 01 Dec 2026 00:01:30 GMT"}, 90),
        ({"retry-after": "Mon, 30 Nov 2026 00:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for(headers: dict[str, str], wait_s: float | None) -> None:
    """Milliseconds win over seconds, and a time is the seconds until then."""
    assert wait_s == asked_wait_s(headers, datetime(2026, 12, 1, tzinfo=UTC))


def test_places() -> None:
    """Pieces without an id go on with the last call of their index; a late id names the call."""
    places = Places()
    told = [(0, None), (0, "a"), (0, None), (0, "b"), (1, "c"), (0, None), (0, "b")]
    assert [0, 0, 0, 1, 2, 1, 1] == [places.place(index, call_id) for index, call_id in told]
