"""Reports from the field about events: order, chains, decisions, and events that were missing.

A number is that of the report; what is right for us stands in each sentence.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import json
import signal
import subprocess
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hookspecs.events import EVENTS, event_class
from pi_core.api import (
    AssistantMessage,
    Block,
    Done,
    ExtensionAPI,
    ProviderConfig,
    ResultPatch,
    SessionBeforeCompact,
    TextContent,
    ToolCall,
    ToolDefinition,
    ToolResult,
    ToolResultEvent,
    UserMessage,
    hookimpl,
)
from pi_core.embedding import create_session
from pi_core.history.sessions import memory_session
from pi_core.testing import Harness, RecordingUI
from tests.support.agent_cli import AgentCli, agent_cli
from tests.support.session_bench import SessionBench, call, text_of

ECHO = call("bash", command="echo hi")


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    return agent_cli(tmp_path)


def made(event: str) -> Any:
    """An event with whatever its fields need at least."""
    cls = event_class(event)
    fields: dict[str, Any] = {
        "input": {}, "headers": {}, "messages": [], "message": UserMessage(content=""), "content": [],
    }  # fmt: skip
    needed = [
        field.name
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    return cls(**{name: fields.get(name, "") for name in needed})


async def test_evt_113_a_start_handler_reaches_the_person(tmp_path: Path) -> None:
    """EVT 113: the UI is there before session_start is told."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_start")
        async def start(event: Any, ctx: Any) -> None:
            ctx.ui.notify("hello")
            ctx.ui.set_status("ext", "ready" if await ctx.ui.confirm("Go?") else "no")

    ui = RecordingUI(confirm=[True])
    opening = create_session(
        cwd=tmp_path, agent_dir=tmp_path / "agent", environ={}, extensions=[extension],
        session_store=memory_session(str(tmp_path)),
    )  # fmt: skip
    session = await opening
    await session.bind(mode="tui", ui=ui)
    await session.dispose()
    assert (["hello"], {"ext": "ready"}) == (ui.notices, ui.statuses)


async def test_evt_114_every_rewrite_of_a_result_survives() -> None:
    """EVT 114: each handler sees what the one before made of it; None leaves it alone."""

    def appending(letter: str | None) -> Any:
        def extension(pi: ExtensionAPI) -> None:
            @pi.on("tool_result")
            def rewrite(event: ToolResultEvent, ctx: Any) -> ResultPatch | None:
                if letter is None:
                    return None
                return ResultPatch(content=f"{text_of(event.content)}{letter}")

        return extension

    async with Harness(appending("A"), appending(None), appending("B"), strict=True) as pi:
        result = ToolResultEvent(tool_name="t", tool_call_id="1", input={}, content=[], is_error=False)
        patched = await pi.emit(result)
    assert "AB" == text_of(patched.content)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_evt_115_an_empty_answer_erases_nothing(order: tuple[int, int]) -> None:
    """EVT 115: of a compaction and an empty answer the compaction counts, in either order."""
    given = {"summary": "S", "firstKeptEntryId": "e", "tokensBefore": 3}
    answers: list[Any] = [{"compaction": given}, {}]

    def answering(answer: Any) -> Any:
        def extension(pi: ExtensionAPI) -> None:
            pi.on("session_before_compact", lambda event, ctx: answer)

        return extension

    async with Harness(*(answering(answers[number]) for number in order), strict=True) as pi:
        event: SessionBeforeCompact = made("session_before_compact")
        assert "S" == (await pi.emit(event)).compaction.summary


async def test_evt_116_an_observer_sees_what_the_model_gets(tmp_path: Path) -> None:
    """EVT 116: a wrapper around the whole chain reads the end of it, whoever changes it inside."""
    seen: list[Any] = []
    sent: list[Any] = []

    class Around:
        def __init__(self, log: list[Any]) -> None:
            self.log = log

        @hookimpl(wrapper=True, tryfirst=True)
        def pi_before_provider_request(self, event: Any, ctx: Any) -> Any:
            self.log.append((yield))

    def changing(pi: ExtensionAPI) -> None:
        pi.on("before_provider_request", lambda event, ctx: {**event.payload, "late": True}, last=True)

    async def stream(model: Any, context: Any, options: Any) -> AsyncIterator[Any]:
        sent.append(await options.hooks.before_payload({"model": model.id}))
        yield Done(message=AssistantMessage(content=[TextContent(text="ok")], stop_reason="stop"))

    def provider(pi: ExtensionAPI) -> None:
        config = ProviderConfig(
            api="own", base_url="http://x", api_key="k", models=[{"id": "m"}], stream=stream
        )
        pi.register_provider("own", config)

        @pi.command("choose")
        async def choose(args: str, ctx: Any) -> None:
            assert await pi.set_model(ctx.models.find("own", "m"))

    observer: Any = Around(seen)
    await SessionBench(tmp_path, [], observer, changing, provider).run("/choose", "go")
    assert [{"model": "m", "late": True}] == sent == seen


async def test_evt_117_a_segment_is_appended_without_replacing(tmp_path: Path) -> None:
    """EVT 117: an edit of the options adds to the prompt, an answer replaces it; they are two things."""
    prompts: list[str] = []

    def appending(pi: ExtensionAPI) -> None:
        @pi.on("before_agent_start")
        def append(event: Any, ctx: Any) -> None:
            event.system_prompt_options.append_system_prompt = "AND THIS"

    def keeping(pi: ExtensionAPI) -> None:
        pi.on("before_provider_request", lambda event, ctx: prompts.append(event.payload["system"]))

    await SessionBench(tmp_path, ["ok"], keeping).run("go")
    await SessionBench(tmp_path, ["ok"], appending, keeping).run("go")
    base, appended = prompts
    assert "AND THIS" not in base
    assert "AND THIS" in appended
    assert appended.startswith(base[:40])


OUTCOMES = {
    "good": (ECHO, False),
    "raises": (call("fails"), True),
    "blocked": (call("blocked"), True),
    "unknown": (call("nope"), True),
    "invalid": (call("bash", command={}), True),
    "aborted": (call("aborts"), True),
}


def outcomes(pi: ExtensionAPI) -> None:
    @pi.tool
    def fails() -> str:
        raise ValueError("no")

    @pi.tool
    def blocked() -> str:
        return "never"

    @pi.tool
    async def aborts(ctx: Any, signal: Any) -> str:
        ctx.abort()
        await signal.wait()
        raise ValueError("Command aborted")

    pi.on("tool_call", lambda event, ctx: Block("no") if event.tool_name == "blocked" else None)


@pytest.mark.parametrize("kind", OUTCOMES)
async def test_evt_119_each_call_has_one_end(tmp_path: Path, kind: str) -> None:
    """EVT 119: however a call ends, one event tells it with the right error mark, and one message has it."""
    turn, is_error = OUTCOMES[kind]
    bench = await SessionBench(tmp_path, [turn, "done"], outcomes).run("go")
    ends = [event["isError"] for event in bench.heard if event["type"] == "tool_execution_end"]
    results = [r["message"] for r in bench.of_type("message_end") if r["message"]["role"] == "toolResult"]
    assert ([is_error], [is_error]) == (ends, [result["isError"] for result in results])


@pytest.mark.parametrize("tool", ["theirs", "read", "embedded"])
async def test_evt_120_every_tool_passes_the_gate(tmp_path: Path, tool: str) -> None:
    """EVT 120: another extension's tool, a built-in one and an embedder's are refused alike."""
    ran: list[str] = []

    async def execute(*given: Any) -> ToolResult:
        ran.append("embedded")
        return ToolResult(content="ran")

    def bringing(pi: ExtensionAPI) -> None:
        @pi.tool
        def theirs() -> None:
            ran.append("theirs")

    def blocker(pi: ExtensionAPI) -> None:
        pi.on("tool_call", lambda event, ctx: Block("not today"))

    own = ToolDefinition(name="embedded", description="", parameters={"type": "object"}, execute=execute)
    script = [call(tool, **({"path": "x"} if tool == "read" else {})), "done"]
    bench = await SessionBench(tmp_path, script, bringing, blocker, custom_tools=[own]).run("go")
    assert ([], ["not today"]) == (ran, bench.said("toolResult"))


async def test_evt_121_a_tool_counts_from_the_next_request(tmp_path: Path) -> None:
    """EVT 121: one registered at the start, one by a command; no reload is needed."""
    offered: list[list[str]] = []

    def extension(pi: ExtensionAPI) -> None:
        def add(name: str) -> None:
            pi.tool(name=name)(lambda: "x")

        pi.on("session_start", lambda event, ctx: add("early"))
        pi.command("more")(lambda args, ctx: add("late"))

        @pi.on("before_provider_request")
        def keep(event: Any, ctx: Any) -> None:
            offered.append([tool["name"] for tool in event.payload["tools"]])

    await SessionBench(tmp_path, ["1", "2"], extension).run("a", "/more", "b")
    assert [(True, False), (True, True)] == [("early" in names, "late" in names) for names in offered]


@pytest.mark.parametrize(
    ("deliver_as", "expected"), [("steer", ["go", "more"]), ("follow_up", ["go", "more"]), (None, ["go"])]
)
async def test_evt_123_delivery_during_a_run(tmp_path: Path, deliver_as: Any, expected: list[str]) -> None:
    """EVT 123: from a tool, every mode of delivery is heeded; without one it is told, never raised."""
    raised: list[BaseException] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool
        def sends() -> str:
            try:
                pi.send_user_message("more", deliver_as=deliver_as)
            except Exception as error:  # noqa: BLE001 - the test is that there is none
                raised.append(error)
            return "sent"

    bench = await SessionBench(tmp_path, [call("sends"), "1", "2"], extension).run("go")
    assert ([], expected) == (raised, bench.said("user"))
    assert (deliver_as is None) is bool(bench.errors())


async def test_evt_126_a_lone_extension_hears_the_start(tmp_path: Path) -> None:
    """EVT 126: binding tells start, then resources, once, before the first prompt; nothing else is needed."""
    heard: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        for name in ("session_start", "resources_discover", "input"):
            pi.on(name, lambda event, ctx: heard.append(event.event_name), optional=True)

    opening = create_session(
        cwd=tmp_path, agent_dir=tmp_path / "agent", environ={}, extensions=[extension], discover=False,
        session_store=memory_session(str(tmp_path)),
    )  # fmt: skip
    async with opening as session:
        assert ["session_start", "resources_discover"] == heard
        await session.prompt("hello")
    assert ["session_start", "resources_discover", "input"] == heard


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("event", EVENTS)
async def test_evt_130_131_any_handler_may_be_async(event: str, kind: str) -> None:
    """EVT 130, 131: every event takes plain functions and coroutines; nothing is left unawaited."""
    heard: list[str] = []

    def plain(event: Any, ctx: Any) -> None:
        heard.append("sync")

    async def awaited(event: Any, ctx: Any) -> None:
        await asyncio.sleep(0)
        heard.append("async")

    def extension(pi: ExtensionAPI) -> None:
        pi.on(event, plain if kind == "sync" else awaited, optional=True)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        async with Harness(extension) as pi:
            await pi.emit(made(event))
    assert [kind] == heard


@pytest.mark.parametrize("order", list(itertools.permutations((0.0, 0.01, 0.02))))
async def test_evt_133_speed_decides_nothing(order: tuple[float, ...]) -> None:
    """EVT 133: rewrites apply in the order of rank whoever is slow, and a refusal stops whoever follows."""

    def rewriting(number: int, delay_s: float) -> Any:
        def extension(pi: ExtensionAPI) -> None:
            @pi.on("tool_call")
            async def rewrite(event: ToolCall, ctx: Any) -> Block | None:
                await asyncio.sleep(delay_s)
                event.input["seen"] = [*event.input.get("seen", []), number]
                return Block("no") if number == 1 else None

        return extension

    async with Harness(*(rewriting(n, delay_s) for n, delay_s in enumerate(order)), strict=True) as pi:
        call_event = ToolCall(tool_name="bash", tool_call_id="1", input={})
        answer = await pi.emit(call_event)
    assert (True, [0, 1]) == (answer.block, call_event.input["seen"])


PAIR = """
    def extension(pi):
        def note(event, ctx):
            with open("heard", "a") as file:
                file.write(event.event_name + "\\n")
        pi.on("session_start", note)
        pi.on("session_shutdown", note)
"""


RPC = ["--mode", "rpc"]


def saying(mode: list[str], text: str) -> tuple[list[str], str]:
    """How a run is told to say something: by a word, or by a line of its protocol."""
    line = json.dumps({"type": "prompt", "message": text}) + "\n"
    return (mode, line) if mode is RPC else ([*mode, text], "")


@pytest.mark.parametrize("mode", [["-p"], ["--mode", "json"], RPC], ids=["print", "json", "rpc"])
@pytest.mark.parametrize("end", ["ok", "error", "signal"])
def test_evt_134_each_start_has_its_end(pi: AgentCli, mode: list[str], end: str) -> None:
    """EVT 134: in each mode, on an error and on a signal too."""
    pi.user_extension(PAIR)
    match end:
        case "ok":
            words, line = saying(mode, "hello")
            assert 0 == pi.run(*words, stdin=line).code
        case "error":
            script = pi.write("script.json", '[{"error": "no luck"}]')
            words, line = saying(mode, "hello")
            pi.run(*words, stdin=line, env={"PI_SCRIPT": str(script)})
        case _:
            words, line = saying(mode, "run: touch begun; sleep 60")
            with pi.start(*words, stdin=subprocess.PIPE) as process:
                assert process.stdin is not None
                process.stdin.write(line)
                process.stdin.flush()
                if mode is not RPC:
                    process.stdin.close()
                while not (pi.project / "begun").exists():
                    assert process.poll() is None
                process.send_signal(signal.SIGTERM)
                assert 143 == process.wait(timeout=20)
    assert "session_start\nsession_shutdown\n" == (pi.project / "heard").read_text(encoding="utf-8")
