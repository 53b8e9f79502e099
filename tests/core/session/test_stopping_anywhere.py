"""A run may be stopped at any moment: everything that began ends, and every call has its result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import AssistantMessage, ToolCallContent, ToolResultMessage
from pi_core.api import ExtensionAPI
from pi_core.history.store import SessionStore
from pi_core.session.session import Session
from tests.support.session_bench import Factory, SessionBench, call, calls

EVENTS = (
    "before_agent_start", "agent_start", "turn_start", "message_start", "message_update", "message_end",
    "context", "before_provider_headers", "before_provider_request", "after_provider_response",
    "tool_execution_start", "tool_call", "tool_execution_update", "tool_result", "tool_execution_end",
    "turn_end", "agent_end", "agent_before_settle",
)  # fmt: skip
PAIRS = {
    "agent_start": "agent_end", "turn_start": "turn_end", "message_start": "message_end",
    "tool_execution_start": "tool_execution_end",
}  # fmt: skip


def tools(pi: ExtensionAPI) -> None:
    """A tool that runs beside others, and one that does not; both tell how far they are."""

    @pi.tool
    async def beside(on_update: Any) -> str:
        on_update("half")
        await asyncio.sleep(0)
        return "done"

    @pi.tool(mode="sequential")
    async def alone(on_update: Any) -> str:
        on_update("half")
        await asyncio.sleep(0)
        return "done"


def at(event: str, occurrence: int, act: Any) -> Factory:
    """An extension that acts when an event comes for the n-th time."""

    def extension(pi: ExtensionAPI) -> None:
        left = [occurrence]

        @pi.on(event, optional=True)
        def hear(event: Any, ctx: Any) -> None:
            left[0] -= 1
            if left[0] == 0:
                act(ctx)

    return extension


def open_ends(bench: SessionBench) -> dict[str, int]:
    """How many of each start have no end."""
    kinds = [record["type"] for record in bench.records]
    return {start: kinds.count(start) - kinds.count(end) for start, end in PAIRS.items()}


def calls_without_result(store: SessionStore) -> set[str]:
    """Ids of calls that have no result; none has two. Answers that were cut off ask for nothing."""
    messages = store.build_context().messages
    answers = [message for message in messages if isinstance(message, AssistantMessage)]
    whole = [answer for answer in answers if answer.stop_reason == "toolUse"]
    asked = {block.id for one in whole for block in one.content if isinstance(block, ToolCallContent)}
    answered = [message.tool_call_id for message in messages if isinstance(message, ToolResultMessage)]
    assert len(answered) == len(set(answered))
    return asked - set(answered)


@pytest.mark.parametrize("occurrence", [1, 2])
@pytest.mark.parametrize("tool", ["beside", "alone"])
@pytest.mark.parametrize("event", EVENTS)
async def test_an_abort_at_any_event(event: str, tool: str, occurrence: int, tmp_path: Path) -> None:
    """Each start has its end, each call one result, and the session settles and goes on."""
    script = [calls(call(tool), call(tool)), "done", "again", "and again"]
    stop = at(event, occurrence, lambda ctx: ctx.abort())
    bench = SessionBench(tmp_path, script, tools, stop)

    async def look(session: Session) -> None:
        assert session.is_idle
        assert list(session.messages) == bench.store.build_context().messages
        await session.prompt("more")

    await bench.run("go", then=look)
    assert (dict.fromkeys(PAIRS, 0), set()) == (open_ends(bench), calls_without_result(bench.store))
    assert 2 == sum(line.startswith("agent_settled") for line in bench.stream)


async def test_after_the_end_extensions_hear_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that does not stop outlives its session: hosts hear its end, extensions only judge it."""
    monkeypatch.setattr("pi_core.session.session.ABORT_LIMIT_S", 0.01)
    begun, release = asyncio.Event(), asyncio.Event()

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool
        async def deaf() -> str:
            begun.set()
            await release.wait()
            return "done"

    async def run(session: Session) -> None:
        prompt = asyncio.ensure_future(session.prompt("go"))
        await begun.wait()
        await session.dispose()
        release.set()
        await prompt

    bench = SessionBench(tmp_path, [call("deaf"), "never"], extension)
    await bench.run(then=run)
    assert "agent_settled aborted" == bench.stream[-1]
    later = bench.seen[bench.seen.index("session_shutdown quit") + 1 :]
    assert ["tool_result deaf#1 ok"] == later  # who keeps secrets out of the history still does


@pytest.mark.parametrize("event", EVENTS)
async def test_a_cancelled_prompt_at_any_event(event: str, tmp_path: Path) -> None:
    """Whoever waits for a prompt and is cancelled leaves nothing open; the session goes on."""
    script = [calls(call("beside"), call("beside")), "done", "again", "and again"]
    running: list[asyncio.Task[Any]] = []
    bench = SessionBench(tmp_path, script, tools, at(event, 1, lambda ctx: running[0].cancel()))

    async def run(session: Session) -> None:
        running.append(asyncio.ensure_future(session.prompt("go")))
        await asyncio.wait(running)
        assert (True, True) == (running[0].cancelled(), session.is_idle)
        assert list(session.messages) == bench.store.build_context().messages
        assert "started" == await session.prompt("more")

    await bench.run(then=run)
    assert dict.fromkeys(PAIRS, 0) == open_ends(bench)
    settled = [line for line in bench.stream if line.startswith("agent_settled")]
    late = event in ("agent_end", "agent_before_settle")  # nothing was left to be cancelled
    assert ["agent_settled" if late else "agent_settled aborted", "agent_settled"] == settled
