"""Sessions that take each other's place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import CustomMessage, ExtensionAPI
from pi_core.errors import (
    CannotReplaceError,
    DisposedError,
    ReplacementError,
)
from pi_core.extensions.errors import StaleContextError
from pi_core.history.sessions import memory_session, open_session
from pi_core.session.events import DiagnosticFound
from tests.support.runtime_bench import Factory, RuntimeBench


def replacing(done: list[Any]) -> Factory:
    """An extension with a command that begins a new session, fills it and goes on in it."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("new")
        async def new(args: str, ctx: Any) -> None:
            async def go_on(fresh: Any) -> None:
                done.append("with_session")
                with pytest.raises(StaleContextError):
                    ctx.is_idle()
                with pytest.raises(StaleContextError):
                    pi.get_active_tools()
                await fresh.send_user_message("go")
                done.append(fresh.is_idle())

            def setup(store: Any) -> None:
                done.append("setup")
                store.append_custom_message("seed", "planted")

            done.append(await ctx.new_session(setup=setup, with_session=go_on))

    return extension


async def test_a_command_begins_a_new_session(tmp_path: Path) -> None:
    """Z02, D03, L20, 45, 54: the order of a replacement; the old handles are stale, the new ones work."""
    done: list[Any] = []
    async with RuntimeBench(tmp_path, replacing(done), script=["ok"]) as bench:
        old, before = bench.runtime.session, bench.file
        bench.take_notes()
        await bench.say("/new")
        assert [
            "session_before_switch new", f"session_shutdown new {bench.file}", "FACTORY",
            f"session_start new {before}", "resources_discover startup",
        ] == bench.take_notes()  # fmt: skip
        assert ["setup", "with_session", True, False] == [getattr(item, "cancelled", item) for item in done]
        assert (True, False) == (old.is_disposed, bench.runtime.session.is_disposed)
        roles = [message.role for message in bench.runtime.session.messages]
        assert ["custom", "user", "assistant"] == roles
        assert before.parent == bench.file.parent


async def test_the_model_that_stands_in_is_told_of_once(tmp_path: Path) -> None:
    """That no model is configured is said once a run, not with every new conversation."""
    async with RuntimeBench(tmp_path) as bench:
        for _ in range(2):
            await bench.runtime.new_session()
        told = [event.diagnostic.code for event in bench.events if isinstance(event, DiagnosticFound)]
        assert ["model-choice"] == told


async def test_an_extension_may_refuse_a_new_session(tmp_path: Path) -> None:
    """B05, 46: cancelled; nobody is told of an end, the session and its handles go on."""
    called: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_before_switch", lambda event, ctx: {"cancel": True})

        @pi.command("new")
        async def new(args: str, ctx: Any) -> None:
            called.append(await ctx.new_session(with_session=called.append))
            called.append(ctx.is_idle())

    async with RuntimeBench(tmp_path, extension) as bench:
        session = bench.runtime.session
        bench.take_notes()
        await bench.say("/new")
        assert [True, True] == [getattr(item, "cancelled", item) for item in called]
        assert (["session_before_switch new"], session) == (bench.take_notes(), bench.runtime.session)


async def test_what_goes_on_in_a_new_session_may_fail(tmp_path: Path) -> None:
    """L21: an error in `with_session` is the command's; the new session stands."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("new")
        async def new(args: str, ctx: Any) -> None:
            async def fail(fresh: Any) -> None:
                raise ValueError("ws")

            await ctx.new_session(with_session=fail)

    async with RuntimeBench(tmp_path, extension, script=["ok"]) as bench:
        await bench.say("/new")
        assert [("command", "ws")] == bench.errors
        await bench.say("go")
        assert 2 == len(bench.runtime.session.messages)


async def test_a_setup_that_fails_leaves_a_session_that_works(tmp_path: Path) -> None:
    """The error reaches whoever asked, once the new session has begun."""

    def fail(store: Any) -> None:
        raise ValueError("setup")

    async with RuntimeBench(tmp_path) as bench:
        with pytest.raises(ValueError, match="setup"):
            await bench.runtime.new_session(setup=fail)
        assert "session_start" in bench.take_notes()[-2]


async def test_what_goes_on_is_stopped_and_kept_in_the_old_file(tmp_path: Path) -> None:
    """A run is aborted first, so that its last message stands in the file that it belongs to."""
    slow = {"text": "a long answer that takes its time", "pace_s": 0.05}
    async with RuntimeBench(tmp_path, script=[slow]) as bench:
        before = bench.file
        saying = asyncio.create_task(bench.runtime.session.prompt("go"))
        await bench.until("message_update")
        await bench.runtime.new_session()
        await saying
        last: Any = open_session(before).get_entries()[-1]
    assert ("assistant", "aborted") == (last.message.role, last.message.stop_reason)


async def test_two_wishes_of_one_session(tmp_path: Path) -> None:
    """The first is granted; the second comes from a session that is gone."""
    outcomes: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("twice")
        async def twice(args: str, ctx: Any) -> None:
            both = [ctx.new_session(), ctx.new_session()]
            outcomes.extend(await asyncio.gather(*both, return_exceptions=True))

    async with RuntimeBench(tmp_path, extension) as bench:
        await bench.say("/twice")
        assert [False, StaleContextError] == [
            getattr(outcome, "cancelled", type(outcome)) for outcome in outcomes
        ]
        assert 1 == sum(note.startswith("session_start new") for note in bench.notes)


async def test_a_cancelled_wish_is_still_granted(tmp_path: Path) -> None:
    """Whoever asked may be gone: the replacement comes to its end, and one session is there."""
    async with RuntimeBench(tmp_path) as bench:
        asking = asyncio.create_task(bench.runtime.new_session())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait({asking})
        await bench.until("session_start new")
        assert False is bench.runtime.session.is_disposed


async def test_a_command_that_was_typed_by_an_extension_begins_a_session(tmp_path: Path) -> None:
    """The work that asks is not waited for: no time passes."""

    def extension(pi: ExtensionAPI) -> None:
        pi.command("new")(lambda args, ctx: ctx.new_session())
        pi.command("go")(lambda args, ctx: pi.send_user_message("/new", expand=True))

    async with RuntimeBench(tmp_path, extension) as bench, asyncio.timeout(1.5):
        await bench.runtime.session.prompt("/go")
        await bench.until("session_start new")
        await bench.runtime.wait_for_idle()


async def test_a_successor_that_cannot_be_built(tmp_path: Path) -> None:
    """The error says that the session has ended; nothing can be said to it, and another may be asked for."""
    (tmp_path / ".pi").mkdir()
    (tmp_path / ".pi" / "settings.toml").write_text("extensions = []\n", encoding="utf-8")
    async with RuntimeBench(tmp_path, discover=True, trust="stored") as bench:
        (tmp_path / "agent").mkdir(exist_ok=True)
        (tmp_path / "agent" / "trust.toml").write_text("= broken", encoding="utf-8")
        with pytest.raises(ReplacementError, match=r"trust\.toml"):
            await bench.runtime.new_session()
        with pytest.raises(DisposedError):
            await bench.runtime.session.prompt("x")
        with pytest.raises(ReplacementError, match=r"trust\.toml"):
            await bench.runtime.new_session()
        (tmp_path / "agent" / "trust.toml").unlink()
        ended, before = bench.runtime.session, bench.file
        await bench.runtime.new_session()
        assert (True, False) == (ended.is_disposed, bench.runtime.session.is_disposed)
        await bench.say("go")
        assert "user" in [message.role for message in bench.runtime.session.messages]
        assert before != bench.file
        await bench.runtime.dispose()
        with pytest.raises(DisposedError):
            await bench.runtime.new_session()


async def test_a_single_session_is_not_replaced(tmp_path: Path) -> None:
    """A program that holds one session says so to the extension that wants another."""
    from tests.support.session_bench import SessionBench

    def extension(pi: ExtensionAPI) -> None:
        pi.command("new")(lambda args, ctx: ctx.new_session())

    bench = await SessionBench(tmp_path, [], extension).run("/new")
    assert [("command", str(CannotReplaceError("new_session")))] == bench.errors()


async def test_five_sessions_sound_alike(tmp_path: Path) -> None:
    """LIFE 106: each of five replacements is told the same, in no more time, and answers."""
    heard: list[list[str]] = []
    async with RuntimeBench(tmp_path, script=["ok"] * 6, stored=False) as bench, asyncio.timeout(10):
        for _ in range(5):
            bench.take_notes()
            await bench.runtime.new_session()
            await bench.say("go")
            heard.append([*bench.take_notes(), bench.runtime.session.messages[-1].role])
    assert [heard[0]] * 5 == heard


async def test_two_runtimes_at_once(tmp_path: Path) -> None:
    """LIFE 106: two in one process do not feel each other, replacements included."""
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    async with (
        RuntimeBench(folders[0], script=["a"] * 2) as one,
        RuntimeBench(folders[1], script=["b"] * 2) as other,
    ):
        await asyncio.gather(one.runtime.new_session(), other.runtime.new_session())
        await asyncio.gather(one.say("go"), other.say("go"))
        answers: list[Any] = [bench.runtime.session.messages[-1] for bench in (one, other)]
        assert (["a", "b"], one.notes[0:1]) == ([each.content[0].text for each in answers], other.notes[0:1])


async def test_background_work_of_an_old_session_ends(tmp_path: Path) -> None:
    """LIFE 103: five sessions on, one timer and one task are left, and no failure was told."""
    running: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        async def work() -> None:
            running.append(1)
            try:
                await asyncio.Event().wait()
            finally:
                running.pop()

        pi.spawn(work())
        pi.on("session_start", lambda event, ctx: pi.every(0.01, ctx.is_idle))

    async with RuntimeBench(tmp_path, extension) as bench:
        for _ in range(5):
            await bench.runtime.new_session()
        await asyncio.sleep(0.05)
        assert ([1], []) == (running, bench.errors)
    assert [] == running


async def test_a_message_for_the_new_session(tmp_path: Path) -> None:
    """`send_message` of the new context can be waited for, and arrives there."""
    seen: list[int] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("new")
        async def new(args: str, ctx: Any) -> None:
            async def go_on(fresh: Any) -> None:
                await fresh.send_message(CustomMessage(custom_type="n", content="note"), trigger_turn=True)
                seen.append(len(fresh.session.get_branch()))

            await ctx.new_session(with_session=go_on)

    async with RuntimeBench(tmp_path, extension, script=["ok"]) as bench:
        await bench.say("/new")
        roles = [message.role for message in bench.runtime.session.messages]
        assert (["custom", "assistant"], True) == (roles, seen[0] >= 2)


async def test_memory_stays_memory(tmp_path: Path) -> None:
    """A session in memory is followed by one in memory."""
    async with RuntimeBench(tmp_path, store=memory_session(str(tmp_path))) as bench:
        await bench.runtime.new_session()
        assert None is bench.runtime.session.parts.store.session_file
