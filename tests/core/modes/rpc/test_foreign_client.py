"""A client that others wrote for the TypeScript pi, unmodified, with our command in the place of theirs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pi_agent import AsyncPiClient, PiClient
from pi_agent.errors import PiCommandError, PiRunError

from pi_core.version import VERSION
from tests.support.agent_cli import COMMAND, AgentCli

EXTENSION = """
    def extension(pi):
        @pi.command("ask", description="asks everything")
        async def ask(args, ctx):
            answers = [
                await ctx.ui.confirm("sure?", "really"),
                await ctx.ui.select("which?", ["a", "b"]),
                await ctx.ui.input("name?", "nobody"),
                await ctx.ui.editor("text?", "before"),
            ]
            ctx.ui.notify(repr(answers))

        @pi.tool
        async def guarded(ctx) -> str:
            "Asks before it answers."
            return "allowed" if await ctx.ui.confirm("may it?") else "refused"
    """


def options(pi: AgentCli, **more: Any) -> dict[str, Any]:
    return {"executable": COMMAND, "cwd": pi.project, "env": pi.environ(), "inherit_env": False, **more}


@pytest.fixture
async def client(pi: AgentCli) -> AsyncIterator[AsyncPiClient]:
    """Started without the switch for versions that the client does not know."""
    pi.user_extension(EXTENSION)
    async with AsyncPiClient(**options(pi)) as running:
        yield running


async def test_it_starts_as_with_the_pi_that_it_knows(client: AsyncPiClient) -> None:
    """The version is one that it accepts, and the state is as it wants it."""
    assert VERSION == client.pi_version
    assert client.running
    state = await client.get_state()
    assert client.session.session_id == state["sessionId"]


async def test_a_run_with_a_tool(client: AsyncPiClient) -> None:
    """The text, the messages and the tokens of a whole run."""
    result = await client.run("run: echo hello", timeout=30)
    assert ("bash answered:\nhello", "stop") == (result.text, result.stop_reason)
    assert ["user", "assistant", "toolResult", "assistant"] == [m["role"] for m in result.messages]
    assert result.usage is not None
    assert (result.usage.total_tokens or 0) > 0


async def test_a_stream_of_its_events(client: AsyncPiClient) -> None:
    """What is said arrives piece by piece, and the pieces are the text."""
    text = ""
    async with client.stream("hello", timeout=30) as stream:
        async for event in stream:
            text += event.text_delta or ""
        assert (await stream.result()).text == text


async def test_an_abort_and_a_queue(client: AsyncPiClient) -> None:
    """What waits is given back, the run ends as aborted, and the next one works."""
    async with client.stream("run: sleep 30", timeout=30) as stream:
        async for event in stream:
            if event.type == "tool_execution_start":
                await client.steer("in between")
                await client.follow_up("behind")
                cleared = await client.clear_queue()
                assert (["in between"], ["behind"]) == (cleared["steering"], cleared["followUp"])
                await client.abort()
        with pytest.raises(PiRunError, match="aborted"):
            await stream.result()
    assert "hello" in (await client.run("run: echo hello", timeout=30)).text


async def test_breaking_off_a_stream_aborts_the_run(client: AsyncPiClient) -> None:
    """Leaving the block is enough: the session is idle afterwards."""
    async with client.stream("run: sleep 30", timeout=30) as stream:
        async for event in stream:
            if event.type == "tool_execution_start":
                break
    state = await client.get_state()
    assert (False, 0) == (state["isStreaming"], state["pendingMessageCount"])


async def test_sessions(client: AsyncPiClient, tmp_path: Path) -> None:
    """New, named, forked, cloned, switched, exported, and read in every form."""
    await client.run("first", timeout=30)
    await client.set_session_name("one")
    first = await client.get_state()
    assert "one" == first["sessionName"]
    (message,) = await client.get_fork_messages()
    assert not (await client.new_session(parent_session=first["sessionFile"]))["cancelled"]
    assert 0 == (await client.get_state())["messageCount"]
    assert not (await client.switch_session(first["sessionFile"]))["cancelled"]
    assert first["sessionId"] == (await client.get_state())["sessionId"]
    assert "first" == (await client.fork(message["entryId"]))["text"]
    await client.switch_session(first["sessionFile"])
    assert not (await client.clone())["cancelled"]
    entries = await client.get_entries()
    tree = await client.get_tree()
    assert entries["leafId"] == tree["leafId"]
    assert 2 == len(await client.get_messages())
    assert 2 == (await client.get_session_stats())["totalMessages"]
    page = (await client.export_html(output_path=str(tmp_path / "page.html")))["path"]
    assert "first" in Path(page).read_text(encoding="utf-8")


async def test_models_and_queues(client: AsyncPiClient) -> None:
    """Every model has the fields that the client names; what cannot be is an error of the command."""
    models = await client.get_available_models()
    chosen = await client.set_model(models[0]["provider"], models[0]["id"])
    assert {"id", "name", "api", "provider", "baseUrl", "reasoning", "input", "cost", "contextWindow"} <= set(
        chosen
    )
    levels = await client.get_available_thinking_levels()
    await client.set_thinking_level(levels[0])
    await client.cycle_model()
    await client.cycle_thinking_level()
    await client.set_steering_mode("all")
    await client.set_follow_up_mode("one-at-a-time")
    await client.set_auto_compaction(enabled=False)
    await client.set_auto_retry(enabled=False)
    await client.abort_retry()
    no_model, no_summary = client.set_model("no", "body"), client.compact()
    for refused, why in ((no_model, "Model not found: no/body"), (no_summary, "session too small")):
        with pytest.raises(PiCommandError) as failed:
            await refused
        assert why in failed.value.error


async def test_a_command_of_the_person(client: AsyncPiClient) -> None:
    """The result, and the output as it came."""
    async with client.events() as events:
        result = await client.bash("echo out; exit 3")
        async for event in events:
            if event.type == "bash_execution_update":
                break
    assert ("out\n", 3, False) == (result["output"], result["exitCode"], result["cancelled"])
    running = asyncio.ensure_future(client.bash("sleep 30"))
    while not running.done():
        await client.abort_bash()
        await asyncio.sleep(0)
    assert (await running)["cancelled"]


async def test_what_can_be_typed(client: AsyncPiClient) -> None:
    """Commands have their source as the client describes it."""
    (ask,) = await client.get_commands()
    assert ("ask", "extension", "asks everything") == (ask["name"], ask["source"], ask["description"])
    assert {"path", "source", "scope", "origin"} <= set(ask["sourceInfo"])


async def test_dialogs(pi: AgentCli) -> None:
    """Its handler is asked, its answers reach the extension, and a refusal reaches the tool."""
    pi.user_extension(EXTENSION)
    asked: list[dict[str, Any]] = []

    async def person(request: Any) -> str | bool | None:
        asked.append(request)
        answers: dict[str, str | bool] = {"confirm": True, "select": "b", "input": "me"}
        return answers.get(request["method"])

    async with AsyncPiClient(**options(pi, ui_handler=person)) as client:
        assert "allowed" in (await client.run("guarded: {}", timeout=30)).text
        await client.prompt("/ask")
        assert "[True, 'b', 'me', None]" == asked[-1]["message"]
    async with AsyncPiClient(**options(pi)) as client:
        assert "refused" in (await client.run("guarded: {}", timeout=30)).text


def test_its_blocking_face(pi: AgentCli) -> None:
    """A session that was kept is gone on with."""
    with PiClient(**options(pi)) as client:
        assert "hello" in client.run("run: echo hello", timeout=30).text
    with PiClient(**options(pi, continue_session=True)) as client:
        assert 4 == len(client.get_messages())
        assert "again" in client.run("run: echo again", timeout=30).text


async def test_a_long_reply(pi: AgentCli) -> None:
    """Text of a megabyte with every odd separator comes as it was sent."""
    said = "x\u2028\u2029\x85\r" * 200_000
    script = pi.write("script.json", json.dumps([said]))
    environ = pi.environ({"PI_SCRIPT": str(script)})
    async with AsyncPiClient(**{**options(pi), "env": environ}) as client:
        assert said == (await client.run("go", timeout=60)).text
