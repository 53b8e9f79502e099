"""Retries, compactions and hooks of a whole session against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI, ProviderConfig, ReplacePayload
from pi_core.session.session import Session
from tests.support.golden import golden
from tests.support.session_bench import Factory, SessionBench
from tests.support.wire_bodies import Answer, Say
from tests.support.wire_server import Reply, WireServer, wire_server

BUSY = Reply(status=503, message="the engine is currently overloaded")
FULL = Reply(status=400, message="This model's maximum context length is 1000 tokens.")
SETTINGS = "[retry]\nbase-delay-ms = 1\n[compaction]\nkeep-recent-tokens = 1\n"


@pytest.fixture(scope="module")
def server() -> Iterator[WireServer]:
    with wire_server() as found:
        yield found


def says(*texts: str) -> Reply:
    return Reply(answer=Answer(blocks=(Say(texts),)))


def acme(server: WireServer) -> Factory:
    """An extension with a provider that the server plays."""

    def extension(pi: ExtensionAPI) -> None:
        config = ProviderConfig(
            api="openai-completions",
            api_key="k",
            base_url=server.base_url("openai-completions"),
            models=[{"id": "m", "name": "M"}],
        )
        pi.register_provider("acme", config)

    return extension


async def talk(bench: SessionBench, *prompts: str) -> SessionBench:
    async def run(session: Session) -> None:
        await session.set_model(session.controls.find_model("acme", "m"))
        for prompt in prompts:
            await session.prompt(prompt)

    return await bench.run(then=run)


async def test_19_a_busy_server_is_asked_again(server: WireServer, tmp_path: Path) -> None:
    """19: the recorded stream, and every request is the same one."""
    server.plays(BUSY, BUSY, says("do", "ne"))
    asked = len(server.requests)
    bench = await talk(SessionBench(tmp_path, [], acme(server), settings=SETTINGS), "go")
    assert golden("retry_success").stream == bench.stream[bench.stream.index("agent_start") :]
    sent = [request.payload["messages"] for request in server.requests[asked:]]
    assert (3, sent[0]) == (len(sent), sent[2])


async def test_16_a_request_that_does_not_fit_is_shortened(server: WireServer, tmp_path: Path) -> None:
    """16: the next one has the summary in the place of what was said, and no failed answer (88)."""
    server.plays(says("first"), FULL, says("the sum", "mary"), says("done"))
    bench = await talk(SessionBench(tmp_path, [], acme(server), settings=SETTINGS), "one", "two")
    last = str(server.requests[-1].payload["messages"])
    assert (True, False, "done") == ("the summary" in last, "maximum" in last, bench.said("assistant")[-1])
    assert ["compaction_start overflow", "compaction_end overflow", "agent_start"] == (
        bench.stream[bench.stream.index("compaction_start overflow") :][:3]
    )


async def test_44_hooks_reach_the_wire(server: WireServer, tmp_path: Path) -> None:
    """44: a header is added, one is taken away by None, the payload has another field."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("before_provider_headers")
        def headers(event: Any, ctx: Any) -> None:
            event.headers |= {"x-mine": "1", "user-agent": None}

        pi.on("before_provider_request", lambda event, ctx: ReplacePayload({**event.payload, "mine": 2}))

    server.plays(says("ok"))
    await talk(SessionBench(tmp_path, [], acme(server), extension), "go")
    request = server.requests[-1]
    assert ("1", None, 2) == (
        request.headers.get("x-mine"), request.headers.get("user-agent"), request.payload["mine"],
    )  # fmt: skip
