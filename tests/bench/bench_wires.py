"""What an answer costs on each wire: the time to its first event in a new process, and the work a delta.

The first as a ratio against an interpreter that does nothing, the second against bare HTTP that reads the
lines of the same stream and parses their JSON. The scripted model stands beside, without a network.

Touches: processes, loopback network.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from statistics import median

import httpx2

from hookspecs.definitions import Model
from hookspecs.messages import UserMessage
from pi_core.providers.base import BlockEvent, Context, Stream, StreamOptions
from pi_core.providers.pydantic_ai import create
from pi_core.providers.script import Script
from pi_core.providers.scripted import Scripted
from tests.bench.bench_dispatch import Row
from tests.bench.measure import bare_python, command, interleaved, quiet_environ
from tests.support.wire_bodies import WIRES, Answer, Say, Wire
from tests.support.wire_server import Reply, WireServer, wire_server

DELTAS = 2000
ROUNDS = 5
FIRST_EVENT = """
import asyncio, sys
from hookspecs.definitions import Model
from hookspecs.messages import UserMessage
from pi_core.providers.base import Context, StreamOptions
from pi_core.providers.registry import default_apis
async def main(api, base_url):
    stream = default_apis()[api].load()
    model = Model(id="m", provider="p", api=api, base_url=base_url)
    context = Context(messages=[UserMessage(content="go")])
    async for event in stream(model, context, StreamOptions(api_key="k")):
        assert event.type in ("start", "text_start", "text_delta"), event
        if event.type == "text_delta":
            return
asyncio.run(main(*sys.argv[1:]))
"""


def rows() -> list[Row]:
    """Label, ratio, budget."""
    with wire_server() as server, tempfile.TemporaryDirectory() as folder:
        return [*_first_events(server, Path(folder)), *asyncio.run(_deltas(server))]


def _first_events(server: WireServer, folder: Path) -> list[Row]:
    environ = quiet_environ(folder)
    asked: dict[str, str] = {"scripted": ""} | {wire: server.base_url(wire) for wire in WIRES}
    actions = [
        command([sys.executable, "-c", FIRST_EVENT, api, url], cwd=Path.cwd(), environ=environ)
        for api, url in asked.items()
    ]
    bare, *spent = interleaved([command(bare_python(), cwd=folder, environ=environ), *actions], ROUNDS)
    return [
        (f"first event in a new process, {api}, × bare python", taken / bare, None)
        for api, taken in zip(asked, spent, strict=True)
    ]


async def _deltas(server: WireServer) -> list[Row]:
    server.plays(Reply(answer=Answer(blocks=(Say(("twelve chars",) * DELTAS),))))
    found: list[Row] = []
    script = Scripted(Script.of([{"text": "x" * 12}] * (ROUNDS + 1)))
    for wire in WIRES:
        model = Model(id="m", provider="p", api=wire, base_url=server.base_url(wire))
        stream = create(wire)
        await _read(stream, model)  # loads the libraries
        bare = await _cpu_s(lambda wire=wire: _bare(server, wire))  # type: ignore[misc]  # bound at once
        ours = await _cpu_s(lambda stream=stream, model=model: _read(stream, model))  # type: ignore[misc]  # bound at once
        found += [
            (f"a delta of {wire}, CPU × bare HTTP with JSON", ours / bare, None),
            (f"a delta of {wire}, µs of CPU", ours / DELTAS * 1e6, None),
        ]
    model = Model(id="scripted", provider="scripted", api="scripted")
    spent = await _cpu_s(lambda: _read(script.stream, model))
    return [*found, ("an answer of scripted with two deltas, µs of CPU", spent * 1e6, None)]


async def _cpu_s(action: Callable[[], Awaitable[None]]) -> float:
    """Seconds of this thread: the server works in another one."""
    times = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        await action()
        times.append(time.thread_time() - start)
    return median(times)


async def _read(stream: Stream, model: Model) -> None:
    events: AsyncIterator[BlockEvent] = stream(
        model, Context(messages=[UserMessage(content="go")]), StreamOptions(api_key="k")
    )
    last = [event async for event in events][-1]
    assert last.type == "done", last


async def _bare(server: WireServer, wire: Wire) -> None:
    paths = {
        "openai-completions": "/chat/completions",
        "openai-responses": "/responses",
        "anthropic-messages": "/v1/messages",
        "google-generative-ai": "/models/m:streamGenerateContent",
    }
    url = server.base_url(wire) + paths[wire]
    async with httpx2.AsyncClient() as client, client.stream("POST", url, json={}) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                json.loads(line[6:])
