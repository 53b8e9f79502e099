"""Harness and session for tests that are plain functions, and the same objects in async ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookspecs import TurnStart
from pi_core.api import Block, ExtensionAPI, ToolCall
from pi_core.testing import Harness, PlainHarness, PlainSession, RecordingUI, ScriptedSession

RUN = {"tool": "bash", "arguments": {"command": "echo hello"}}


def gate(pi: ExtensionAPI) -> None:
    """Asks before every tool, and counts the minutes."""

    @pi.on("tool_call")
    async def ask(event: ToolCall, ctx: Any) -> Block | None:
        return None if await ctx.ui.confirm("Run?", event.tool_name) else Block("refused")

    @pi.tool
    def double(n: int) -> str:
        """Double a number."""
        return str(2 * n)

    pi.register_command("minutes", lambda args, ctx: len(minutes))
    minutes: list[int] = []
    pi.every(60, lambda: minutes.append(1))


@pytest.fixture
def pi() -> Iterator[PlainHarness]:
    plain = PlainHarness(Harness(gate, strict=True))
    yield plain
    plain.close()


def test_everything_works_without_await(pi: PlainHarness) -> None:
    """One loop goes on from call to call, background work included."""
    assert "refused" == pi.emit(ToolCall(tool_name="bash", tool_call_id="1", input={})).reason
    assert "4" == pi.call_tool("double", n=2).content
    pi.advance(121)
    assert 2 == pi.run_command("minutes")
    assert (["double"], ["minutes"]) == (pi.tools, pi.commands)
    assert ["handler-ui-unavailable"] == [finding.code for finding in pi.diagnostics]
    assert {"tool_call"} == {handler.event for handler in pi.extension.handlers}
    assert "off" == pi.host.thinking_level


def test_a_strict_harness_tells_at_the_end() -> None:
    """What failed in the background of the test fails the test."""

    def broken(pi: ExtensionAPI) -> None:
        pi.on("turn_start", lambda event, ctx: event.turn_index / 0)

    plain = PlainHarness(Harness(broken, strict=True))
    plain.emit(TurnStart(turn_index=1, timestamp=0))
    with pytest.raises(AssertionError, match="division by zero"):
        plain.close()


def test_what_was_never_used_ends_at_once() -> None:
    """Nothing is loaded before it is asked for."""
    PlainHarness(Harness(lambda pi: 1 / 0, strict=True)).close()


async def test_in_an_async_test_it_is_entered() -> None:
    """`async with` gives the harness itself; a plain call says so."""
    plain = PlainHarness(Harness(gate))
    with pytest.raises(RuntimeError, match="async with"):
        plain.emit(TurnStart(turn_index=0, timestamp=0))
    async with plain as pi:
        assert ["double"] == pi.tools


def session(folder: Path, *extensions: Any, **options: Any) -> PlainSession:
    return PlainSession(ScriptedSession(*extensions, folder=folder, **options))


@pytest.mark.parametrize(("answers", "shown"), [([True], "hello"), ([False], "refused")])
def test_a_scripted_model_in_five_lines(tmp_path: Path, answers: list[bool], shown: str) -> None:
    """The tool really runs, or the extension really keeps it from running."""
    pi = session(tmp_path, gate, script=[RUN, "done"], ui=RecordingUI(confirm=answers))
    pi.prompt("say hello")
    assert (["done"], shown) == (pi.texts, pi.results[0].content[0].text.strip())
    assert "tool_execution_end" in [event.type for event in pi.events]
    assert [] == pi.diagnostics
    pi.close()


def test_without_a_script_the_model_follows_its_rules(tmp_path: Path) -> None:
    """Also with a tool of the extension."""
    pi = session(tmp_path, gate, ui=RecordingUI(confirm=[True]))
    pi.prompt('double: {"n": 21}')
    assert "42" == pi.results[0].content[0].text
    assert "message_end" in [event.type for event in pi.events]
    pi.close()


async def test_a_session_is_entered_in_an_async_test(tmp_path: Path) -> None:
    """It works in a project of its own below the folder."""
    async with session(tmp_path, script=["one"]) as pi:
        await pi.prompt("x")
        assert (["one"], tmp_path / "project") == (pi.texts, Path(pi.session.parts.cwd))


def test_a_mistake_in_a_script_is_told_at_once(tmp_path: Path) -> None:
    """It names the turn."""
    with pytest.raises(Exception, match="turn 2"):
        session(tmp_path, script=["one", {"tol": "bash"}]).prompt("x")


def test_keys_of_providers_are_not_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the environment does not make a test talk to a provider."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    pi = session(tmp_path, script=["scripted"])
    pi.prompt("x")
    assert ["scripted"] == pi.texts
    pi.close()
