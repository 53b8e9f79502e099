"""A model server on the loopback interface that speaks the four wires, with every fault that networks have.

It plays its replies in order, one a request, the last one again and again. It lives in a thread of its
own, so that child processes and tests with a loop of their own can both talk to it.

Touches: network.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.wire_bodies import Answer, Wire, broken_frame, frames, refusal, wire_of

PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server does with one request.

    `status` other than 200 sends `message` as the wire's error. `frames_only` stops after so many events
    and then does what `then` says: "end" closes the body as if it were whole, "drop" cuts the connection,
    "hold" waits for the client to go, "fail" sends an error event and ends.
    """

    answer: Answer = field(default_factory=Answer)
    status: int = 200
    message: str = "no"
    body: bytes | None = None
    """Sent as it is, in place of all that."""
    headers: Mapping[str, str] = field(default_factory=dict)
    waits: threading.Event | None = None
    """The first byte comes when this is set."""
    frames_only: int | None = None
    then: str = "end"


@dataclass(slots=True)
class Request:
    """A request that arrived. `payload` is its body as JSON. `gone` is set when its client hung up."""

    path: str
    headers: dict[str, str]
    payload: Any
    gone: threading.Event = field(default_factory=threading.Event)

    @property
    def wire(self) -> Wire:
        return wire_of(self.path.partition("?")[0])


class WireServer:
    """The replies to come, and the requests that came, oldest first."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.arrived = threading.Semaphore(0)
        self.port = 0
        self._replies: list[Reply] = [Reply()]
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        """Without a path: what to put in front of each wire's own."""
        return f"http://127.0.0.1:{self.port}"

    def base_url(self, wire: Wire) -> str:
        """The address to configure for a wire, as its vendor's is written."""
        tails = {"anthropic-messages": "", "google-generative-ai": "/v1beta"}
        return self.address + tails.get(wire, "/v1")

    def plays(self, *replies: Reply) -> None:
        """From now on these, and nothing is remembered of before."""
        self.requests.clear()
        while self.arrived.acquire(blocking=False):
            pass
        self._replies = list(replies)

    def wait_for_request(self) -> Request:
        """The newest request, once one came since the last time this was asked."""
        assert self.arrived.acquire(timeout=PATIENCE_S), "no request came"
        return self.requests[-1]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, with as many requests as its client likes."""
        self.connections += 1
        self._open.add(writer)
        try:
            while (request := await _read(reader)) is not None:
                index = min(len(self.requests), len(self._replies) - 1)
                self.requests.append(request)
                self.arrived.release()
                if not await self._reply(request, self._replies[index], reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client is gone, which is what some tests are about
        finally:
            self._open.discard(writer)
            writer.close()

    async def _reply(
        self, request: Request, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer; whether the connection is still good."""
        if reply.waits is not None and not await _open_gate(reply.waits, reader, request):
            return False
        if reply.status != 200 or reply.body is not None:
            body = reply.body
            if body is None:
                body = refusal(request.wire, reply.status, reply.message)
            writer.write(_head(reply, {"Content-Type": "application/json", "Content-Length": str(len(body))}))
            writer.write(body)
            await writer.drain()
            return True
        known = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}
        writer.write(_head(reply, known))
        sent = frames(request.wire, reply.answer)[: reply.frames_only]
        writer.write(b"".join(map(_chunk, sent)))
        await writer.drain()
        if reply.frames_only is None or reply.then == "end":
            writer.write(b"0\r\n\r\n")
        elif reply.then == "fail":
            writer.write(_chunk(broken_frame(request.wire, reply.message)) + b"0\r\n\r\n")
        elif reply.then == "hold":
            await _hung_up(reader, request)
            return False
        await writer.drain()
        return reply.then != "drop"

    async def close_all(self) -> None:
        """End every connection that is still open."""
        for writer in tuple(self._open):
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in self._open), return_exceptions=True)


@contextmanager
def wire_server() -> Iterator[WireServer]:
    """A running server."""
    server = WireServer()
    ready, stop = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_serve(server, ready, stop)), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield server
    finally:
        stop.set()
        thread.join(PATIENCE_S)


def models_file(server: WireServer, wires: Sequence[Wire], **fields: Any) -> str:
    """A models.json with a provider a wire, named as the wire, with the model `m`."""
    model = {"id": "m", "input": ["text", "image"], **fields}
    known = {"apiKey": "test-key", "models": [model]}
    providers = {wire: {"baseUrl": server.base_url(wire), "api": wire, **known} for wire in wires}
    return json.dumps({"providers": providers})


async def _serve(server: WireServer, ready: threading.Event, stop: threading.Event) -> None:
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0, limit=2**24)
    server.port = listening.sockets[0].getsockname()[1]
    ready.set()
    await asyncio.to_thread(stop.wait)
    listening.close()
    await server.close_all()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(first.split(" ")[1], headers, json.loads(body) if body else None)


async def _open_gate(gate: threading.Event, reader: asyncio.StreamReader, request: Request) -> bool:
    """Wait until the gate is open. False if the client hung up before."""
    opened = asyncio.create_task(asyncio.to_thread(gate.wait, PATIENCE_S))
    gone = asyncio.create_task(_hung_up(reader, request))
    await asyncio.wait((opened, gone), return_when=asyncio.FIRST_COMPLETED)
    if gone.done():
        gate.set()
        await opened
        return False
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    return True


async def _hung_up(reader: asyncio.StreamReader, request: Request) -> None:
    try:
        while await reader.read(1024):
            pass
    except ConnectionError:
        pass  # gone as well
    request.gone.set()


def _head(reply: Reply, known: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} OK"]
    lines += [f"{name}: {value}" for name, value in {**known, **reply.headers}.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"
