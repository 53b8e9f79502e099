"""How a served session ends, whoever wants it to."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest

from tests.support.agent_cli import COMMAND, AgentCli
from tests.support.rpc_client import RpcClient, rpc

WITNESS = """
    import sys
    def extension(pi):
        @pi.on("session_shutdown")
        def bye(event, ctx):
            print("bye", event.reason, file=sys.stderr)
        @pi.command("stop")
        def stop(args, ctx):
            ctx.shutdown()
        @pi.tool
        def stopper(ctx) -> str:
            "Ends the program."
            ctx.shutdown()
            return "stopping"
    """


@pytest.fixture
def ending(pi: AgentCli) -> AgentCli:
    """A command line whose extension says when it is told of the end."""
    pi.user_extension(WITNESS)
    return pi


def begin(client: RpcClient) -> None:
    """A run that stays in a tool."""
    client.data("prompt", message="run: sleep 60")
    client.wait("tool_execution_start")


def whole(pi: AgentCli) -> list[dict[str, object]]:
    """The records of the one session file: every line of it is one."""
    (path,) = pi.sessions()
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_a_client_that_closes_its_side_ends_it(ending: AgentCli) -> None:
    """The exit code is 0, extensions hear quit once, and nothing is said but that."""
    with rpc(ending) as client:
        client.data("get_state")
        assert 0 == client.close()
        assert b"bye quit\n" == client.err


def test_commands_in_front_of_the_end_are_answered(ending: AgentCli) -> None:
    """A client that writes everything at once and closes its side reads every answer."""
    with rpc(ending) as client:
        asked = [client.send("get_state") for _ in range(50)]
        last = client.send("bash", command="sleep 0.2; echo done")
        assert 0 == client.close()
        answered = {record.get("id") for record in client.of_type("response")}
    assert {*asked, last} == answered


def test_a_run_does_not_outlive_its_client(ending: AgentCli) -> None:
    """It is aborted, told to its end, and stored whole."""
    with rpc(ending) as client:
        begin(client)
        assert 0 == client.close()
        assert client.of_type("agent_settled")[0]["aborted"]
        assert 1 == client.err.count(b"bye quit")
    assert "Command aborted" in json.dumps(whole(ending))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_in_order(ending: AgentCli, number: int, code: int) -> None:
    """58: the run is aborted and stored, extensions hear quit once, and the code is the signal's."""
    with rpc(ending) as client:
        begin(client)
        client.process.send_signal(number)
        assert code == client.wait_for_end()
        assert (1, True) == (client.err.count(b"bye quit"), client.of_type("agent_settled")[0]["aborted"])
    assert "Command aborted" in json.dumps(whole(ending))


def test_an_extension_may_end_it(ending: AgentCli) -> None:
    """77: the command is answered, extensions hear quit, and the code is 0."""
    with rpc(ending) as client:
        own_id = client.send("prompt", message="/stop")
        assert 0 == client.wait_for_end()
        assert client.answer_to(own_id)["success"]
        assert b"bye quit\n" == client.err


def test_an_end_that_is_wanted_during_a_run_waits_for_it(ending: AgentCli) -> None:
    """The run goes on to its end, and what is said then is told."""
    with rpc(ending) as client:
        client.send("prompt", message="stopper: {}")
        assert 0 == client.wait_for_end()
        assert not client.of_type("agent_settled")[0]["aborted"]
        assert ["toolUse", "stop"] == [
            record["message"]["stopReason"] for record in client.of_type("turn_end")
        ]


def test_a_client_that_vanishes_is_no_failure(ending: AgentCli) -> None:
    """Both pipes break in the middle of a stream: no traceback, one quit, a whole file."""
    process = subprocess.Popen(
        [*COMMAND, "--mode", "rpc"], cwd=ending.project, env=ending.environ(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stderr:
        process.stdin.write(b'{"type":"prompt","message":"run: while true; do echo x; sleep 0.01; done"}\n')
        process.stdin.flush()
        while b"tool_execution_update" not in process.stdout.readline():
            pass
        process.stdout.close()
        process.stdin.close()
        err = process.stderr.read()
    assert (0, 1) == (process.wait(timeout=30), err.count(b"bye quit"))
    assert b"Traceback" not in err
    assert "Command aborted" in json.dumps(whole(ending))


def test_a_record_that_is_cut_short_is_no_command(ending: AgentCli) -> None:
    """The client died while it wrote: the half of a record is refused, and the end is as ever."""
    with rpc(ending) as client:
        client.write(b'{"type":"prompt","message":"half of')
        assert 0 == client.close()
        assert "Failed to parse command" in client.of_type("response")[0]["error"]
    assert [] == ending.sessions()


def test_commands_from_a_file_are_served(ending: AgentCli) -> None:
    """Standard input need not be a pipe."""
    commands = ending.write("commands.jsonl", '{"id":"1","type":"get_state"}\n')
    with commands.open("rb") as file:
        done = subprocess.run(
            [*COMMAND, "--mode", "rpc"], cwd=ending.project, env=ending.environ(), stdin=file,
            capture_output=True, check=False, timeout=60,
        )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines() if b'"response"' in line]
    assert (0, ["1"]) == (done.returncode, [answer["id"] for answer in answers])


def test_a_command_during_the_end_is_refused(pi: AgentCli) -> None:
    """While extensions take their leave, a client still gets answers: that it is too late."""
    pi.user_extension("""
        import asyncio
        def extension(pi):
            @pi.on("session_shutdown")
            async def bye(event, ctx):
                ctx.ui.notify("leaving")
                await asyncio.Event().wait()
            @pi.command("stop")
            def stop(args, ctx):
                ctx.shutdown()
        """)
    pi.write(str(pi.agent_dir / "settings.toml"), "[budgets]\nshutdown-s = 1.0\n")
    with rpc(pi) as client:
        client.data("prompt", message="/stop")
        client.dialog("notify")
        for kind in ("get_state", "prompt"):
            answer = client.ask(kind, message="x")
            assert (False, "pi is shutting down") == (answer["success"], answer["error"])
        assert 0 == client.wait_for_end()
