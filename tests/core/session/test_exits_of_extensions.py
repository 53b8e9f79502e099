"""An extension that wants to leave the program, or plays Ctrl-C, has failed, and nothing else happens."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI, hookimpl
from pi_core.modes.base import run_to_the_end
from tests.support.session_bench import SessionBench, call

LEAVING: tuple[BaseException, ...] = (KeyboardInterrupt("go"), SystemExit("go"))
leaving = pytest.mark.parametrize("error", LEAVING, ids=lambda error: type(error).__name__)


def out(error: BaseException) -> None:
    raise type(error)("go")


@leaving
@pytest.mark.parametrize("event", ["input", "before_agent_start", "context", "turn_end", "message_end"])
async def test_a_handler(tmp_path: Path, error: BaseException, event: str) -> None:
    """It is reported, and the answer comes."""

    def extension(pi: Any) -> None:
        pi.on(event, lambda event, ctx: out(error))

    bench = await SessionBench(tmp_path, ["fine"], extension).run("hi")
    assert {(event, "go")} == set(bench.errors())
    assert ["fine"] == bench.said("assistant")


@leaving
async def test_a_guard(tmp_path: Path, error: BaseException) -> None:
    """It refuses the call, as any guard that fails."""
    ran: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool
        def work() -> str:
            """Work."""
            ran.append("work")
            return "done"

        @pi.on("tool_call")
        async def guard(event: Any, ctx: Any) -> None:
            out(error)

    bench = await SessionBench(tmp_path, [call("work"), "fine"], extension).run("hi")
    assert ([], [("tool_call", "go")]) == (ran, bench.errors())
    assert ["fine"] == bench.said("assistant")[-1:]


@leaving
async def test_a_wrapper(tmp_path: Path, error: BaseException) -> None:
    """One that surrounds a dispatch fails by itself."""

    class Plugin:
        @hookimpl(wrapper=True)
        def pi_turn_end(self, event: Any, ctx: Any) -> Any:
            answer = yield
            out(error)
            return answer

    plugin: Any = Plugin
    bench = await SessionBench(tmp_path, ["fine"], plugin).run("hi")
    assert [("turn_end", "go")] == bench.errors()
    assert ["fine"] == bench.said("assistant")


@leaving
async def test_a_command(tmp_path: Path, error: BaseException) -> None:
    """It has failed, and the next prompt is answered."""

    def extension(pi: ExtensionAPI) -> None:
        pi.register_command("bye", lambda args, ctx: out(error))

    bench = await SessionBench(tmp_path, ["fine"], extension).run("/bye", "hi")
    assert [("command", "go")] == bench.errors()
    assert ["fine"] == bench.said("assistant")


@leaving
async def test_a_tool(tmp_path: Path, error: BaseException) -> None:
    """The model hears of it."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool
        async def work() -> str:
            """Work."""
            await asyncio.sleep(0)
            out(error)
            return "done"

    bench = await SessionBench(tmp_path, [call("work"), "fine"], extension).run("hi")
    assert ["go"] == bench.said("toolResult")
    assert ["fine"] == bench.said("assistant")[-1:]


@leaving
async def test_work_in_the_background(tmp_path: Path, error: BaseException) -> None:
    """Tasks and listeners fail; a timer goes on with the next tick."""
    ticks: list[int] = []
    again = asyncio.Event()

    def extension(pi: ExtensionAPI) -> None:
        def tick() -> None:
            ticks.append(1)
            if len(ticks) == 3:
                again.set()
            out(error)

        async def task() -> None:
            out(error)

        @pi.command("begin")
        async def begin(args: str, ctx: Any) -> None:
            pi.events.on("news", lambda data: out(error))
            pi.events.emit("news")
            pi.spawn(task(), name="job")
            pi.every(0.001, tick)
            await again.wait()

    bench = await SessionBench(tmp_path, ["fine"], extension).run("/begin", "hi")
    assert {"events:news", "spawn:job"} <= {event for event, _ in bench.errors()}
    assert ["fine"] == bench.said("assistant")


@leaving
def test_what_slips_into_the_loop(error: BaseException) -> None:
    """A task or callback that nobody watches ends no work of the program; the loop's handler hears of it."""
    heard: list[Any] = []

    async def slip() -> None:
        out(error)

    async def work() -> int:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: heard.append(str(context["exception"])))
        kept = asyncio.ensure_future(slip())
        loop.call_soon(out, error)
        await asyncio.sleep(0.01)
        assert kept.done()
        return 7

    assert 7 == run_to_the_end(work())
    assert ["go", "go"] == heard[:2]


@leaving
def test_the_work_itself_may_leave(error: BaseException) -> None:
    """What the program's own work raises is nobody's failure."""

    async def work() -> int:
        raise type(error)("go")

    with pytest.raises(type(error)):
        run_to_the_end(work())
