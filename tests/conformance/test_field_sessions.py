"""Reports from the field about sessions and runs, by kind: reload and replacement, waits, silence.

A number is that of the report; what is right for us stands in each sentence.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI, Model
from pi_core.extensions.errors import StaleContextError
from tests.support.agent_cli import AgentCli, agent_cli
from tests.support.runtime_bench import RuntimeBench, write
from tests.support.session_bench import call


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    return agent_cli(tmp_path)


async def test_life_105_a_handler_whose_session_went_away(tmp_path: Path) -> None:
    """Facts are readable and `notify` works on the stale context; an action is told once, quietly."""
    seen: list[Any] = []
    go_on = asyncio.Event()

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_start")
        async def start(event: Any, ctx: Any) -> None:
            if event.reason == "startup":
                pi.spawn(later(ctx))

        async def later(ctx: Any) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                seen.append((ctx.has_ui, ctx.cwd, ctx.mode))
                ctx.ui.notify("bye")
                try:
                    ctx.is_idle()
                except StaleContextError as error:
                    seen.append(type(error).__name__)
                go_on.set()

    async with RuntimeBench(tmp_path, extension) as bench:
        await asyncio.sleep(0)
        await bench.runtime.new_session()
        await go_on.wait()
        assert [(False, str(tmp_path), "json"), "StaleContextError"] == seen
        assert [] == bench.errors


async def test_life_103_a_task_of_its_own_touches_what_is_gone(tmp_path: Path) -> None:
    """A raw task, which nobody owns, fails with the stale error; the session that followed works."""

    def extension(pi: ExtensionAPI) -> None:
        async def poll(ctx: Any) -> None:
            while True:
                await asyncio.sleep(0.005)
                ctx.is_idle()

        pi.on("session_start", lambda event, ctx: tasks.append(asyncio.create_task(poll(ctx))))

    tasks: list[asyncio.Task[Any]] = []
    async with RuntimeBench(tmp_path, extension, script=["ok"]) as bench:
        for _ in range(5):
            await bench.runtime.new_session()
        done, _ = await asyncio.wait(tasks[:-1])
        assert {StaleContextError} == {type(task.exception()) for task in done}
        await bench.say("go")
        tasks[-1].cancel()
        assert 2 == len(bench.runtime.session.messages)


def test_life_104_what_slips_into_the_loop_after_a_reload(pi: AgentCli) -> None:
    """A delayed callback of the old generation is told as the extension's, and the next prompt answers."""
    path = pi.user_extension(
        """
        import asyncio
        def late(): raise ValueError("too late")
        def extension(pi):
            @pi.command("again")
            async def again(args, ctx):
                asyncio.get_running_loop().call_later(0.05, late)
                await ctx.reload()
                await asyncio.sleep(0.1)
        """
    )
    ran = pi.run("-p", "/again", "run: echo on")
    assert (0, "bash answered:\non\n") == (ran.code, ran.out)
    assert f"({path}, event_loop): too late" in ran.err


async def test_life_112_facts_are_live(tmp_path: Path) -> None:
    """A context that was kept shows the model of the moment, not that of its making."""
    kept: list[Any] = []
    models: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_start", lambda event, ctx: kept.append(ctx))

        @pi.command("other")
        async def other(args: str, ctx: Any) -> None:
            models.append(kept[0].model.id)
            await pi.set_model(Model(id="other", provider=kept[0].model.provider, api="scripted"))
            models.append(kept[0].model.id)

    async with RuntimeBench(tmp_path, extension) as bench:
        await bench.say("/other")
    assert ("other", True) == (models[1], models[0] != "other")


def stuck_in(event: str) -> Any:
    """An extension whose handler of one event never settles, once."""

    def extension(pi: ExtensionAPI) -> None:
        left = [1]

        async def stuck(event: Any, ctx: Any) -> None:
            if left:
                left.clear()
                await asyncio.Event().wait()

        pi.on(event, stuck, optional=True)

    return extension


@pytest.mark.parametrize("event", ["turn_start", "context", "tool_call", "agent_settled", "session_start"])
async def test_hang_135_a_handler_that_never_settles(tmp_path: Path, event: str) -> None:
    """Its time is up, one finding names extension and event, and the run goes on: a guard refuses."""
    write(tmp_path / "agent" / "settings.toml", "[budgets]\nhandler-s = 0.2\n")
    script = [call("bash", command="echo hi"), "done"]
    async with RuntimeBench(tmp_path, stuck_in(event), script=script) as bench, asyncio.timeout(10):
        await bench.say("go")
        (told,) = [found for found in bench.runtime.diagnostics if found.severity == "error"]
        assert ("handler-overdue", event) == (told.code, told.stage)
        messages: list[Any] = list(bench.runtime.session.messages)
        assert (["user", "assistant", "toolResult", "assistant"], event == "tool_call") == (
            [message.role for message in messages], messages[2].is_error,
        )  # fmt: skip


@pytest.mark.parametrize("event", ["tool_call", "context", "before_agent_start", "turn_end"])
async def test_hang_136_137_an_abort_ends_a_stuck_handler(tmp_path: Path, event: str) -> None:
    """Half a second after the abort the session is idle, and a later prompt is answered."""
    script = [call("bash", command="echo hi"), "done", "again"]
    async with RuntimeBench(tmp_path, stuck_in(event), script=script) as bench:
        session = bench.runtime.session
        saying = asyncio.create_task(session.prompt("go"))
        await asyncio.sleep(0.1)
        started = time.monotonic()
        await asyncio.wait_for(session.abort(), 5)
        assert time.monotonic() - started < 1.5
        await saying
        await bench.say("more")
        assert "assistant" == session.messages[-1].role


LEAVES_EVERYTHING = """
    import asyncio, subprocess, sys, threading

    def extension(pi):
        threading.Thread(target=threading.Event().wait).start()
        child = subprocess.Popen(["sleep", "600"])
        print("child", child.pid, file=sys.stderr)

        @pi.on("session_start")
        def start(event, ctx):
            asyncio.create_task(asyncio.Event().wait())
    """


def test_hang_138_what_an_extension_leaves_running(pi: AgentCli) -> None:
    """A thread, a program and a task: the answer is there, the code is 0, the child is gone."""
    pi.user_extension(LEAVES_EVERYTHING)
    started = time.monotonic()
    ran = pi.run("-p", "run: echo hello")
    spent = time.monotonic() - started
    child = next(line.split()[1] for line in ran.err.splitlines() if line.startswith("child"))
    assert (0, "bash answered:\nhello\n") == (ran.code, ran.out)
    assert spent < 10
    assert False is Path(f"/proc/{child}").exists()


def test_hang_139_a_tool_that_leaves_a_program(pi: AgentCli) -> None:
    """A program with inherited pipes does not hold the call, nor the end."""
    started = time.monotonic()
    ran = pi.run("-p", "run: sleep 25 & echo hello")
    assert (0, True) == (ran.code, "hello" in ran.out)
    assert time.monotonic() - started < 15


def test_hang_140_the_stream_ends_and_so_does_the_process(pi: AgentCli) -> None:
    """After the last event the process ends by itself, and everything it wrote can be read."""
    process = pi.start("--mode", "json", "hello")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["type"] == "agent_settled":
            break
    started = time.monotonic()
    assert 0 == process.wait(timeout=10)
    assert time.monotonic() - started < 3
    process.communicate()


def test_quiet_88_a_slow_handler_is_named_once(pi: AgentCli) -> None:
    """In a stream, with the extension, the event and the time; the second time it is no news."""
    pi.write(str(pi.agent_dir / "settings.toml"), "[budgets]\nwarn-s = 0.1\n")
    path = pi.user_extension(
        """
        import asyncio
        def extension(pi):
            left = [1, 2]
            @pi.on("message_update")
            async def slow(event, ctx):
                if left:
                    left.pop()
                    await asyncio.sleep(0.4)
        """
    )
    lines = [line for line in pi.run("-p", "hello").err.splitlines() if "message_update" in line]
    assert [f"extension warning ({path}, message_update)"] == [line.partition(":")[0] for line in lines]
