"""A request that failed for a passing reason is sent again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import AssistantMessage
from pi_core.abort import AbortController, AbortSignal
from pi_core.api import ExtensionAPI
from pi_core.history.entries import ContextEditEntry, MessageEntry
from pi_core.providers.retrying import RetrySettings, pause
from pi_core.session.channel import Channel
from pi_core.session.events import AutoRetryStart, SessionEvent
from pi_core.session.retry import Retry
from pi_core.session.session import Session
from tests.support.session_bench import SessionBench, call

FAILS = {"error": "503 service unavailable"}
AT_ONCE = "[retry]\nbase-delay-ms = 0\n"
NEVER = "[retry]\nbase-delay-ms = 3600000\n"


def failure(text: str = "503 overloaded") -> AssistantMessage:
    return AssistantMessage(stop_reason="error", error_message=text)


async def test_the_wait_doubles_and_ends_with_the_answer() -> None:
    """Attempts are told with their wait in milliseconds; a good answer ends the series once."""
    told: list[SessionEvent] = []
    waited: list[float] = []

    async def wait(seconds: float, signal: AbortSignal) -> None:
        waited.append(seconds)

    channel = Channel()
    channel.listen(told.append)
    retry = Retry(channel, lambda: RetrySettings(base_delay_ms=2000), wait)
    dropped: list[AssistantMessage] = []
    for _ in range(3):
        assert retry.wants(failure(), 1000)
        assert await retry.prepare(failure(), AbortController().signal, dropped.append)
    assert not retry.wants(failure(), 1000)
    retry.answered(AssistantMessage(stop_reason="stop"))
    retry.end("too late")
    assert ([2, 4, 8], 3) == (waited, len(dropped))
    assert [2000, 4000, 8000] == [event.delay_ms for event in told if isinstance(event, AutoRetryStart)]
    assert ["auto_retry_start"] * 3 + ["auto_retry_end"] == [event.type for event in told]


async def test_a_pause_ends_with_its_time_or_with_an_abort() -> None:
    """Whichever comes first."""
    controller = AbortController()
    await pause(0, controller.signal)
    waiting = asyncio.ensure_future(pause(3600, controller.signal))
    await asyncio.sleep(0)
    controller.abort()
    await waiting


async def test_20_the_last_failure_ends_it(tmp_path: Path) -> None:
    """20: after three retries the failure is told as it is, and the session settles."""
    bench = await SessionBench(tmp_path, [FAILS] * 4, settings=AT_ONCE).run("go")
    assert ["agent_end assistant", "auto_retry_end 3 failed", "agent_settled"] == bench.stream[-3:]
    assert 4 == bench.stream.count("agent_start")
    assert {"success": False, "attempt": 3, "finalError": "503 service unavailable"} == {
        name: value for name, value in bench.of_type("auto_retry_end")[0].items() if name != "type"
    }


@pytest.mark.parametrize(
    ("error", "settings"),
    [
        ("400: invalid request", AT_ONCE),
        ("429: you exceeded your current quota", AT_ONCE),
        ("503 service unavailable", "[retry]\nenabled = false\n"),
        ("503 service unavailable", "[retry]\nmax-retries = 0\n"),
    ],
)
async def test_21_what_is_not_sent_again(error: str, settings: str, tmp_path: Path) -> None:
    """21: a failure that will not pass, and every one where retries are switched off."""
    bench = await SessionBench(tmp_path, [{"error": error}], settings=settings).run("go")
    assert (1, []) == (bench.stream.count("agent_start"), bench.of_type("auto_retry_start"))
    assert ["agent_end user assistant", "agent_settled"] == bench.stream[-2:]


async def test_88_failed_answers_stay_in_the_file_only(tmp_path: Path) -> None:
    """88: each gets a context edit that takes it away; no later request and no later session has it."""
    requests: list[list[str]] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("context")
        def look(event: Any, ctx: Any) -> None:
            requests.append([message.role for message in event.messages])

    bench = await SessionBench(tmp_path, [FAILS, FAILS, "ok"], extension, settings=AT_ONCE).run("go")
    entries = bench.store.get_entries()
    failed = [e.id for e in entries if isinstance(e, MessageEntry) and _failed(e.message)]
    edits = [(e.target_id, e.replacement) for e in entries if isinstance(e, ContextEditEntry)]
    assert [(entry_id, None) for entry_id in failed] == edits
    assert (2, [["user"]] * 3) == (len(failed), requests)
    assert ["user", "assistant"] == [message.role for message in bench.store.build_context().messages]


def _failed(message: Any) -> bool:
    return isinstance(message, AssistantMessage) and message.stop_reason == "error"


async def test_a_failure_after_tools_goes_on_from_their_results(tmp_path: Path) -> None:
    """Nothing that was done is done again."""
    script = [call("bash", command="echo once"), FAILS, "done"]
    bench = await SessionBench(tmp_path, script, settings=AT_ONCE).run("go")
    assert (1, ["once\n"], ["", "", "done"]) == (
        bench.stream.count("tool_execution_start bash#1"),
        bench.said("toolResult"),
        bench.said("assistant"),
    )


async def stopped_while_waiting(
    bench: SessionBench, stop: Callable[[Session], Any]
) -> tuple[list[str], list[Any]]:
    """The end of the stream of a session that is stopped while it waits to try again."""

    async def run(session: Session) -> None:
        def hear(event: SessionEvent) -> None:
            if event.type == "auto_retry_start":
                asyncio.get_running_loop().call_soon(stop, session)

        with session.subscribe(hear):
            await session.prompt("go")

    await bench.run(then=run)
    errors = [record.get("finalError") for record in bench.of_type("auto_retry_end")]
    return bench.stream[-3:], errors


async def test_an_abort_ends_the_wait(tmp_path: Path) -> None:
    """Nothing is sent any more, and the activity counts as aborted."""
    bench = SessionBench(tmp_path, [FAILS, "never"], settings=NEVER)
    end = ["entry_appended", "auto_retry_end 1 failed", "agent_settled aborted"]
    assert (end, ["Retry cancelled"]) == await stopped_while_waiting(bench, Session.request_abort)


async def test_a_retry_may_be_given_up_alone(tmp_path: Path) -> None:
    """The activity ends, and is not an aborted one."""
    bench = SessionBench(tmp_path, [FAILS, "never"], settings=NEVER)
    end = ["entry_appended", "auto_retry_end 1 failed", "agent_settled"]
    assert (end, ["Retry cancelled"]) == await stopped_while_waiting(bench, Session.abort_retry)


async def test_an_end_of_the_session_ends_the_wait(tmp_path: Path) -> None:
    """Whoever disposes of a session waits for no provider."""
    bench = SessionBench(tmp_path, [FAILS, "never"], settings=NEVER)
    _, errors = await stopped_while_waiting(
        bench, lambda session: asyncio.get_running_loop().create_task(session.dispose())
    )
    assert ["Retry cancelled"] == errors


async def test_an_abort_in_agent_end_promises_no_retry(tmp_path: Path) -> None:
    """What an extension does while it is told counts before hosts are told."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("agent_end", lambda event, ctx: ctx.abort())

    bench = await SessionBench(tmp_path, [FAILS, "never"], extension, settings=AT_ONCE).run("go")
    assert ["agent_end user assistant", "agent_settled aborted"] == bench.stream[-2:]


async def test_a_switch_counts_at_once_and_is_kept(tmp_path: Path) -> None:
    """Retries that a host switches off are off in the settings, too."""

    async def run(session: Session) -> None:
        session.set_auto_retry(False)
        await session.prompt("go")

    bench = await SessionBench(tmp_path, [FAILS], settings=AT_ONCE).run(then=run)
    assert [] == bench.of_type("auto_retry_start")
    assert "enabled = false" in (tmp_path / "agent" / "settings.toml").read_text()


async def test_a_queued_message_does_not_wait_behind_the_failure(tmp_path: Path) -> None:
    """A message that came meanwhile goes along with the next attempt."""

    def extension(pi: ExtensionAPI) -> None:
        left = ["more"]

        @pi.on("agent_end")
        def send(event: Any, ctx: Any) -> None:
            while left:
                pi.send_user_message(left.pop(), deliver_as="steer")

    bench = await SessionBench(tmp_path, [FAILS, "ok"], extension, settings=AT_ONCE).run("go")
    assert (["go", "more"], ["", "ok"]) == (bench.said("user"), bench.said("assistant"))
