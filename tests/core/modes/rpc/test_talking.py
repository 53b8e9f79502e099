"""Prompts, queues, aborts and commands of the person, side by side in one process."""

from __future__ import annotations

import json
from typing import Any

from tests.support.agent_cli import AgentCli
from tests.support.rpc_client import Record, RpcClient, rpc

COMMANDS = """
    def extension(pi):
        @pi.command("hi", description="says hello")
        def hi(args, ctx):
            ctx.ui.notify("hi " + args)
        @pi.command("boom")
        def boom(args, ctx):
            raise ValueError("cmd boom")
    """


def scripted(pi: AgentCli, *turns: Any) -> dict[str, str]:
    """The environment in which the model plays these turns."""
    return {"PI_SCRIPT": str(pi.write("script.json", json.dumps(list(turns))))}


def said(client: RpcClient, role: str) -> list[str]:
    """The texts of the messages of a role, as they ended."""
    ended = [record["message"] for record in client.of_type("message_end")]
    return ["".join(part.get("text", "") for part in m["content"]) for m in ended if m["role"] == role]


def busy(client: RpcClient) -> None:
    """A run that stays in a tool until it is aborted."""
    client.data("prompt", message="run: sleep 30")
    client.wait("tool_execution_start")


def test_a_prompt_during_a_run_says_where_it_waits(pi: AgentCli) -> None:
    """72: without a word about it, it is refused; a command of an extension runs at once."""
    pi.user_extension(COMMANDS)
    with rpc(pi) as client:
        busy(client)
        refused = client.ask("prompt", message="and?")
        assert 'Set "streamingBehavior" to "steer" or "followUp"' in refused["error"]
        assert {"disposition": "handled"} == client.data("prompt", message="/hi you")
        assert "hi you" == client.dialog("notify")["message"]
        for behaviour in ("steer", "followUp"):
            queued = client.data("prompt", message=behaviour, streamingBehavior=behaviour)
            assert {"disposition": "queued"} == queued
        assert 2 == client.data("get_state")["pendingMessageCount"]
        assert {"steering": ["steer"], "followUp": ["followUp"]} == client.data("clear_queue")
        client.data("abort")


def test_commands_of_extensions_cannot_be_queued(pi: AgentCli) -> None:
    """73: steer and follow_up refuse them, whether a run is on or not."""
    pi.user_extension(COMMANDS)
    with rpc(pi) as client:
        for kind in ("steer", "follow_up"):
            answer = client.ask(kind, message="/hi x")
            assert (False, True) == (
                answer["success"],
                "/hi of an extension cannot be queued" in answer["error"],
            )


def test_what_is_queued_while_nothing_goes_on_comes_with_the_next_prompt(client: RpcClient) -> None:
    """It waits and is counted; nothing starts by itself."""
    assert {"disposition": "queued"} == client.data("steer", message="in between")
    assert {"disposition": "queued"} == client.data("follow_up", message="behind")
    state = client.data("get_state")
    assert (False, 2) == (state["isStreaming"], state["pendingMessageCount"])
    client.run("hello")
    assert ["hello", "in between", "behind"] == said(client, "user")


def test_an_abort_is_answered_when_all_has_settled_and_keeps_what_waits(client: RpcClient) -> None:
    """55: the answer comes after agent_settled; what was queued stays and starts nothing."""
    busy(client)
    client.data("steer", message="later")
    client.data("abort")
    kinds = [record["type"] for record in client.records]
    assert kinds.index("agent_settled") < max(n for n, kind in enumerate(kinds) if kind == "response")
    assert (1, 1) == (kinds.count("agent_settled"), client.data("get_state")["pendingMessageCount"])
    assert client.wait("agent_settled")["aborted"]


def test_a_failing_command_is_told_before_its_prompt_is_answered(pi: AgentCli) -> None:
    """76: the error is an event with the finding in it, and the prompt is handled all the same."""
    pi.user_extension(COMMANDS)
    with rpc(pi) as client:
        assert {"disposition": "handled"} == client.data("prompt", message="/boom")
        error, answer = (client.of_type(kind)[-1] for kind in ("extension_error", "response"))
        assert client.records.index(error) < client.records.index(answer)
        assert ("command:boom", "command", "cmd boom") == (
            error["extensionPath"], error["event"], error["error"]
        )  # fmt: skip
        assert "Traceback" in error["diagnostic"]["detail"]


def test_what_can_be_typed_is_listed_with_its_source(pi: AgentCli) -> None:
    """Commands, templates and skills, each with the file that brings it."""
    extension = pi.user_extension(COMMANDS)
    pi.write(str(pi.agent_dir / "prompts" / "p.md"), "say $1")
    pi.write(str(pi.agent_dir / "skills" / "s" / "SKILL.md"), "---\nname: s\ndescription: d\n---\nx")
    with rpc(pi) as client:
        found = {each["name"]: each for each in client.data("get_commands")["commands"]}
    assert {"hi": "extension", "boom": "extension", "p": "prompt", "skill:s": "skill"} == {
        name: each["source"] for name, each in found.items()
    }
    hi = found["hi"]
    assert ("says hello", str(extension), "user", "top-level") == (
        hi["description"], hi["sourceInfo"]["path"], hi["sourceInfo"]["scope"], hi["sourceInfo"]["origin"]
    )  # fmt: skip


def test_a_command_of_the_person_is_told_and_joins_the_conversation(client: RpcClient) -> None:
    """74: its output comes with its id, the answer has the exit code, and the model reads about it later."""
    own_id = client.send("bash", command="echo out; exit 2")
    assert {"output": "out\n", "exitCode": 2, "cancelled": False, "truncated": False} == (
        client.answer_to(own_id)["data"]
    )
    assert {"type": "bash_execution_update", "id": own_id, "delta": "out\n"} == client.wait(
        "bash_execution_update"
    )
    (message,) = client.data("get_messages")["messages"]
    assert ("bashExecution", "echo out; exit 2") == (message["role"], message["command"])


def test_nothing_else_to_choose_is_an_answer_of_its_own(client: RpcClient) -> None:
    """Where there is one model and one level, the data are null rather than missing."""
    for name in ("cycle_model", "cycle_thinking_level"):
        answer = client.ask(name)
        assert (True, None) == (answer["success"], answer["data"])


def test_output_of_commands_is_told_apart_by_whatever_ids_they_have(client: RpcClient) -> None:
    """A client may count its commands instead of naming them."""
    for number in (7, 8):
        client.write(json.dumps({"id": number, "type": "bash", "command": f"echo {number}"}).encode() + b"\n")
    for number in (7, 8):
        client.answer_to(number)
    told = {record["id"]: record["delta"] for record in client.of_type("bash_execution_update")}
    assert {7: "7\n", 8: "8\n"} == told


def test_a_command_of_the_person_during_a_run_waits_with_its_message(client: RpcClient) -> None:
    """75: it runs at once, and its message comes behind the run."""
    busy(client)
    assert 0 == client.data("bash", command="true", excludeFromContext=True)["exitCode"]
    assert "bashExecution" not in {m["role"] for m in client.data("get_messages")["messages"]}
    client.data("abort")
    assert "bashExecution" == client.data("get_messages")["messages"][-1]["role"]


def test_a_command_of_the_person_can_be_stopped(client: RpcClient) -> None:
    """abort_bash ends it, and both are answered."""
    own_id = client.send("bash", command="echo begun; sleep 30")
    client.wait("bash_execution_update")
    client.data("abort_bash")
    assert client.answer_to(own_id)["data"]["cancelled"]


def test_extensions_may_answer_for_a_command_of_the_person(pi: AgentCli) -> None:
    """U04: user_bash is asked first: an answer of its own, or a refusal by failing."""
    pi.user_extension("""
        from pi_core.api import Bash
        def extension(pi):
            @pi.on("user_bash")
            def mine(event, ctx):
                if event.command == "secret":
                    raise ValueError("not this one")
                return Bash(result={"output": "from elsewhere", "exitCode": 0, "cancelled": False})
        """)
    with rpc(pi) as client:
        assert "from elsewhere" == client.data("bash", command="ls")["output"]
        refused = client.ask("bash", command="secret")
        assert (False, True) == (refused["success"], "not this one" in refused["error"])


def test_models_and_thinking_are_turned(pi: AgentCli) -> None:
    """The answers have the model and the level in effect, and listeners hear of a change."""
    models = {
        "providers": {
            "local": {
                "baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions", "apiKey": "k",
                "headers": {"authorization": "secret"},
                "models": [{"id": "a", "reasoning": True}, {"id": "b"}],
            }
        }
    }  # fmt: skip
    pi.write(str(pi.agent_dir / "models.json"), json.dumps(models))
    with rpc(pi, "--model", "local/a") as client:
        listed = client.data("get_available_models")["models"]
        assert {"a", "b"} <= {model["id"] for model in listed if model["provider"] == "local"}
        assert "secret" not in json.dumps(listed)
        assert {"input", "output", "cacheRead", "cacheWrite"} == set(listed[0]["cost"])
        levels = client.data("get_available_thinking_levels")["levels"]
        assert "off" == levels[0]
        client.data("set_thinking_level", level="high")
        assert "high" == client.data("get_state")["thinkingLevel"]
        assert client.wait("thinking_level_changed")["level"] == "high"
        assert client.data("cycle_thinking_level")["level"] in levels
        assert "b" == client.data("set_model", provider="local", modelId="b")["id"]
        assert "off" == client.data("get_state")["thinkingLevel"]
        nothing = client.ask("cycle_thinking_level")
        assert (True, None) == (nothing["success"], nothing["data"])
        cycled = client.data("cycle_model")
        assert {"model", "thinkingLevel", "isScoped"} == set(cycled)


def test_queues_and_automatic_things_are_turned(client: RpcClient) -> None:
    """The state says so; what has no state of its own is accepted."""
    client.data("set_steering_mode", mode="all")
    client.data("set_follow_up_mode", mode="all")
    client.data("set_auto_compaction", enabled=False)
    client.data("set_auto_retry", enabled=False)
    client.data("abort_retry")
    state = client.data("get_state")
    assert ("all", "all", False) == (
        state["steeringMode"], state["followUpMode"], state["autoCompactionEnabled"]
    )  # fmt: skip


def test_a_compaction_during_a_run_loses_nothing(pi: AgentCli) -> None:
    """56: the run is aborted, told and stored; then the conversation is summarised."""
    long = "word " * 30_000
    call: Record = {"tool": "bash", "arguments": {"command": "sleep 30"}}
    with rpc(pi, env=scripted(pi, long, long, call, *["the summary"] * 3)) as client:
        client.run("one")
        client.run("two")
        start = len(client.records)
        client.data("prompt", message="three")
        client.wait("tool_execution_start", start)
        result = client.data("compact", customInstructions="be short")
        kinds = [record["type"] for record in client.records[start:]]
        assert "the summary" in result["summary"]
        assert {"summary", "firstKeptEntryId", "tokensBefore"} <= set(result)
        assert kinds.index("agent_settled") < kinds.index("compaction_start") < kinds.index("compaction_end")
        entries = client.data("get_entries")["entries"]
    assert "compaction" == entries[-1]["type"]
    assert "Command aborted" in json.dumps(entries)


def test_a_pictured_prompt_reaches_the_model(client: RpcClient) -> None:
    """Images of a prompt are blocks of its message."""
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    client.data("prompt", message="look", images=[picture])
    client.wait("agent_settled")
    first = client.data("get_messages")["messages"][0]["content"]
    assert [{"type": "text", "text": "look"}, picture] == first


def test_commands_during_a_compaction_are_answered(pi: AgentCli) -> None:
    """The state says that it goes on, everything can be read, and an abort ends it."""
    long = "word " * 30_000
    slow: Record = {"text": "the summary", "delay_s": 60}
    with rpc(pi, env=scripted(pi, long, long, slow, slow)) as client:
        client.run("one")
        client.run("two")
        own_id = client.send("compact")
        client.wait("compaction_start")
        assert client.data("get_state")["isCompacting"]
        assert 4 == len(client.data("get_messages")["messages"])
        client.data("set_session_name", name="meanwhile")
        client.data("abort")
        answer = client.answer_to(own_id)
        assert (False, True) == (answer["success"], client.wait("compaction_end")["aborted"])
        assert not client.data("get_state")["isCompacting"]
