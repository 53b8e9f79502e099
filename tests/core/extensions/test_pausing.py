"""Waiting for a person or a program takes nothing of a handler's time; the rest of it does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from hookspecs import AgentEnd, SessionStart, ToolCall, TurnStart
from hookspecs.context import ToolContext
from hookspecs.definitions import ExecResult, ToolResult
from pi_core.dispatch.plan import HandlerFailed
from pi_core.extensions.actions import Finding, Runtime
from pi_core.extensions.runner import Runner
from pi_core.testing.host import RecordingHost
from pi_core.testing.ui import RecordingUI
from tests.core.extensions.support import running
from tests.core.extensions.ticking import HandTicks, Watched, for_ever, on, settled, watched


class SlowPerson(RecordingUI):
    """Answers every dialog once the test lets them."""

    def __init__(self) -> None:
        super().__init__()
        self.decided = asyncio.Event()

    async def confirm(self, title: str, message: str = "", **how: Any) -> bool:
        await self.decided.wait()
        return True

    async def editor(self, title: str, prefill: str = "", *, strict: bool = False) -> str | None:
        await self.decided.wait()
        return "text"


class SlowTools(RecordingHost):
    """A tool runs until the test ends it; tool_call is told first, as in a session."""

    def __init__(self, runner: Runner, ui: Any, program: asyncio.Event) -> None:
        super().__init__(runner.registry, cwd="/", mode="tui", ui=ui, has_ui=True)
        self.runner = runner
        self.program = program

    async def execute_tool(self, name: str, args: Any, *, parent_id: str) -> ToolResult:
        if self.runner.has_handlers("tool_call"):
            with suppress(HandlerFailed):
                await self.runner.emit(ToolCall(tool_name=name, tool_call_id="nested", input=dict(args)))
        await self.program.wait()
        return ToolResult(content="ok")


class World(Watched):
    """A session with a person, programs and tools that take as long as the test says."""

    ui: SlowPerson
    program: asyncio.Event

    @classmethod
    async def of(cls, *factories: Callable[..., Any]) -> World:
        clock, program = HandTicks(), asyncio.Event()

        async def run_program(command: str, args: Any, **how: Any) -> ExecResult:
            await program.wait()
            return ExecResult(stdout="out", stderr="", code=0)

        runner = await running(*factories, runtime=Runtime(ticks=clock, exec_port=run_program))
        findings: list[Finding] = []
        runner.on_error(findings.append)
        world = cls(runner, clock, findings)
        world.program, world.ui = program, SlowPerson()
        runner.bind(SlowTools(runner, world.ui, program))
        return world

    def tool_context(self) -> ToolContext:
        return self.runner.tool_context("1")


def turn() -> TurnStart:
    return TurnStart(turn_index=0, timestamp=0)


async def asks(pi: Any, ctx: Any) -> None:
    await ctx.ui.confirm("Sure?")


async def asks_in_a_task_of_its_own(pi: Any, ctx: Any) -> None:
    await asyncio.gather(ctx.ui.editor("Text"), asyncio.sleep(0))


async def runs_a_program(pi: Any, ctx: Any) -> None:
    await pi.exec("make")


async def runs_programs_at_once(pi: Any, ctx: Any) -> None:
    await asyncio.gather(pi.exec("make"), pi.exec("make"))


WAITING = [asks, asks_in_a_task_of_its_own, runs_a_program, runs_programs_at_once]


def waiting(wait: Any, log: list[str]) -> Callable[[Any], None]:
    """A factory of a handler that waits, and then is stuck by itself."""

    def factory(pi: Any) -> None:
        async def handler(event: Any, ctx: Any) -> None:
            await wait(pi, ctx)
            log.append("went on")
            await for_ever()

        pi.on("turn_start", handler)

    return factory


@pytest.mark.parametrize("wait", WAITING)
async def test_no_time_is_counted_while_it_waits(wait: Any) -> None:
    """An hour at a dialog or a program is no hour of the handler; what it does then counts as ever."""
    log: list[str] = []
    world = await World.of(waiting(wait, log))
    task = world.start(turn())
    await world.clock.turn(100)
    world.ui.decided.set()
    world.program.set()
    await settled()
    assert (["went on"], [], False) == (log, world.failures, task.done())
    await world.clock.turn(32)
    assert (True, [("<inline:1>", "turn_start", "overdue")]) == (task.done(), world.failures)


async def test_an_abort_does_not_wait_for_a_person() -> None:
    """A guard that stands at a dialog is interrupted by an abort, and refuses."""
    world = await World.of(waiting(asks, []))
    task = world.start(turn())
    await world.clock.turn(2)
    world.runner.abort(grace_s=1)
    await world.clock.turn(1)
    assert (True, [("<inline:1>", "turn_start", "interrupted")]) == (task.done(), world.failures)


async def test_a_tool_that_a_handler_calls_has_its_own_time() -> None:
    """While `execute_tool` waits the handler is not judged; handlers of the nested call are."""
    world: list[World] = []

    async def runs_a_tool(event: Any, ctx: Any) -> None:
        await world[0].tool_context().execute_tool("build", {})

    world.append(await World.of(on("turn_start", runs_a_tool), on("tool_call", for_ever)))
    task = world[0].start(turn())
    await world[0].clock.turn(200)
    assert (False, [("<inline:2>", "tool_call", "overdue")]) == (task.done(), world[0].failures)
    world[0].program.set()
    await task


async def test_a_program_in_the_background_pauses_nobody() -> None:
    """A server that an extension keeps running is no excuse for its stuck handlers."""

    def factory(pi: Any) -> None:
        pi.on("turn_start", for_ever)
        pi.on("session_start", lambda event, ctx: void(pi.spawn(pi.exec("server"))))

    world = await World.of(factory)
    await world.runner.emit(SessionStart(reason="startup"))
    task = world.start(turn())
    await world.clock.turn(32)
    assert task.done()
    world.program.set()


def void(_: object) -> None:
    """What a handler starts is no answer."""


async def test_a_context_that_was_kept_pauses_the_dispatch_that_waits() -> None:
    """A handler may ask through the context of an earlier event; its own time stands still then."""
    kept: list[Any] = []

    async def asks_later(event: Any, ctx: Any) -> None:
        await kept[0].ui.confirm("Sure?")

    world = await World.of(on("turn_start", lambda event, ctx: kept.append(ctx)), on("agent_end", asks_later))
    await world.runner.emit(turn())
    task = world.start(AgentEnd(messages=[]))
    await world.clock.turn(100)
    assert (False, []) == (task.done(), world.failures)
    world.ui.decided.set()
    await task


async def test_outside_of_a_dispatch_nothing_is_paused() -> None:
    """A command or a tool may ask and run programs too: there is no limit to lift."""
    kept: list[Any] = []
    world = await World.of(kept.append)
    world.program.set()
    world.ui.decided.set()
    assert "out" == (await kept[0].exec("make")).stdout
    assert await world.runner.command_context().ui.confirm("Sure?")


async def test_the_clock_stops_when_nothing_goes_on() -> None:
    """The watch ticks a little on after the last dispatch, and then no more until the next."""
    world = await watched(on("turn_start", lambda event, ctx: None))
    seen = [world.clock.ticking]
    await world.runner.emit(turn())
    seen.append(world.clock.ticking)
    await world.clock.turn(2)
    seen.append(world.clock.ticking)
    await world.runner.emit(turn())
    seen.append(world.clock.ticking)
    await world.runner.close()
    assert [False, True, False, True, False] == [*seen, world.clock.ticking]
