"""A handler that holds up the whole program is found from outside, and nobody else is blamed for it."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

from hookspecs import AgentEnd, TurnStart
from pi_core.dispatch.plan import Failure
from pi_core.extensions.actions import Finding, Runtime
from pi_core.extensions.budgets import Budgets
from pi_core.extensions.reports import diagnostic_of
from pi_core.extensions.runner import Runner
from pi_core.extensions.stalls import StallSampler
from pi_core.extensions.watchdog import LoopTicks
from tests.core.extensions.support import load_source, running
from tests.core.extensions.ticking import on

QUICK = Budgets(handler_s=0.05, block_s=0.06)


def turn() -> TurnStart:
    return TurnStart(turn_index=0, timestamp=0)


async def run(*factories: Any) -> tuple[Runner, list[Finding]]:
    """A runner with a real clock that calls a stall of 60 ms one, and 50 ms of waiting too much."""
    runner = await running(*factories, runtime=Runtime(budgets=QUICK, ticks=LoopTicks(0.005)))
    findings: list[Finding] = []
    runner.on_error(findings.append)
    return runner, findings


async def told(runner: Runner) -> None:
    """Wait for the watch to report, and stop it."""
    await asyncio.sleep(0.02)
    await runner.close()


def blocks(event: Any, ctx: Any) -> None:
    time.sleep(0.2)


async def blocks_after_waiting(event: Any, ctx: Any) -> None:
    await asyncio.sleep(0.01)
    time.sleep(0.2)  # noqa: ASYNC251 - what should not be is what is tested


async def test_a_blocking_handler_is_named_once() -> None:
    """With extension, event, line and how long it took at least, however often it blocks."""
    runner, findings = await run(on("turn_start", lambda event, ctx: None, blocks))
    await runner.emit(turn())
    await runner.emit(turn())
    await told(runner)
    (failure,) = findings
    assert isinstance(failure, Failure)
    found = diagnostic_of(failure)
    assert ("warning", "handler-blocking", "turn_start", "<inline:1>") == (
        found.severity, found.code, found.stage, found.path,
    )  # fmt: skip
    assert "test_stalls.py:" in found.message


async def test_it_is_named_for_every_event() -> None:
    """Once an extension and event: another event is another slowness."""
    runner, findings = await run(on("turn_start", blocks), on("agent_end", blocks))
    await runner.emit(turn())
    await runner.emit(AgentEnd(messages=[]))
    await told(runner)
    assert ["turn_start", "agent_end"] == [f.event for f in findings if isinstance(f, Failure)]


async def test_an_async_handler_that_blocks_is_found_too() -> None:
    """What counts is that the loop stands still, not how the handler is written."""
    runner, findings = await run(on("turn_start", blocks_after_waiting))
    await runner.emit(turn())
    await told(runner)
    assert ["blocking"] == [f.kind for f in findings if isinstance(f, Failure)]


async def test_a_handler_that_blocks_is_not_overdue() -> None:
    """The watch cannot tick while the loop stands still, so that time is nobody's, not even the blocker's."""
    gate = asyncio.Event()

    async def innocent(event: Any, ctx: Any) -> None:
        await gate.wait()

    runner, findings = await run(on("turn_start", blocks), on("agent_end", innocent))
    task = asyncio.ensure_future(runner.emit(AgentEnd(messages=[])))
    await asyncio.sleep(0)
    await runner.emit(turn())
    gate.set()
    await task
    await told(runner)
    assert [("turn_start", "blocking")] == [(f.event, f.kind) for f in findings if isinstance(f, Failure)]


async def test_many_short_handlers_are_nobodys_stall() -> None:
    """Ten handlers of a few milliseconds hold up the loop together; none of them is blamed."""
    handlers = [lambda event, ctx: time.sleep(0.012) for _ in range(10)]
    runner, findings = await run(on("turn_start", *handlers))
    await runner.emit(turn())
    await told(runner)
    assert [] == findings


async def test_a_busy_handler_that_lets_the_loop_go_round_is_no_stall() -> None:
    """Long work in small pieces is what a handler should do."""

    async def polite(event: Any, ctx: Any) -> None:
        for _ in range(30):
            time.sleep(0.004)  # noqa: ASYNC251 - a small piece of work
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    runner, findings = await run(on("turn_start", polite))
    runner.runtime.watch.budgets = Budgets(block_s=0.06)
    await runner.emit(turn())
    await told(runner)
    assert [] == findings


POLICY = """
    import time
    from pi_core.api import hookimpl

    @hookimpl(wrapper=True)
    async def pi_turn_start(event, ctx):
        time.sleep(0.2)
        yield
"""
POLICY_LINE = 1 + POLICY.split("\n").index("        time.sleep(0.2)")


async def test_a_blocking_wrapper_is_named(tmp_path: Path) -> None:
    """Wrappers are handlers in this respect."""
    runtime = Runtime(budgets=QUICK, ticks=LoopTicks(0.005))
    loaded = await load_source(tmp_path / "policy.py", POLICY, runtime=runtime)
    runner = Runner(loaded.extensions, runtime, cwd="/")
    findings: list[Finding] = []
    runner.on_error(findings.append)
    await runner.emit(turn())
    await told(runner)
    (failure,) = findings
    assert f"{tmp_path / 'policy.py'}:{POLICY_LINE}" in str(failure)


async def test_two_sessions_find_their_own() -> None:
    """Of two runners in one loop only that of the blocking handler reports."""
    one, ones = await run(on("turn_start", blocks))
    other, others = await run(on("turn_start", lambda event, ctx: None))
    await other.emit(turn())
    await one.emit(turn())
    await told(one)
    await told(other)
    assert (1, 0) == (len(ones), len(others))


async def test_the_thread_ends_with_the_session() -> None:
    """A closed session leaves no thread behind."""

    def looking() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name == "pi-stalls"}

    before = looking()
    runner, _ = await run(on("turn_start", lambda event, ctx: None))
    await runner.emit(turn())
    (thread,) = looking() - before
    await runner.close()
    thread.join(1)
    assert not thread.is_alive()


async def test_the_thread_ends_with_its_loop() -> None:
    """A loop that is closed without a word leaves no thread behind either; one that comes back has one."""
    quiet = StallSampler(lambda: 1, lambda running: True, period_s=0.002)
    before = set(threading.enumerate())
    quiet.begin()
    (thread,) = set(threading.enumerate()) - before
    thread.join(1)
    quiet.beat()
    (other,) = set(threading.enumerate()) - before
    quiet.end()
    other.join(1)
    assert (False, False) == (thread.is_alive(), other.is_alive())
