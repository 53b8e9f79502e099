"""Commands and answers of a real process: their shapes, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pi_core.modes.rpc.framing import MAX_RECORD_BYTES
from pi_core.modes.rpc.table import COMMANDS
from tests.support.agent_cli import AgentCli
from tests.support.rpc_client import RpcClient, rpc


def test_a_session_is_told_as_it_is(client: RpcClient) -> None:
    """The state has exactly the fields of the protocol; a name appears when there is one."""
    state = client.data("get_state")
    assert {
        "model", "thinkingLevel", "isStreaming", "isCompacting", "steeringMode", "followUpMode",
        "sessionFile", "sessionId", "autoCompactionEnabled", "messageCount", "pendingMessageCount",
    } == set(state)  # fmt: skip
    assert (False, False, 0, 0) == (
        state["isStreaming"], state["isCompacting"], state["messageCount"], state["pendingMessageCount"]
    )  # fmt: skip
    client.data("set_session_name", name=" n ")
    assert "n" == client.data("get_state")["sessionName"]


def test_a_session_in_memory_has_no_file(pi: AgentCli) -> None:
    """A field that says nothing is left out."""
    with rpc(pi, "--no-session") as client:
        assert "sessionFile" not in client.data("get_state")
        client.run("hello")
        assert 0 == client.close()
    assert [] == pi.sessions()


def test_a_prompt_is_answered_before_its_run(client: RpcClient) -> None:
    """The answer says what becomes of it; the events follow, and the last one says that all is done."""
    records = client.run("run: echo hello")
    answer, *following = [record for record in records if record["type"] != "diagnostic"]
    assert ("response", {"disposition": "started"}) == (answer["type"], answer["data"])
    kinds = [record["type"] for record in following]
    assert (["agent_start", "turn_start"], "agent_settled") == (kinds[:2], kinds[-1])
    assert "bash answered:\nhello" == client.data("get_last_assistant_text")["text"]


def test_what_was_said_can_be_read_in_every_form(client: RpcClient) -> None:
    """Messages, entries, entries since one, the tree, what may be forked, and the counts agree."""
    client.run("run: echo hello")
    messages = client.data("get_messages")["messages"]
    assert ["user", "assistant", "toolResult", "assistant"] == [message["role"] for message in messages]
    found = client.data("get_entries")
    entries = found["entries"]
    assert found["leafId"] == entries[-1]["id"]
    assert entries[2:] == client.data("get_entries", since=entries[1]["id"])["entries"]
    (node,), chain = client.data("get_tree")["tree"], []
    while node:
        chain.append(node["entry"])
        node = next(iter(node["children"]), None)
    assert entries == chain
    (fork,) = client.data("get_fork_messages")["messages"]
    assert "run: echo hello" == fork["text"]
    stats = client.data("get_session_stats")
    assert (1, 2, 1, 1, 4) == tuple(
        stats[f"{name}s" if name != "total" else "totalMessages"]
        for name in ("userMessage", "assistantMessage", "toolCall", "toolResult", "total")
    )
    assert {"input", "output", "cacheRead", "cacheWrite", "total"} == set(stats["tokens"])
    assert "Entry not found: nobody" == client.ask("get_entries", since="nobody")["error"]


def test_a_label_stands_in_the_tree(pi: AgentCli) -> None:
    """The marked entry carries its label and when it was given."""
    pi.user_extension("""
        def extension(pi):
            @pi.command("mark")
            def mark(args, ctx):
                pi.set_label(ctx.session.get_leaf_id(), args)
        """)
    with rpc(pi) as client:
        client.run("hello")
        client.data("prompt", message="/mark here")
        text = json.dumps(client.data("get_tree"))
        assert '"label": "here", "labelTimestamp": "2' in text


def test_a_long_session_has_a_tree(pi: AgentCli) -> None:
    """Each entry is the child of the one before, two thousand times: the record is written all the same."""
    rows = [{"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": str(pi.project)}]
    rows += [
        {"type": "custom", "id": f"{n:08x}", "parentId": f"{n - 1:08x}" if n else None, "timestamp": "t",
         "customType": "c"}
        for n in range(2000)
    ]  # fmt: skip
    path = pi.write("long.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    with rpc(pi, "--session", str(path)) as client:
        own_id = client.send("get_tree")
        client.data("get_state")
        (line,) = [noise for noise in client.noise if own_id.encode() in noise] or [b""]
        assert 2000 <= line.count(b'"children":[')


def command(own_id: str, kind: str, **fields: Any) -> bytes:
    return json.dumps({"id": own_id, "type": kind, **fields}).encode()


REFUSED = {
    "broken JSON": (b'{"type": "get_state"', None, "parse", "Failed to parse command: Expecting"),
    "no JSON at all": (b"hello", None, "parse", "Failed to parse command: Expecting value"),
    "no object": (b"[1, 2]", None, "parse", "Failed to parse command: a command is a JSON object"),
    "no UTF-8": (b'{"type":"\xff"}', None, "parse", "Failed to parse command: not UTF-8"),
    "too deep": (b'{"a":' + b"[" * 50_000, None, "parse", "Failed to parse command: nested too deeply"),
    "no type": (b'{"id":"r1"}', "r1", "parse", 'Failed to parse command: "type" names the command'),
    "a type that is no text": (b'{"id":"r2","type":5}', "r2", "parse", "Failed to parse command"),
    "an unknown command": (command("r3", "fly"), "r3", "fly", "Unknown command: fly"),
    "a missing field": (command("r4", "prompt"), "r4", "prompt", 'prompt needs "message"'),
    "a field of another type": (
        command("r5", "prompt", message=5), "r5", "prompt", '"message" of prompt must be a string'
    ),
    "a choice that there is not": (
        command("r6", "set_steering_mode", mode="some"), "r6", "set_steering_mode", "must be one of"
    ),
    "a truth value that is none": (
        command("r7", "set_auto_retry", enabled="yes"), "r7", "set_auto_retry", "must be a boolean"
    ),
    "a picture that is none": (
        command("r8", "prompt", message="x", images=[{"type": "text"}]), "r8", "prompt", "image 0 is not"
    ),
    "an unknown model": (
        command("r9", "set_model", provider="p", modelId="m"), "r9", "set_model", "Model not found: p/m"
    ),
    "an empty name": (command("r10", "set_session_name", name=" "), "r10", "set_session_name", "empty"),
    "a session that is not there": (
        command("r11", "switch_session", sessionPath="none.jsonl"), "r11", "switch_session", "no such file"
    ),
    "an entry that is not there": (command("r12", "fork", entryId="none"), "r12", "fork", "is not in this"),
    "a page that cannot be written": (
        command("r13", "export_html", outputPath="no/where.html"), "r13", "export_html", "cannot write"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "own_id", "named", "error"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_has_an_error_answer(
    shared: RpcClient, line: bytes, own_id: str | None, named: str, error: str
) -> None:
    """71: it names the command, has the id if one could be read, and the next command is served."""
    start = len(shared.records)
    shared.write(line + b"\n")
    answer = shared.look_for(lambda record: record.get("success") is False, start)
    assert error in answer["error"]
    expected: dict[str, Any] = {"type": "response", "command": named, "success": False}
    assert {**expected, **({"id": own_id} if own_id else {})} == {
        name: value for name, value in answer.items() if name != "error"
    }
    assert shared.ask("get_state")["success"]


def test_ids_are_the_client_s_affair(shared: RpcClient) -> None:
    """Every command is answered with the id that it had: none, the same one twice, or no text."""
    start = len(shared.records)
    shared.write(
        b'{"type":"get_state"}\n{"id":"twice","type":"get_state"}\n{"id":"twice","type":"get_tree"}\n'
    )
    shared.write(b'{"id":7,"type":"get_state"}\n')
    assert shared.answer_to(7)["success"]
    answers = [record for record in shared.records[start:] if record["type"] == "response"]
    assert 4 == len(answers)
    assert 2 == sum(answer.get("id") == "twice" for answer in answers)
    assert 1 == sum("id" not in answer for answer in answers)


@pytest.mark.slow
def test_a_line_of_a_hundred_megabytes_is_refused_at_the_limit(client: RpcClient) -> None:
    """It is dropped as it comes, once, and what follows counts; memory stays far below its size."""
    client.write(b'{"type":"prompt","message":"')
    for _ in range(100):
        client.write(b"x" * 1_000_000)
    client.write(b'"}\n')
    answer = client.look_for(lambda record: record.get("command") == "parse")
    assert f"the line is longer than {MAX_RECORD_BYTES} bytes" in answer["error"]
    assert client.ask("get_state")["success"]
    assert peak_memory_mb(client.process.pid) < 220


def peak_memory_mb(pid: int) -> float:
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        (peak,) = [line for line in status if line.startswith("VmHWM")]
    return int(peak.split()[1]) / 1024


def test_only_a_line_feed_ends_a_command(client: RpcClient) -> None:
    """78: U+2028 comes back inside the message that had it, and CRLF is accepted."""
    said = "run: echo 'a\u2028b\u2029c\x85d'"
    client.write(
        json.dumps({"id": "x", "type": "prompt", "message": said}, ensure_ascii=False).encode() + b"\r\n"
    )
    assert client.answer_to("x")["success"]
    client.wait("agent_settled")
    assert said == client.data("get_messages")["messages"][0]["content"][0]["text"]
    assert [] == client.noise


def test_nothing_but_records_is_on_the_output(pi: AgentCli) -> None:
    """What an extension, a library or a child process prints lands on standard error, and none reads ours."""
    pi.user_extension("""
        import os, subprocess, sys
        print("at import")
        def extension(pi):
            @pi.on("session_start")
            def start(event, ctx):
                print("printed")
                os.write(1, b"written\\n")
                subprocess.run(["echo", "by a child"], check=True)
                print("read", repr(sys.stdin.read()))
        """)
    with rpc(pi) as client:
        client.run("run: cat; echo hello")
        assert "hello" in client.data("get_last_assistant_text")["text"]
        assert 0 == client.close()
        assert [] == client.noise
    for said in (b"at import", b"printed", b"written", b"by a child", b"read ''"):
        assert said in client.err


def test_messages_and_files_are_no_arguments(pi: AgentCli) -> None:
    """A client says everything by commands: words on the command line are wrong usage."""
    pi.write("a.txt", "x")
    for words in (("hello",), ("@a.txt",)):
        ran = pi.run("--mode", "rpc", *words)
        assert (2, "") == (ran.code, ran.out)
        assert "--mode rpc takes no message and no @file" in ran.err


def test_an_error_of_the_host_is_an_answer_and_an_event(pi: AgentCli) -> None:
    """A session file that cannot be written fails the command that needs it, and the client learns why."""
    with rpc(pi) as client:
        client.run("hello")
        (path,) = pi.sessions()
        path.unlink()
        answer = client.ask("set_session_name", name="x")
        assert not answer["success"]
        assert "No such file" in answer["error"]
        assert client.ask("get_state")["success"]


def test_the_table_is_the_protocol_s() -> None:
    """Every command of the protocol, and no other."""
    assert {
        "prompt", "steer", "follow_up", "abort", "clear_queue", "new_session", "get_state", "get_messages",
        "get_commands", "get_session_stats", "get_last_assistant_text", "set_model", "cycle_model",
        "get_available_models", "set_thinking_level", "cycle_thinking_level", "get_available_thinking_levels",
        "set_steering_mode", "set_follow_up_mode", "compact", "set_auto_compaction", "set_auto_retry",
        "abort_retry", "bash", "abort_bash", "switch_session", "fork", "clone", "get_fork_messages",
        "get_entries", "get_tree", "set_session_name", "export_html",
    } == set(COMMANDS)  # fmt: skip
