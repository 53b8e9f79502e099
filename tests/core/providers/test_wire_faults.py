"""What goes wrong on a wire: it is the last event of the stream, in words that the host can sort."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest

from hookspecs.messages import text_of
from pi_core.abort import AbortController
from pi_core.providers.base import StreamOptions
from pi_core.providers.failures import asked_delay_s, is_overflow, is_retryable, status_of
from tests.core.providers.wire_kit import GO, Asking, kinds, last, model_at, stream_of
from tests.support.wire_bodies import Answer, Say, Wire
from tests.support.wire_server import Reply, WireServer, wire_server

LONG = Answer(blocks=(Say(tuple("abcdefgh")),))


@pytest.mark.parametrize(
    ("status", "message", "passes", "too_long"),
    [
        (400, "something is odd", False, False),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", False, True),
        (401, "no such key", False, False),
        (429, "slow down", True, False),
        (500, "internal", True, False),
        (503, "overloaded", True, False),
    ],
)
async def test_a_refusal_is_an_answer(
    asking: Asking, status: int, message: str, passes: bool, too_long: bool
) -> None:
    """Nothing starts; the error has the status and the server's message, by which the host sorts it."""
    asking.server.plays(Reply(status=status, message=message))
    events = await asking.events()
    failed = last(events)
    assert (["error"], "error", status) == (
        kinds(events),
        failed.stop_reason,
        status_of(failed.error_message or ""),
    )
    assert message in (failed.error_message or "")
    assert (passes, too_long) == (is_retryable(failed, 100_000), is_overflow(failed, 100_000))


async def test_the_vendor_does_not_repeat_a_request(asking: Asking) -> None:
    """A refusal that may pass is one request: the host repeats, where the person can see it."""
    asking.server.plays(Reply(status=429), Reply())
    first, second = await asking.message(), await asking.message()
    assert ("error", "stop", 2) == (first.stop_reason, second.stop_reason, len(asking.server.requests))


async def test_the_wait_that_a_server_asks_for_is_told(asking: Asking) -> None:
    """The seconds of Retry-After are in the error."""
    asking.server.plays(Reply(status=429, headers={"Retry-After": "7"}))
    assert 7.0 == asked_delay_s((await asking.message()).error_message or "")


@pytest.mark.parametrize("then", ["drop", "end", "fail"])
async def test_an_answer_that_breaks_off(asking: Asking, then: str) -> None:
    """A lost connection, a body that ends early and an error in the middle are errors that may pass."""
    asking.server.plays(Reply(answer=LONG, frames_only=5, then=then, message="Overloaded"))
    events = await asking.events()
    failed = last(events)
    assert ("start", "error", "error") == (events[0].type, events[-1].type, failed.stop_reason)
    assert is_retryable(failed, 100_000), failed.error_message


async def test_what_arrived_before_is_kept(asking: Asking) -> None:
    """The block that was open is closed, and the message has its text."""
    asking.server.plays(Reply(answer=LONG, frames_only=7, then="drop"))
    events = await asking.events()
    assert ["text_end", "error"] == kinds(events)[-2:]
    assert "abcdefgh".startswith(text_of(last(events).content))
    assert text_of(last(events).content)


async def test_a_refused_answer(asking: Asking) -> None:
    """A filter of the vendor is an error that will not pass."""
    asking.server.plays(Reply(answer=Answer(stop="refused")))
    failed = await asking.message()
    assert ("error", False) == (failed.stop_reason, is_retryable(failed, 100_000))
    assert "refused" in (failed.error_message or "")


async def test_nobody_is_there(wire: Wire) -> None:
    """An address where nobody listens is named, and may be tried again."""
    with wire_server() as gone:
        port = gone.port
    failed = await Asking(gone, wire).message()
    assert f"127.0.0.1:{port}" in (failed.error_message or "")
    assert is_retryable(failed, 100_000)


@pytest.mark.parametrize("address", ["localhost:1/v1", "ftp://localhost/v1", "http://[::1", "nonsense"])
async def test_an_address_that_is_none(asking: Asking, address: str) -> None:
    """It is an error that will not pass, and nothing is sent."""
    failed = await asking.message(base_url=address)
    assert ("error", False, []) == (failed.stop_reason, is_retryable(failed, 1000), asking.server.requests)
    assert failed.error_message


async def abort_when(ready: Any, controller: AbortController) -> None:
    await asyncio.to_thread(ready)
    controller.abort()


async def test_an_abort_in_the_middle_ends_the_connection(asking: Asking) -> None:
    """The answer ends as aborted with what it has, and the server sees its client go."""
    controller = AbortController()
    asking.server.plays(Reply(answer=LONG, frames_only=7, then="hold"))
    seen: list[str] = []
    stream = stream_of(asking.wire)(
        model_at(asking.server, asking.wire), GO, StreamOptions(api_key="k", signal=controller.signal)
    )
    async for event in stream:
        seen.append(event.type)
        if event.type == "text_delta":
            controller.abort()
        ended = event
    assert ("start", "error", "aborted") == (seen[0], seen[-1], last([ended]).stop_reason)
    assert await asyncio.to_thread(asking.server.requests[0].gone.wait, 10)


async def test_an_abort_before_the_first_byte(asking: Asking) -> None:
    """A server that thinks is not waited for: no start, and the connection ends."""
    controller, gate = AbortController(), threading.Event()
    asking.server.plays(Reply(waits=gate))
    aborting = asyncio.create_task(abort_when(asking.server.wait_for_request, controller))
    events = await asking.events(signal=controller.signal)
    await aborting
    assert (["error"], "aborted") == (kinds(events), last(events).stop_reason)
    assert await asyncio.to_thread(asking.server.requests[0].gone.wait, 10)


async def test_an_abort_that_is_past(asking: Asking) -> None:
    """Nothing is sent."""
    controller = AbortController()
    controller.abort()
    assert "aborted" == (await asking.message(signal=controller.signal)).stop_reason
    assert not asking.server.requests


async def test_a_slow_first_byte_is_waited_for(asking: Asking) -> None:
    """The answer comes when the server sends it."""
    gate = threading.Event()
    asking.server.plays(Reply(waits=gate))
    answering = asyncio.create_task(asking.message())
    await asyncio.to_thread(asking.server.wait_for_request)
    assert not answering.done()
    gate.set()
    assert "Hello" == text_of((await answering).content)


async def test_a_reader_that_goes_away_ends_the_request(asking: Asking) -> None:
    """Closing the iterator early closes the connection."""
    asking.server.plays(Reply(answer=LONG, frames_only=7, then="hold"))
    model = model_at(asking.server, asking.wire)
    stream = stream_of(asking.wire)(model, GO, StreamOptions(api_key="k"))
    assert isinstance(stream, AsyncGenerator)
    async with aclosing(stream):
        assert "start" == (await anext(stream)).type
    assert await asyncio.to_thread(asking.server.requests[0].gone.wait, 10)


@pytest.mark.parametrize("then", ["drop", "end", "fail", "whole"])
def test_a_loop_that_ends_finds_nothing_left(server: WireServer, wire: Wire, then: str) -> None:
    """However a request went, the end of the program right after it has nothing to say about it."""
    said: list[dict[str, Any]] = []

    async def ask() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: said.append(context))
        await Asking(server, wire).message()

    server.plays(Reply(answer=LONG, frames_only=None if then == "whole" else 5, then=then))
    asyncio.run(ask())
    assert not said
