"""Cases of the extension system by their ids, as a whole session or the command shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_core.api import AgentStart, CustomMessage, ExtensionAPI, ToolDefinition, ToolResult, TurnStart
from pi_core.resources.loader import ResourceLoader, ResourceRequest
from pi_core.testing import Harness
from pi_pkg import Locations
from tests.core.extensions.support import running, write
from tests.support.agent_cli import agent_cli
from tests.support.runtime_bench import RuntimeBench
from tests.support.session_bench import Factory, SessionBench, call, text_of

ECHO = call("bash", command="echo hi")


async def test_n07_a_listener_of_failures_may_stop_listening() -> None:
    """N07: who unsubscribed after the first failure does not hear the second, the other does."""
    heard: list[int] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("turn_start", lambda event, ctx: 1 / 0)

    runner = await running(extension)
    stop = runner.on_error(lambda finding: heard.append(1))
    runner.on_error(lambda finding: heard.append(2))
    await runner.emit(TurnStart(turn_index=0, timestamp=0))
    stop()
    await runner.emit(TurnStart(turn_index=1, timestamp=0))
    assert [1, 2, 2] == heard


async def test_b14_what_a_fork_restores_is_not_theirs_to_say(tmp_path: Path) -> None:
    """B14: a wish to skip the conversation is kept and has no effect; the fork has all of it."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_before_fork", lambda event, ctx: {"skipConversationRestore": True})

    async with RuntimeBench(tmp_path, extension, script=["1"]) as bench:
        await bench.say("one")
        answer = bench.runtime.session.parts.store.get_leaf_id()
        forked = await bench.runtime.fork(str(answer), position="at")
        assert (False, 2) == (forked.cancelled, len(bench.runtime.session.messages))


async def test_c28_a_failing_observer_of_updates(tmp_path: Path) -> None:
    """C28: the failure is told, and the call succeeds."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("tool_execution_update")
        def fail(event: Any, ctx: Any) -> None:
            raise ValueError("u")

    bench = await SessionBench(tmp_path, [ECHO, "done"], extension).run("go")
    assert ("tool_execution_update", "u") in bench.errors()
    assert "tool_execution_end bash#1 ok" in bench.seen


def prompts_of(prompts: list[str]) -> Factory:
    """An extension that keeps the system prompt of every request."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("before_provider_request", lambda event, ctx: prompts.append(event.payload["system"]))

    return extension


async def test_a08_an_override_holds_for_every_turn(tmp_path: Path) -> None:
    """A08: a tool that changes the active tools in between does not take it away."""
    prompts: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("before_agent_start", lambda event, ctx: AgentStart(system_prompt="OV"))

        @pi.tool
        def change() -> str:
            """Change the tools."""
            pi.set_active_tools(["read"])
            return "changed"

    await SessionBench(tmp_path, [call("change"), "done"], extension, prompts_of(prompts)).run("go")
    assert ["OV", "OV"] == prompts


async def test_v04_prompts_chain_up_to_the_model(tmp_path: Path) -> None:
    """V04: the second handler sees the first one's prompt in event and context, the model both."""
    seen: list[tuple[str, str, str]] = []
    prompts: list[str] = []

    def first(pi: ExtensionAPI) -> None:
        pi.on("before_agent_start", lambda event, ctx: AgentStart(system_prompt="S1"))

    def second(pi: ExtensionAPI) -> None:
        @pi.on("before_agent_start")
        def add(event: Any, ctx: Any) -> AgentStart:
            seen.append((event.system_prompt, ctx.get_system_prompt(), event.message_type))
            return AgentStart(system_prompt=event.system_prompt + "2")

    await SessionBench(tmp_path, ["ok"], first, second, prompts_of(prompts)).run("go")
    assert ([("S1", "S1", "user")], ["S12"]) == (seen, prompts)


async def test_m07_content_that_is_taken_away(tmp_path: Path) -> None:
    """M07: null is no content: the model gets an empty list, and the run goes on."""
    contents: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("message_end")
        def empty(event: Any, ctx: Any) -> Any:
            return {"message": {"role": "user", "content": None}} if event.message.role == "user" else None

        @pi.on("before_provider_request")
        def keep(event: Any, ctx: Any) -> None:
            contents.extend(message["content"] for message in event.payload["messages"])

    bench = await SessionBench(tmp_path, ["ok"], extension).run("go")
    assert ([[]], ["ok"], []) == (contents, bench.said("assistant"), bench.errors())


async def test_t06_the_project_does_not_judge_itself(tmp_path: Path) -> None:
    """T06: its extensions are not asked whether it is trusted, not even where it is."""
    asked = tmp_path / "asked"
    locations = Locations(tmp_path / "agent", tmp_path / "project", tmp_path)
    write(
        locations.project_config_dir / "extensions" / "own.py",
        f"""
        def extension(pi):
            @pi.on("project_trust")
            def yes(event, ctx):
                open({str(asked)!r}, "w").close()
                return {{"trusted": "yes"}}
        """,
    )
    left_out = await ResourceLoader(locations, ResourceRequest()).load()
    taken_in = await ResourceLoader(locations, ResourceRequest(approve=True)).load()
    assert ([0, 1], False) == ([len(found.extensions) for found in (left_out, taken_in)], asked.exists())


async def test_d02_a_path_that_an_extension_contributes(tmp_path: Path) -> None:
    """D02: it counts from the working folder; its source names the extension, its scope is temporary."""
    write(tmp_path / "sk" / "SKILL.md", "---\ndescription: does\n---\nbody")
    infos: list[Any] = []
    path = write(
        tmp_path / "elsewhere" / "brings.py",
        """
        def extension(pi):
            pi.on("resources_discover", lambda event, ctx: {"skillPaths": ["sk"]})
        """,
    )

    def asking(pi: ExtensionAPI) -> None:
        pi.command("list")(lambda args, ctx: infos.extend(pi.get_commands()))

    async with RuntimeBench(tmp_path, str(path), asking) as bench:
        await bench.say("/list")
    (skill,) = [info for info in infos if info.kind == "skill"]
    assert ("skill:sk", "extension:brings", "temporary") == (
        skill.name, skill.source_info.source, skill.source_info.scope,
    )  # fmt: skip
    assert str(tmp_path / "sk") == skill.source_info.path


# activation


def growing(added: list[str], named: list[str], keep: bool) -> Factory:
    """An extension whose tool activates tools, beside the active ones or instead of them, and names some."""

    def extension(pi: ExtensionAPI) -> None:
        for name in added:
            pi.tool(name=name)(lambda: "x")

        @pi.on("session_start")
        def off(event: Any, ctx: Any) -> None:
            pi.set_active_tools(["read", "grow"])

        @pi.tool
        def grow() -> ToolResult:
            """Grow."""
            pi.set_active_tools([*(pi.get_active_tools() if keep else []), *added])
            return ToolResult(content="grown", added_tool_names=named)

    return extension


@pytest.mark.parametrize(
    ("added", "named", "keep", "expected"),
    [
        pytest.param(["b"], [], False, None, id="G10"),
        pytest.param(["b", "c"], ["z", "b"], True, ["z", "b", "c"], id="G11"),
    ],
)
async def test_g10_g11_what_a_tool_added(
    tmp_path: Path, added: list[str], named: list[str], keep: bool, expected: Any
) -> None:
    """G10, G11: names are joined with what the tool says; a replaced set names nothing."""
    bench = await SessionBench(tmp_path, [call("grow"), "done"], growing(added, named, keep)).run("go")
    (result,) = [r["message"] for r in bench.of_type("message_end") if r["message"]["role"] == "toolResult"]
    assert expected == result.get("addedToolNames")


async def test_g04_every_tool_says_who_brought_it(tmp_path: Path) -> None:
    """G04, G07: the host, the embedder, or an extension, which also takes a built-in name over."""
    sources: dict[str, str] = {}

    def extension(pi: ExtensionAPI) -> None:
        pi.tool(name="grep")(lambda: "mine")
        pi.tool(name="t1")(lambda: "hidden")

        @pi.command("list")
        def tools(args: str, ctx: Any) -> None:
            sources.update(
                {tool.name: tool.source_info.source for tool in pi.get_all_tools() if tool.source_info}
            )

    async def execute(*given: Any) -> ToolResult:
        return ToolResult()

    own = ToolDefinition(name="t1", description="", parameters={}, execute=execute)
    await SessionBench(tmp_path, [], extension, custom_tools=[own]).run("/list")
    assert ("builtin", "inline", "sdk") == (sources["read"], sources["grep"], sources["t1"])


async def test_what_extensions_read_cannot_be_written_through_it(tmp_path: Path) -> None:
    """Settings and schemas are copies, and the history has nothing that adds to it."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("try")
        def attempt(args: str, ctx: Any) -> None:
            settings: Any = pi.get_settings()
            settings["mine"] = True
            schema: Any = pi.get_all_tools()[0].parameters
            schema["properties"].clear()
            assert not {"append_message", "branch", "reset_leaf"} & set(dir(ctx.session))
            assert "mine" not in pi.get_settings()
            assert pi.get_all_tools()[0].parameters["properties"]

    assert [] == (await SessionBench(tmp_path, [], extension).run("/try")).errors()


async def test_the_history_tells_names_and_labels(tmp_path: Path) -> None:
    """What an extension called the session and an entry can be read where the history is."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("try")
        def attempt(args: str, ctx: Any) -> None:
            entry = pi.append_entry("x")
            pi.set_label(entry, "here")
            pi.set_session_name("work")
            view = ctx.session
            assert ("work", "here", "x") == (
                view.session_name, view.get_label(entry), view.get_entry(entry).custom_type,
            )  # fmt: skip
            assert view.get_leaf_id() == view.get_branch()[-1].id == view.get_entries()[-1].id
            assert 1 == len(view.get_tree())

    assert [] == (await SessionBench(tmp_path, [], extension).run("/try")).errors()


# messages and the command line


async def test_z09_what_becomes_of_custom_messages(tmp_path: Path) -> None:
    """Z09: one alone stands; one for the next turn is held; one that triggers runs, the held one with it."""
    roles: list[list[str]] = []

    def extension(pi: ExtensionAPI) -> None:
        def note(text: str) -> CustomMessage:
            return CustomMessage(custom_type="note", content=text)

        @pi.command("send")
        async def send(args: str, ctx: Any) -> None:
            pi.send_message(note("alone"))
            pi.send_message(note("held"), deliver_as="next_turn", trigger_turn=True)

        pi.command("run")(lambda args, ctx: pi.send_message(note("trigger"), trigger_turn=True))

        @pi.on("before_provider_request")
        def keep(event: Any, ctx: Any) -> None:
            roles.append([text_of(message["content"]) for message in event.payload["messages"]])

    bench = await SessionBench(tmp_path, ["ok"], extension).run("/send", "/run")
    assert [["alone", "trigger", "held"]] == roles
    assert ["custom"] == [
        event["messageType"] for event in bench.heard if event["type"] == "before_agent_start"
    ]


def test_f12_two_extensions_with_one_tool(tmp_path: Path) -> None:
    """F12, NAME 96: the run goes on with the first one's, and the clash is told."""
    pi = agent_cli(tmp_path)
    for name in ("a", "b"):
        pi.user_extension(
            f"""
            def extension(pi):
                @pi.tool
                def search() -> str:
                    "Search."
                    return "{name}"
            """,
            f"{name}.py",
        )
    ran = pi.run("-p", "search:")
    assert (0, "search answered:\na\n") == (ran.code, ran.out)
    assert "search" in ran.err


async def test_every_kind_of_name_of_a_failed_factory_is_free(tmp_path: Path) -> None:
    """L15: what a factory registered before it failed stands in nobody's way."""

    def fails(pi: ExtensionAPI) -> None:
        pi.register_flag("f", type="string", default="left")
        raise ValueError("no")

    def works(pi: ExtensionAPI) -> None:
        pi.register_flag("f", type="string", default="right")
        pi.command("show")(lambda args, ctx: pi.get_flag("f"))

    async with Harness(fails, works) as pi:
        assert "right" == await pi.run_command("show")
