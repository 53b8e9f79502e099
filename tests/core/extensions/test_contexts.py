"""Contexts read through to the session; facts outlive it, wishes do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookspecs import Replaced, TurnStart
from hookspecs.ui import UIUnavailable
from pi_core.api import ExtensionAPI
from pi_core.extensions.errors import ExtensionNotReadyError, StaleContextError
from pi_core.testing import Harness, RecordingUI
from tests.core.extensions.support import running

QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "model": lambda ctx: ctx.model,
    "signal": lambda ctx: ctx.signal,
    "session": lambda ctx: ctx.session,
    "models": lambda ctx: ctx.models,
    "thinking_level": lambda ctx: ctx.thinking_level,
    "is_idle": lambda ctx: ctx.is_idle(),
    "is_project_trusted": lambda ctx: ctx.is_project_trusted(),
    "has_pending_messages": lambda ctx: ctx.has_pending_messages(),
    "get_context_usage": lambda ctx: ctx.get_context_usage(),
    "get_system_prompt": lambda ctx: ctx.get_system_prompt(),
    "abort": lambda ctx: ctx.abort(),
    "shutdown": lambda ctx: ctx.shutdown(),
    "compact": lambda ctx: ctx.compact("short"),
    "ui.set_status": lambda ctx: ctx.ui.set_status("k", "v"),
    "ui.confirm": lambda ctx: ctx.ui.confirm("t"),
    "ui.theme": lambda ctx: ctx.ui.theme,
}
COMMANDS: dict[str, Callable[[Any], Any]] = {
    "get_system_prompt_options": lambda ctx: ctx.get_system_prompt_options(),
    "wait_for_idle": lambda ctx: ctx.wait_for_idle(),
    "new_session": lambda ctx: ctx.new_session(),
    "fork": lambda ctx: ctx.fork("1"),
    "navigate_tree": lambda ctx: ctx.navigate_tree("1"),
    "switch_session": lambda ctx: ctx.switch_session("f"),
    "reload": lambda ctx: ctx.reload(),
}


async def ask(question: Callable[[Any], Any], ctx: Any) -> Any:
    answer = question(ctx)
    return await answer if hasattr(answer, "__await__") else answer


@pytest.mark.parametrize("name", QUESTIONS)
async def test_a_stale_context_raises(name: str) -> None:
    """L19: every question and wish raises once the session is gone."""
    async with Harness() as harness:
        ctx = harness.runner.context()
        harness.runner.invalidate("gone")
        with pytest.raises(StaleContextError, match="gone"):
            await ask(QUESTIONS[name], ctx)


@pytest.mark.parametrize("name", COMMANDS)
async def test_a_stale_command_context_raises(name: str) -> None:
    """L19: the same for what only commands can do."""
    async with Harness() as harness:
        ctx = harness.runner.command_context()
        harness.runner.invalidate("gone")
        with pytest.raises(StaleContextError, match="gone"):
            await ask(COMMANDS[name], ctx)


async def test_facts_outlive_the_session() -> None:
    """cwd, mode, has_ui and ui.notify keep working, so that error paths do not trip over them."""
    ui = RecordingUI()
    async with Harness(ui=ui, cwd="/") as harness:
        ctx = harness.runner.context()
        harness.runner.invalidate()
        ctx.ui.notify("still here")
        assert ("/", "tui", True, True) == (ctx.cwd, ctx.mode, ctx.has_ui, ctx.ui.can("notify"))
        assert ["still here"] == ui.notices


async def test_a_context_is_live() -> None:
    """A kept context shows what is now, not what was when it was made."""
    async with Harness(bind=False) as harness:
        ctx = harness.runner.context()
        harness.bind()
        harness.host.idle = False
        harness.host.system_prompt = "be brief"
        harness.host.thinking_level = "high"
        assert (False, "be brief", "high") == (ctx.is_idle(), ctx.get_system_prompt(), ctx.thinking_level)


async def test_one_context_serves_a_dispatch() -> None:
    """All handlers of one dispatch are handed the same context; the next one gets another."""
    seen: list[Any] = []

    def factory(pi: Any) -> None:
        pi.on("turn_start", lambda event, ctx: seen.append(ctx))
        pi.on("turn_start", lambda event, ctx: seen.append(ctx))

    runner = await running(factory)
    for _ in range(2):
        await runner.emit(TurnStart(turn_index=0, timestamp=0))
    assert [True, False] == [seen[0] is seen[1], seen[1] is seen[2]]


async def test_before_a_host_is_bound_answers_are_modest() -> None:
    """Questions have an answer that promises nothing, wishes do nothing."""
    async with Harness(bind=False) as harness:
        ctx = harness.runner.command_context()
        ctx.abort()
        ctx.shutdown()
        assert (True, False, False, None, "", None, None) == (
            ctx.is_idle(), ctx.is_project_trusted(), ctx.has_pending_messages(), ctx.get_context_usage(),
            ctx.get_system_prompt(), ctx.model, ctx.signal,
        )  # fmt: skip
        assert Replaced() == await ctx.new_session()
        assert [] == harness.host.asked


@pytest.mark.parametrize("name", ["session", "models", "thinking_level"])
async def test_before_a_host_is_bound_there_is_no_session(name: str) -> None:
    """L23: what only a session has raises until there is one."""
    async with Harness(bind=False) as harness:
        with pytest.raises(ExtensionNotReadyError):
            QUESTIONS[name](harness.runner.context())


async def test_an_early_compaction_fails_into_its_callback() -> None:
    """Who asks for a compaction before there is a session hears of it where he wanted to."""
    heard: list[BaseException] = []
    async with Harness(bind=False) as harness:
        harness.runner.context().compact(on_error=heard.append)
    assert [ExtensionNotReadyError] == [type(error) for error in heard]


@pytest.mark.parametrize("name", COMMANDS)
async def test_commands_reach_the_host(name: str) -> None:
    """Every wish of a command is the host's to carry out."""
    async with Harness() as harness:
        await ask(COMMANDS[name], harness.runner.command_context())
        assert name == "get_system_prompt_options" or [name] == [wish[0] for wish in harness.host.asked]


async def test_a_tool_can_run_another() -> None:
    """A tool's context runs other tools as children of its own call."""

    def factory(pi: ExtensionAPI) -> None:
        @pi.tool
        async def outer(ctx: Any) -> Any:
            """Run inner."""
            return await ctx.execute_tool("inner", {"text": "hi"})

        @pi.tool
        def inner(text: str) -> str:
            """Answer."""
            return text + "!"

    async with Harness(factory) as harness:
        assert "hi!" == (await harness.call_tool("outer")).content
        assert ("execute_tool", "inner", {"text": "hi"}, "call-outer") in harness.host.asked


async def test_messages_of_a_new_session_can_be_waited_for() -> None:
    """The context of `with_session` sends and waits."""
    from hookspecs import CustomMessage

    async with Harness() as harness:
        ctx = harness.runner.replaced_context()
        await ctx.send_message(CustomMessage(custom_type="x"))
        await ctx.send_user_message("go on")
        assert ["go on"] == harness.host.prompts
        assert ["x"] == [message.custom_type for message in harness.host.sent]


@pytest.mark.parametrize("method", ["select", "confirm", "input", "editor", "custom"])
async def test_without_a_person_dialogs_say_no(method: str) -> None:
    """Y08: confirm answers False, the others None; with strict=True they raise."""
    arguments: dict[str, tuple[Any, ...]] = {"select": ("t", ["a"]), "custom": (print,)}
    async with Harness() as harness:
        ask_person = getattr(harness.runner.context().ui, method)
        given = arguments.get(method, ("t",))
        assert (False if method == "confirm" else None) is await ask_person(*given)
        with pytest.raises(UIUnavailable):
            await ask_person(*given, strict=True)


async def test_without_a_person_themes_cannot_be_set() -> None:
    """Y09: the answer says why."""
    async with Harness() as harness:
        answer = harness.runner.context().ui.set_theme("dark")
        assert {"success": False, "error": "UI not available"} == answer


async def test_a_dialog_that_nobody_can_answer_is_told_once() -> None:
    """UI 144: with the extension that asks, in a handler and a command; not where it asked strictly."""

    def extension(pi: Any) -> None:
        async def ask(event: Any, ctx: Any) -> None:
            await ctx.ui.confirm("sure?")

        async def strict(args: str, ctx: Any) -> None:
            with pytest.raises(UIUnavailable):
                await ctx.ui.select("which?", [], strict=True)

        async def custom(args: str, ctx: Any) -> None:
            await ctx.ui.custom(print)

        pi.on("turn_start", ask)
        pi.register_command("strict", strict)
        pi.register_command("custom", custom)

    async with Harness(extension) as pi:
        for _ in range(2):
            await pi.emit(TurnStart(turn_index=0, timestamp=0))
        await pi.run_command("strict")
        await pi.run_command("custom")
        told = [(finding.stage, finding.message.partition(": ")[2][:10]) for finding in pi.diagnostics]
    assert [("turn_start", "ui.confirm"), ("ui", "ui.custom ")] == told
