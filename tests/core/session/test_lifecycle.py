"""The life of a session, as extensions hear of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI, Model, ProviderConfig
from pi_core.errors import DisposedError
from pi_core.extensions.errors import StaleContextError
from pi_core.history.sessions import create_session as new_store
from pi_core.session.session import Session
from tests.support.session_bench import SessionBench, call, text_of

ECHO = call("bash", command="echo hi")


async def test_one_prompt_with_one_tool(tmp_path: Path) -> None:
    """Z01: the observed order of events, from session_start to agent_settled."""
    bench = await SessionBench(tmp_path, [ECHO, "done"]).run("go")
    names = [line.split()[0] for line in bench.seen]
    one_request = ["context", "before_provider_headers", "before_provider_request", "after_provider_response"]
    message = ["message_start", "message_end"]
    assert [
        "session_start", "resources_discover", "input", "before_agent_start", "agent_start",
        "turn_start", *message, *one_request, *message,
        "tool_execution_start", "tool_call", "tool_execution_update", "tool_result", "tool_execution_end",
        *message, "turn_end",
        "turn_start", *one_request, *message, "turn_end",
        "agent_end", "agent_settled", "session_shutdown",
    ] == names  # fmt: skip


async def test_extensions_hear_before_listeners_and_before_the_history(tmp_path: Path) -> None:
    """A handler of message_end finds neither a record nor an entry of its message yet."""
    found: list[tuple[int, int]] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("message_end")
        def look(event: Any, ctx: Any) -> None:
            messages = [entry for entry in ctx.session.get_entries() if entry.type == "message"]
            found.append((len(bench.of_type("message_end")), len(messages)))

    bench = SessionBench(tmp_path, ["ok"], extension)
    await bench.run("go")
    assert [(0, 0), (1, 1)] == found


@pytest.mark.parametrize(
    ("answer", "expected"),
    [({"role": "assistant", "content": [{"type": "text", "text": "REPL"}]}, "REPL"), (None, "ok")],
    ids=["41", "no opinion"],
)
async def test_a_replaced_message_is_replaced_everywhere(tmp_path: Path, answer: Any, expected: str) -> None:
    """41, M06: stream, turn, run and history show what a handler of message_end made of it."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("message_end")
        def replace(event: Any, ctx: Any) -> Any:
            return {"message": answer} if answer and event.message.role == "assistant" else None

    bench = await SessionBench(tmp_path, ["ok"], extension).run("go")
    entry: Any = bench.store.get_entries()[-1]
    places = [
        bench.of_type("message_end")[-1]["message"], bench.of_type("turn_end")[-1]["message"],
        bench.of_type("agent_end")[-1]["messages"][-1],
    ]  # fmt: skip
    assert [expected] * 4 == [*(text_of(place["content"]) for place in places), entry.message.content[0].text]


async def test_a_message_of_another_role_is_refused(tmp_path: Path) -> None:
    """41, M02: the replacement is reported and left out."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("message_end", lambda event, ctx: {"message": {"role": "custom", "customType": "x"}})

    bench = await SessionBench(tmp_path, ["ok"], extension).run("go")
    assert (["ok"], "message_end") == (bench.said("assistant"), bench.errors()[0][0])


async def test_a_context_handler_reaches_the_request_only(tmp_path: Path) -> None:
    """43: the request has what the handler added, once a request; conversation and history do not."""
    sizes: list[int] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("context")
        def add(event: Any, ctx: Any) -> Any:
            return {"messages": [*event.messages, {"role": "user", "content": "extra"}]}

        pi.on("before_provider_request", lambda event, ctx: sizes.append(len(event.payload["messages"])))

    bench = await SessionBench(tmp_path, [ECHO, "done"], extension).run("go")
    assert ([2, 4], ["go"]) == (sizes, bench.said("user"))


async def test_a_follow_up_from_the_end_of_a_run(tmp_path: Path) -> None:
    """Z03, EVT 122: a second run follows in the same activity, and one settling ends both."""

    def extension(pi: ExtensionAPI) -> None:
        left = ["once"]

        @pi.on("agent_end")
        def more(event: Any, ctx: Any) -> None:
            if left:
                pi.send_user_message(left.pop(), deliver_as="follow_up")

    bench = await SessionBench(tmp_path, ["1", "2"], extension).run("go")
    names = [line.split()[0] for line in bench.seen]
    assert ["agent_start", "agent_end", "agent_start", "agent_end", "agent_settled"] == [
        name for name in names if name.startswith("agent_")
    ]


async def test_a_failure_at_the_start_leaves_a_usable_session(tmp_path: Path) -> None:
    """Z10: both failures are told and the prompt is answered."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_start")
        def ss(event: Any, ctx: Any) -> None:
            raise ValueError("ss")

        @pi.on("resources_discover")
        def rd(event: Any, ctx: Any) -> None:
            raise ValueError("rd")

    bench = await SessionBench(tmp_path, ["ok"], extension).run("go")
    assert ([("session_start", "ss"), ("resources_discover", "rd")], ["ok"]) == (
        bench.errors(), bench.said("assistant"),
    )  # fmt: skip


async def test_when_there_is_a_signal(tmp_path: Path) -> None:
    """Z08, A12: none at the start, before a run and when settled, one while a run is on."""
    found: dict[str, bool] = {}

    def extension(pi: ExtensionAPI) -> None:
        for name in ("session_start", "before_agent_start", "turn_end", "agent_settled"):
            pi.on(
                name,
                lambda event, ctx: found.update({event.event_name: ctx.signal is not None}),
                optional=True,
            )

    await SessionBench(tmp_path, ["ok"], extension).run("go")
    assert {
        "session_start": False, "before_agent_start": False, "turn_end": True, "agent_settled": False,
    } == found  # fmt: skip


async def test_naming_the_session(tmp_path: Path) -> None:
    """Z07: line breaks become blanks, an empty name clears it, and everybody hears of both."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("name")
        async def name(args: str, ctx: Any) -> None:
            pi.set_session_name("  My\nName ")
            pi.set_session_name("")

    bench = await SessionBench(tmp_path, [], extension).run("/name")
    told = [event.get("name") for event in bench.heard if event["type"] == "session_info_changed"]
    assert ["My Name", None] == told
    assert [
        {"type": "session_info_changed", "name": "My Name"},
        {"type": "session_info_changed"},
    ] == bench.records


async def test_choosing_model_and_thinking_level(tmp_path: Path) -> None:
    """Z05: only real changes are told; a level that the new model lacks changes before the model does."""
    m1, m2 = (Model(id=name, provider="p", api="scripted", reasoning=name == "m1") for name in ("m1", "m2"))

    def extension(pi: ExtensionAPI) -> None:
        models: list[dict[str, Any]] = [{"id": "m1", "reasoning": True}, {"id": "m2"}]
        config = ProviderConfig(api="scripted", base_url="http://x", api_key="k", models=models)
        pi.register_provider("p", config)

        @pi.command("choose")
        async def choose(args: str, ctx: Any) -> None:
            for model in (m1, m2, m2):
                assert await pi.set_model(model)
                pi.set_thinking_level("high")
                await asyncio.sleep(0)

    bench = await SessionBench(tmp_path, ["ok"], extension).run("/choose")
    heard = [event for event in bench.heard if event["type"] in ("model_select", "thinking_level_select")]
    assert ["m1", "high", "off", "m2"] == [event.get("level") or event["model"]["id"] for event in heard]


async def test_a_model_without_a_key_is_not_chosen(tmp_path: Path) -> None:
    """Z06: False, and nobody is told."""
    answers: list[bool] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("choose")
        async def choose(args: str, ctx: Any) -> None:
            answers.append(await pi.set_model(Model(id="x", provider="anthropic", api="anthropic-messages")))

    bench = await SessionBench(tmp_path, [], extension).run("/choose")
    assert ([False], False) == (answers, "model_select" in bench.seen)


async def test_after_the_end_everything_is_stale(tmp_path: Path) -> None:
    """L19, Z11: shutdown is told once; contexts and API raise the stale error, plain facts stay."""
    kept: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_start", lambda event, ctx: kept.extend([pi, ctx]))

    bench = await SessionBench(tmp_path, ["ok"], extension).run("go")
    api, ctx = kept
    assert 1 == bench.seen.count("session_shutdown quit")
    with pytest.raises(StaleContextError):
        api.get_active_tools()
    with pytest.raises(StaleContextError):
        ctx.is_idle()
    assert str(tmp_path) == ctx.cwd


async def test_a_session_that_ended_takes_no_prompt(tmp_path: Path) -> None:
    """The error says that the session was shut down; ending twice is nothing."""
    session = await SessionBench(tmp_path, ["ok"]).opening
    await session.dispose()
    await session.dispose()
    with pytest.raises(DisposedError):
        await session.prompt("x")


async def test_details_that_are_no_json_are_stored_as_text(tmp_path: Path) -> None:
    """Any object in a result's details reaches history and stream; the run goes on."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool
        def odd() -> Any:
            return {"content": "ok", "details": {"when": {1}, "n": float("nan")}}

    store = new_store(tmp_path / "talks", str(tmp_path))
    bench = await SessionBench(tmp_path, [call("odd"), "done"], extension, store=store).run("go")
    (path,) = (tmp_path / "talks").glob("*.jsonl")
    assert '"when":"{1}"' in path.read_text(encoding="utf-8")
    assert (["", "done"], []) == (bench.said("assistant"), bench.errors())


async def test_tools_that_change_during_a_run(tmp_path: Path) -> None:
    """83, 84, G09: a tool registered by a tool is in the next request and on the result."""
    offered: list[list[str]] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool
        def loader() -> str:
            @pi.tool
            def lazy() -> str:
                return "x"

            return "ok"

        @pi.on("before_provider_request")
        def keep(event: Any, ctx: Any) -> None:
            offered.append([tool["name"] for tool in event.payload["tools"]])

    bench = await SessionBench(tmp_path, [call("loader"), "done"], extension).run("go")
    assert [False, True] == ["lazy" in names for names in offered]
    (result,) = [r["message"] for r in bench.of_type("message_end") if r["message"]["role"] == "toolResult"]
    assert ["lazy"] == result["addedToolNames"]


async def test_a_tool_that_runs_another_one(tmp_path: Path) -> None:
    """V06: the inner call has the outer one's id and a counter, and passes the same guards."""
    ids: list[tuple[str, str | None]] = []
    outcomes: list[bool] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool
        def inner() -> str:
            return "in"

        @pi.tool
        async def outer(ctx: Any) -> str:
            for name in ("inner", "nope"):
                outcomes.append((await ctx.execute_tool(name, {})).is_error)
            return "out"

        pi.on("tool_call", lambda event, ctx: ids.append((event.tool_call_id, event.parent_tool_call_id)))

    await SessionBench(tmp_path, [{**call("outer"), "id": "O"}, "done"], extension).run("go")
    assert ([("O", None), ("O/1", "O")], [False, True]) == (ids, outcomes)


async def test_idle_is_an_affair_of_the_activity(tmp_path: Path) -> None:
    """agent_end is not the end: the session is idle in agent_settled only."""
    idle: dict[str, bool] = {}

    def extension(pi: ExtensionAPI) -> None:
        def look(event: Any, ctx: Any) -> None:
            idle[event.event_name] = ctx.is_idle()

        for name in ("input", "before_agent_start", "agent_end", "agent_settled"):
            pi.on(name, look, optional=True)

    await SessionBench(tmp_path, ["ok"], extension).run("go")
    assert {"input": True, "before_agent_start": False, "agent_end": False, "agent_settled": True} == idle


async def test_a_conversation_is_resumed(tmp_path: Path) -> None:
    """69: the next session of a file has its messages, and its model is not recorded again."""
    store = new_store(tmp_path / "talks", str(tmp_path))
    await SessionBench(tmp_path, ["1"], store=store).run("a")
    bench = SessionBench(tmp_path, ["2"], store=store)

    async def look(session: Session) -> None:
        assert ["user", "assistant", "user", "assistant"] == [message.role for message in session.messages]

    await bench.run("b", then=look)
    assert 1 == sum(entry.type == "model_change" for entry in store.get_entries())
