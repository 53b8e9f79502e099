"""Everything is loaded anew while the session goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI
from pi_core.errors import ReloadGivenUpError
from pi_core.extensions.errors import StaleContextError
from tests.support.runtime_bench import Factory, RuntimeBench, write
from tests.support.session_bench import call


def answers(bench: RuntimeBench) -> list[str]:
    """What the tools answered, in order."""
    messages: list[Any] = list(bench.runtime.session.messages)
    return [message.content[0].text for message in messages if message.role == "toolResult"]


async def test_the_order_of_a_reload(tmp_path: Path) -> None:
    """host-50, L18: loaded first, then the old are told, then the new; old handles are stale."""
    kept: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_start")
        def keep(event: Any, ctx: Any) -> None:
            kept.append((pi, ctx))

    async with RuntimeBench(tmp_path, extension, script=["ok"]) as bench:
        bench.take_notes()
        await bench.runtime.reload()
        assert [
            "FACTORY", "session_shutdown reload", "session_start reload", "resources_discover reload",
        ] == bench.take_notes()  # fmt: skip
        (old_api, old_ctx), (api, ctx) = kept
        for stale in (old_api.get_active_tools, old_ctx.is_idle):
            with pytest.raises(StaleContextError):
                stale()
        assert (str(tmp_path), True, True) == (old_ctx.cwd, bool(api.get_active_tools()), ctx.is_idle())
        await bench.say("go")
        assert "agent_settled" == bench.events[-1].type


async def test_handles_work_while_the_end_is_told(tmp_path: Path) -> None:
    """LIFE 110: shutdown with live handles, then what they show goes, then they are stale."""
    order: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_shutdown", lambda event, ctx: order.append(f"shutdown {ctx.is_idle()}"))

    async with RuntimeBench(tmp_path, extension, bind=False) as bench:
        await bench.runtime.bind(mode="tui", before_invalidate=lambda: order.append("clear"))
        await bench.runtime.reload()
        assert ["shutdown True", "clear"] == order


async def test_flag_values_are_kept(tmp_path: Path) -> None:
    """L24: what the command line gave is there in the new generation."""
    seen: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.register_flag("plan", type="boolean")
        pi.on("session_start", lambda event, ctx: seen.append(pi.get_flag("plan")))

    async with RuntimeBench(tmp_path, extension, bind=False) as bench:
        bench.runtime.session.parts.runner.runtime.flag_values["plan"] = True
        await bench.runtime.bind()
        await bench.runtime.reload()
    assert [True, True] == seen


async def test_a_session_that_was_never_bound(tmp_path: Path) -> None:
    """L25: the old extensions are told of their end, and no start follows."""
    async with RuntimeBench(tmp_path, bind=False) as bench:
        await bench.runtime.reload()
        assert ["FACTORY", "FACTORY", "session_shutdown reload"] == bench.take_notes()


async def test_only_the_new_listeners_hear_the_bus(tmp_path: Path) -> None:
    """L26, LIFE 109: after ten reloads one listener hears, and the host's own stays."""
    heard: list[str] = []
    rounds: list[int] = []

    def extension(pi: ExtensionAPI) -> None:
        rounds.append(1)
        number = len(rounds)
        pi.events.on("note", lambda data: heard.append(f"{number} {data}"))
        pi.command("note")(lambda args, ctx: pi.events.emit("note", args))

    async with RuntimeBench(tmp_path, extension) as bench:
        for _ in range(10):
            await bench.runtime.reload()
        await bench.say("/note x")
    assert ["11 x"] == heard


async def test_background_work_ends_with_its_generation(tmp_path: Path) -> None:
    """Tasks and timers of the old generation end; the new one has its own."""
    running: list[int] = []
    ticks: list[int] = []

    def extension(pi: ExtensionAPI) -> None:
        number = len(bench.notes)

        async def work() -> None:
            running.append(number)
            try:
                await asyncio.Event().wait()
            finally:
                running.remove(number)

        pi.spawn(work())
        pi.every(0.01, lambda: ticks.append(number))

    bench = RuntimeBench(tmp_path, extension)
    async with bench:
        await asyncio.sleep(0.03)
        await bench.runtime.reload()
        assert 1 == len(running)
        ticks.clear()
        await asyncio.sleep(0.03)
        assert {running[0]} == set(ticks)


def asking(outcomes: list[Any]) -> Factory:
    """An extension whose tool and command ask for a reload."""

    def extension(pi: ExtensionAPI) -> None:
        kept: list[Any] = []

        @pi.command("reload")
        async def reload(args: str, ctx: Any) -> None:
            kept.append(ctx)
            if args != "later":
                outcomes.append(await ctx.reload())
                with pytest.raises(StaleContextError):
                    ctx.is_idle()

        @pi.tool
        async def again() -> str:
            outcomes.append(await kept[0].reload())
            return "asked"

    return extension


async def test_a_command_reloads_at_once_when_nothing_goes_on(tmp_path: Path) -> None:
    """50: it gets `done`, and its own handles are stale."""
    outcomes: list[Any] = []
    async with RuntimeBench(tmp_path, asking(outcomes)) as bench:
        bench.take_notes()
        await bench.say("/reload now")
        assert (["done"], 4, []) == (outcomes, len(bench.take_notes()), bench.errors)


async def test_a_tool_that_asks_is_put_off(tmp_path: Path) -> None:
    """host-51: it gets `scheduled`; the run ends in the old generation, and then the reload takes place."""
    outcomes: list[Any] = []
    async with RuntimeBench(tmp_path, asking(outcomes), script=[call("again"), "done"]) as bench:
        await bench.say("/reload later")
        bench.take_notes()
        await bench.say("go")
        assert (["scheduled"], ["asked"]) == (outcomes, answers(bench))
        assert ["FACTORY", "session_shutdown reload"] == bench.take_notes()[:2]


async def test_a_host_that_reloads_waits(tmp_path: Path) -> None:
    """51: while a run goes on nothing is loaded; prompts that follow meet the new generation."""
    slow = {"text": "a long answer", "pace_s": 0.02}
    async with RuntimeBench(tmp_path, script=[slow, "next"]) as bench:
        saying = asyncio.create_task(bench.runtime.session.prompt("go"))
        await bench.until("message_update")
        bench.take_notes()
        reloading = asyncio.create_task(bench.runtime.reload())
        await asyncio.sleep(0.02)
        assert (False, []) == (saying.done(), bench.take_notes())
        await reloading
        assert (True, "session_start reload") == (saying.done(), bench.take_notes()[2])


async def test_a_prompt_during_a_reload_meets_the_new_generation(tmp_path: Path) -> None:
    """It waits until the reload is done, session_start included."""
    loading = asyncio.Event()

    async def extension(pi: ExtensionAPI) -> None:
        if bench.notes.count("FACTORY") == 2:
            loading.set()
            await asyncio.sleep(0.05)
        pi.on("input", lambda event, ctx: bench.notes.append("input"))

    bench = RuntimeBench(tmp_path, extension, script=["ok"])
    async with bench:
        reloading = asyncio.create_task(bench.runtime.reload())
        await loading.wait()
        bench.take_notes()
        await bench.say("go")
        assert ["session_shutdown", "session_start", "resources_discover", "input"] == [
            note.split()[0] for note in bench.take_notes()
        ]
        await reloading


async def test_a_scheduled_reload_that_cannot_be_is_reported(tmp_path: Path) -> None:
    """Nobody waits for it, so its error is a finding."""
    script = [call("again"), "done"]
    async with RuntimeBench(tmp_path, asking([]), script=script, discover=True) as bench:
        write(tmp_path / "agent" / "settings.toml", "= nothing\n")
        await bench.say("/reload later")
        await bench.say("go")
        assert "reload" == bench.errors[0][0]


async def test_the_model_stays(tmp_path: Path) -> None:
    """Model and thinking level go on as they were, and nothing is added to the history."""
    async with RuntimeBench(tmp_path) as bench:
        parts = bench.runtime.session.parts
        before = parts.models.model.id, parts.models.thinking, len(parts.store.get_entries())
        await bench.runtime.reload()
        assert before == (parts.models.model.id, parts.models.thinking, len(parts.store.get_entries()))


async def test_a_shutdown_handler_that_hangs_does_not_hold_a_reload(tmp_path: Path) -> None:
    """HANG: the budget of the settings counts; the new generation works, and the culprit is named."""
    write(tmp_path / "agent" / "settings.toml", "[budgets]\nshutdown-s = 0.2\n")

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_shutdown", lambda event, ctx: asyncio.Event().wait())

    async with RuntimeBench(tmp_path, extension) as bench, asyncio.timeout(5):
        await bench.runtime.reload()
        assert (["session_shutdown"], "session_start reload") == (
            [event for event, _ in bench.errors], bench.notes[-2],
        )  # fmt: skip


async def test_an_end_during_a_reload(tmp_path: Path) -> None:
    """What is still loading is given up: one end is told, and it is the quit."""
    loading = asyncio.Event()

    async def extension(pi: ExtensionAPI) -> None:
        if bench.notes.count("FACTORY") == 2:
            loading.set()
            await asyncio.Event().wait()

    bench = RuntimeBench(tmp_path, extension)
    async with asyncio.timeout(5), bench:
        reloading = asyncio.create_task(bench.runtime.reload())
        await loading.wait()
        await bench.runtime.dispose()
        await asyncio.wait({reloading})
    assert ["session_shutdown quit"] == [note for note in bench.notes if "shutdown" in note]


async def test_two_wishes_are_one_reload(tmp_path: Path) -> None:
    """Who asks before it has begun is served by the same one."""
    async with RuntimeBench(tmp_path) as bench:
        bench.take_notes()
        await asyncio.gather(bench.runtime.reload(), bench.runtime.reload())
        assert 4 == len(bench.take_notes())


async def test_a_message_from_the_start_handler(tmp_path: Path) -> None:
    """session_start of the new generation may send a message: it begins a run, nothing waits for itself."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_start")
        def start(event: Any, ctx: Any) -> None:
            if event.reason == "reload":
                pi.send_user_message("from the start")

    async with RuntimeBench(tmp_path, extension, script=["ok"]) as bench, asyncio.timeout(5):
        await bench.runtime.reload()
        await bench.runtime.wait_for_idle()
        assert 2 == len(bench.runtime.session.messages)


async def test_an_abort_gives_up_a_reload_that_still_loads(tmp_path: Path) -> None:
    """HANG: a factory that does not return holds nobody; the present generation answers at once."""
    loading = asyncio.Event()

    async def extension(pi: ExtensionAPI) -> None:
        if bench.notes.count("FACTORY") == 2:
            loading.set()
            await asyncio.Event().wait()

    bench = RuntimeBench(tmp_path, extension, script=["ok"])
    async with bench, asyncio.timeout(5):
        reloading = asyncio.create_task(bench.runtime.reload())
        await loading.wait()
        saying = asyncio.create_task(bench.say("go"))
        await bench.runtime.abort()
        with pytest.raises(ReloadGivenUpError):
            await reloading
        await saying
        assert (2, False) == (len(bench.runtime.session.messages), "session_shutdown reload" in bench.notes)


async def test_a_command_whose_session_ends_under_it(tmp_path: Path) -> None:
    """What it waits for is cancelled with the session; that is told, and cancels nobody else."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("wait")
        async def wait(args: str, ctx: Any) -> None:
            await pi.spawn(asyncio.Event().wait())

    async with RuntimeBench(tmp_path, extension) as bench, asyncio.timeout(5):
        saying = asyncio.create_task(bench.runtime.session.prompt("/wait"))
        await asyncio.sleep(0.01)
        await bench.runtime.new_session()
        assert "handled" == await saying
        assert ["command"] == [event for event, _ in bench.errors]


async def test_a_listener_that_fails_does_not_stop_the_exchange(tmp_path: Path) -> None:
    """Its error is a finding, and the new generation is whole."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_shutdown")
        def fail(event: Any, ctx: Any) -> None:
            raise RuntimeError("bye")

    def listener(event: Any) -> None:
        if event.type == "extension_error":
            raise ValueError("listener")

    async with RuntimeBench(tmp_path, extension, script=["ok"]) as bench:
        with bench.runtime.subscribe(listener):
            await bench.runtime.reload()
        assert [True] == ["listener" in found.message for found in bench.runtime.diagnostics[-1:]]
        assert ["session_start reload", "resources_discover reload"] == bench.take_notes()[-2:]
        await bench.say("go")
        assert 2 == len(bench.runtime.session.messages)
