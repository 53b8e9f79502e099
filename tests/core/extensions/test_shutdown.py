"""The last event is told to everybody, and no handler holds the end, whatever it does."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from hookspecs import SessionShutdown
from pi_core.dispatch.plan import Failure
from pi_core.extensions.actions import Finding, Runtime
from pi_core.extensions.budgets import Budgets
from pi_core.extensions.runner import Runner
from tests.core.extensions.support import load_source, running
from tests.core.extensions.ticking import for_ever, on

LIMIT_S = 0.2


class Ending:
    """A runner with little time for its end, and what came of it."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.findings: list[Finding] = []
        self.took_s = 0.0
        runner.on_error(self.findings.append)

    @property
    def failures(self) -> list[tuple[str, str]]:
        return [(f.extension, f.kind) for f in self.findings if isinstance(f, Failure)]

    async def run(self) -> tuple[str, ...]:
        started = time.perf_counter()
        left = await self.runner.shutdown(SessionShutdown(reason="quit"))
        self.took_s = time.perf_counter() - started
        return left


async def ending(*factories: Any) -> Ending:
    runtime = Runtime(budgets=Budgets(shutdown_s=LIMIT_S))
    return Ending(await running(*factories, runtime=runtime))


def says(log: list[str], word: str) -> Any:
    async def handler(event: Any, ctx: Any) -> None:
        await asyncio.sleep(0)
        log.append(word)

    return handler


async def deaf(event: Any, ctx: Any) -> None:
    """Swallows its cancellation for a while."""
    until = time.perf_counter() + 1.0
    while time.perf_counter() < until:
        try:
            await asyncio.sleep(0.3)
        except asyncio.CancelledError:
            pass


async def test_handlers_run_one_after_another() -> None:
    """In the order of every other event, sync and async, and nobody is left behind."""
    log: list[str] = []
    factories = [on("session_shutdown", says(log, word)) for word in "ab"]
    end = await ending(*factories, on("session_shutdown", lambda event, ctx: log.append(event.reason)))
    assert ((), ["a", "b", "quit"], []) == (await end.run(), log, end.failures)


async def test_nobody_listens() -> None:
    """Without handlers there is nothing to wait for."""
    assert () == await (await ending()).run()


@pytest.mark.parametrize("stuck", [for_ever, deaf])
async def test_a_stuck_handler_holds_nobody(stuck: Any) -> None:
    """HANG: the next one is told in time, and the end comes when the time is up; the culprit is named."""
    log: list[str] = []
    end = await ending(on("session_shutdown", stuck), on("session_shutdown", says(log, "next")))
    assert ("<inline:1>",) == await end.run()
    assert (["next"], [("<inline:1>", "overdue")]) == (log, end.failures)
    assert LIMIT_S <= end.took_s < 0.9


async def test_a_slow_handler_may_use_all_the_time() -> None:
    """More than its share is no failure while there is time for all: it goes on beside the others."""
    log: list[str] = []
    told = asyncio.Event()

    async def slow(event: Any, ctx: Any) -> None:
        await told.wait()
        log.append("slow")

    def after(event: Any, ctx: Any) -> None:
        log.append("next")
        told.set()

    end = await ending(on("session_shutdown", slow), on("session_shutdown", after))
    assert ((), ["next", "slow"], []) == (await end.run(), log, end.failures)


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit("bye"), asyncio.CancelledError()])
async def test_a_failing_handler_is_reported_and_the_next_is_told(error: BaseException) -> None:
    """Even one that wants to leave the program, or cancels itself."""
    log: list[str] = []

    async def failing(event: Any, ctx: Any) -> None:
        raise error

    end = await ending(on("session_shutdown", failing), on("session_shutdown", says(log, "next")))
    assert () == await end.run()
    expected = [] if isinstance(error, asyncio.CancelledError) else [("<inline:1>", "raised")]
    assert (["next"], expected) == (log, end.failures)


async def test_a_late_failure_is_reported_too() -> None:
    """Also of a handler that fails while others are told already."""

    async def slow(event: Any, ctx: Any) -> None:
        await asyncio.sleep(LIMIT_S * 0.7)
        raise ValueError("late")

    end = await ending(on("session_shutdown", slow), on("session_shutdown", says([], "next")))
    assert () == await end.run()
    assert ["late"] == [f.message for f in end.findings if isinstance(f, Failure)]


async def test_the_context_works_until_the_end() -> None:
    """LIFE 110: handles are live in session_shutdown, and stale after it."""
    seen: list[bool] = []
    end = await ending(on("session_shutdown", lambda event, ctx: seen.append(ctx.is_idle())))
    await end.run()
    end.runner.invalidate()
    assert [True] == seen


async def test_who_is_left_behind_ends_with_the_session() -> None:
    """It is cancelled, and `close` waits a moment for it like for other work in the background."""
    cleaned: list[str] = []

    async def stuck(event: Any, ctx: Any) -> None:
        try:
            await for_ever()
        finally:
            await asyncio.sleep(0.01)
            cleaned.append("up")

    end = await ending(on("session_shutdown", stuck))
    await end.run()
    assert 0 == await end.runner.close()
    assert ["up"] == cleaned


async def test_an_impatient_caller_takes_everybody_along() -> None:
    """When the task that ends the session is cancelled, its handlers are cancelled as well."""
    ended: list[str] = []

    async def stuck(event: Any, ctx: Any) -> None:
        try:
            await for_ever()
        finally:
            ended.append("cancelled")

    end = await ending(on("session_shutdown", stuck))
    task = asyncio.ensure_future(end.run())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 0 == await end.runner.close()
    assert ["cancelled"] == ended


WRAPPER = """
    import asyncio
    from pi_core.api import hookimpl

    @hookimpl(wrapper=True)
    async def pi_session_shutdown(event, ctx):
        yield
        await asyncio.Event().wait()
"""


async def test_a_stuck_wrapper_holds_nobody(tmp_path: Path) -> None:
    """A wrapper around the last event is bound to the same time, and is named."""
    runtime = Runtime(budgets=Budgets(shutdown_s=LIMIT_S))
    loaded = await load_source(tmp_path / "policy.py", WRAPPER, runtime=runtime)
    end = Ending(Runner(loaded.extensions, runtime, cwd="/"))
    path = str(tmp_path / "policy.py")
    assert (path,) == await end.run()
    assert [(path, "overdue")] == end.failures
    assert 0 == await end.runner.close()
