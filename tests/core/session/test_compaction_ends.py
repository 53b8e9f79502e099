"""However a compaction ends, it is told once, and the session goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI
from pi_core.errors import CompactionError, DisposedError
from pi_core.extensions.runner import Runner
from pi_core.session.session import Session
from tests.core.session.test_compaction import FAILED, FULL, TALK, compact, ends, hears, refused, summaries
from tests.support.golden_cases import SHORT_TALK, answer
from tests.support.session_bench import SessionBench

SLOW = {"text": "never", "delay_s": 3600}


async def test_a_summary_that_fails(tmp_path: Path) -> None:
    """EVT 125: hosts, extensions and the caller learn why, and the conversation is as it was."""
    failed: list[Any] = []
    bench = SessionBench(tmp_path, [*TALK, {"error": "400: no"}], hears(FAILED, failed), settings=SHORT_TALK)
    await bench.run("one", "two", then=refused)
    assert [("manual", False, False)] == [(e.reason, e.aborted, e.from_extension) for e in failed]
    assert ("400: no" in ends(bench)[0]["errorMessage"], []) == (True, summaries(bench))
    assert ends(bench)[0]["errorMessage"] == failed[0].error_message


async def test_a_failing_summary_stops_no_activity(tmp_path: Path) -> None:
    """One that was to come by itself is told, and the session settles."""
    bench = SessionBench(tmp_path, [*FULL, {"error": "400: no"}], settings=SHORT_TALK)
    await bench.run("one", "two")
    assert ["compaction_end threshold", "agent_settled"] == bench.stream[-2:]


async def test_a_summary_is_asked_for_again(tmp_path: Path) -> None:
    """After a passing failure, with events of its own."""
    bench = SessionBench(
        tmp_path,
        [*TALK, {"error": "503 overloaded"}, "s"],
        settings=SHORT_TALK + "[retry]\nbase-delay-ms = 0\n",
    )
    await bench.run("one", "two", then=compact)
    told = [event.type for event in bench.events if event.type.startswith("summarization")]
    assert (["scheduled", "attempt_start", "finished"], ["s"]) == (
        [kind.removeprefix("summarization_retry_") for kind in told],
        [entry.summary for entry in summaries(bench)],
    )


async def test_a_compaction_is_stopped(tmp_path: Path) -> None:
    """The caller is refused, the end says aborted, and the next prompt runs."""

    async def run(session: Session) -> None:
        compacting = asyncio.ensure_future(session.compact())
        await bench.until("compaction_start manual")
        session.abort_compaction()
        with pytest.raises(CompactionError, match="cancelled") as refusal:
            await compacting
        assert (True, False) == (refusal.value.aborted, session.is_compacting)
        await session.prompt("three")

    bench = SessionBench(tmp_path, [*TALK, SLOW, answer(2, 300)], settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert ([{"aborted": True, "willRetry": False}], "wordword") == (ends(bench), bench.said("assistant")[-1])


async def test_an_abort_stops_one_that_came_by_itself(tmp_path: Path) -> None:
    """And the activity that it belongs to."""

    async def run(session: Session) -> None:
        prompt = asyncio.ensure_future(session.prompt("two"))
        await bench.until("compaction_start threshold")
        await session.abort()
        await prompt

    bench = SessionBench(tmp_path, [*FULL, SLOW], settings=SHORT_TALK)
    await bench.run("one", then=run)
    assert ["compaction_end threshold", "agent_settled aborted"] == bench.stream[-2:]
    assert True is ends(bench)[0]["aborted"]


async def test_the_end_of_a_session_ends_a_compaction(tmp_path: Path) -> None:
    """It is told before the session is gone."""

    async def run(session: Session) -> None:
        compacting = asyncio.ensure_future(session.compact())
        await bench.until("compaction_start manual")
        waiting = asyncio.ensure_future(session.compact())
        await session.dispose()
        with pytest.raises(CompactionError):
            await compacting
        with pytest.raises(DisposedError):
            await waiting

    bench = SessionBench(tmp_path, [*TALK, SLOW], settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert ["compaction_start manual", "compaction_end manual"] == bench.stream[-2:]


async def test_a_cancelled_caller_leaves_no_open_end(tmp_path: Path) -> None:
    """Whoever waited for a compaction and was cancelled has its end told as well."""

    async def run(session: Session) -> None:
        compacting = asyncio.ensure_future(session.compact())
        await bench.until("compaction_start manual")
        compacting.cancel()
        await asyncio.wait({compacting})
        assert (True, False) == (compacting.cancelled(), session.is_compacting)

    bench = SessionBench(tmp_path, [*TALK, SLOW], settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert [{"aborted": True, "willRetry": False}] == ends(bench)


async def test_prompts_wait_for_a_compaction(tmp_path: Path) -> None:
    """What is said meanwhile is said after it, with the summary in the request."""
    requests: list[list[str]] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("context")
        def look(event: Any, ctx: Any) -> None:
            requests.append([message.role for message in event.messages])

    async def run(session: Session) -> None:
        compacting = asyncio.ensure_future(session.compact())
        await bench.until("compaction_start manual")
        await asyncio.gather(compacting, session.prompt("three"))

    bench = SessionBench(tmp_path, [*TALK, "s", "ok"], extension, settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert "compactionSummary" == requests[-1][0]
    assert ["compaction_end manual", "agent_start"] == (
        bench.stream[bench.stream.index("compaction_end manual") :][:2]
    )


async def test_an_extension_asks_for_a_compaction(tmp_path: Path) -> None:
    """It returns at once; the outcome goes to one of the callbacks, which may be async."""
    outcomes: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        async def done(result: Any) -> None:
            outcomes.append(result.summary)

        @pi.command("compactit")
        def compactit(args: str, ctx: Any) -> None:
            ctx.compact("short", on_complete=done, on_error=lambda error: outcomes.append(str(error)))

    bench = SessionBench(tmp_path, [*TALK, "s"], extension, settings=SHORT_TALK)
    await bench.run("one", "two", "/compactit", "/compactit")
    assert ["s", "Already compacted"] == outcomes


async def test_extensions_hear_of_it_when_it_is_over(tmp_path: Path) -> None:
    """EVT 124: in session_compact the session is idle, and a message that is sent there begins a run."""
    idle: list[bool] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_compact")
        def look(event: Any, ctx: Any) -> None:
            idle.append(ctx.is_idle())
            pi.send_user_message("go on")

    async def run(session: Session) -> None:
        await session.compact()
        await session.wait_for_idle()

    bench = SessionBench(tmp_path, [*TALK, "s", "ok"], extension, settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert ([True], "ok") == (idle, bench.said("assistant")[-1])


async def test_requests_for_summaries_have_one_hook(tmp_path: Path) -> None:
    """Headers may be changed; the payload and the answer are nobody's."""
    seen: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        for name in ("before_provider_headers", "before_provider_request", "after_provider_response"):
            pi.on(name, lambda event, ctx: seen.append(event.event_name), optional=True)

    async def run(session: Session) -> None:
        seen.clear()
        await session.compact()

    await SessionBench(tmp_path, [*TALK, "s"], extension, settings=SHORT_TALK).run("1", "2", then=run)
    assert ["before_provider_headers"] == seen


@pytest.mark.parametrize("stop", [Session.abort_compaction, Session.request_abort])
async def test_a_stuck_handler_does_not_hold_a_compaction(
    stop: Callable[[Session], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has all the time it wants until somebody stops it; then it is interrupted."""
    monkeypatch.setattr(Runner.abort, "__defaults__", (0.0,))
    asked = asyncio.Event()

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_before_compact")
        async def hang(event: Any, ctx: Any) -> None:
            asked.set()
            await asyncio.Event().wait()

    async def run(session: Session) -> None:
        compacting = asyncio.ensure_future(session.compact())
        await asked.wait()
        stop(session)
        with pytest.raises(CompactionError):
            await compacting

    bench = SessionBench(tmp_path, TALK, extension, settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert [{"aborted": True, "willRetry": False}] == ends(bench)


async def test_an_abort_waits_for_the_end_of_a_compaction(tmp_path: Path) -> None:
    """Like for that of a run."""

    async def run(session: Session) -> None:
        compacting = asyncio.ensure_future(session.compact())
        await bench.until("compaction_start manual")
        await session.abort()
        assert "compaction_end manual" == bench.stream[-1]
        with pytest.raises(CompactionError):
            await compacting

    bench = SessionBench(tmp_path, [*TALK, SLOW], settings=SHORT_TALK)
    await bench.run("one", "two", then=run)


async def test_how_full_the_window_is(tmp_path: Path) -> None:
    """What the last answer counted, and an estimate of the rest; nobody knows just after a compaction."""
    seen: list[int | None] = []

    async def run(session: Session) -> None:
        def look() -> None:
            usage = session.context_usage()
            seen.append(None if usage is None else usage.tokens)

        look()
        await session.execute_bash("printf 12345678")
        look()
        await session.compact()
        look()
        await session.prompt("three")
        look()

    bench = SessionBench(tmp_path, [*TALK, "s", answer(5, 40)], settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    command = len("printf 12345678" + "12345678")
    assert [500, 500 - (-command // 4), None, 45] == seen
