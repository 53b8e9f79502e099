"""A lot to tell, and a client that takes its time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.agent_cli import AgentCli
from tests.support.rpc_client import RpcClient, rpc

DELTAS = 10_000
PROVIDER = """
    from hookspecs.messages import AssistantMessage, TextContent
    from pi_core.api import Done, ProviderConfig, StreamStart, TextDelta, TextEnd, TextStart

    async def stream(model, context, options):
        given = {"api": model.api, "provider": model.provider, "model": model.id}
        yield StreamStart(partial=AssistantMessage(**given))
        yield TextStart(content_index=0)
        for number in range(int(context.messages[-1].content[0].text)):
            if options.signal is not None and options.signal.aborted:
                break
            yield TextDelta(content_index=0, delta=f"{number} ")
        yield TextEnd(content_index=0, content="all")
        yield Done(message=AssistantMessage(**given, content=[TextContent(text="all")]))

    def extension(pi):
        pi.register_provider("fast", ProviderConfig(stream=stream, models=[{"id": "m"}]))

        @pi.command("flood")
        def flood(args, ctx):
            for number in range(int(args)):
                ctx.ui.notify("x" * 10_000)
    """


@pytest.fixture
def fast(pi: AgentCli) -> Iterator[RpcClient]:
    """A process whose model answers as fast as it can."""
    pi.user_extension(PROVIDER)
    with rpc(pi, "--no-session", "--model", "fast/m") as client:
        client.data("get_state")
        yield client


def memory_mb(client: RpcClient) -> float:
    status = Path(f"/proc/{client.process.pid}/status").read_text(encoding="utf-8")
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def cpu_s(client: RpcClient) -> float:
    fields = Path(f"/proc/{client.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def deltas(client: RpcClient) -> list[str]:
    updates = [record["assistantMessageEvent"] for record in client.of_type("message_update")]
    return [update["delta"] for update in updates if update["type"] == "text_delta"]


def until_still(client: RpcClient) -> None:
    """Return when the process does nothing any more: its processor time stands still for half a second."""
    spent = -1.0
    while spent != cpu_s(client):
        spent = cpu_s(client)
        with suppress(subprocess.TimeoutExpired):
            client.process.wait(0.5)


def test_ten_thousand_deltas_come_complete_and_in_order(fast: RpcClient) -> None:
    """None is lost, merged or late; each costs a fraction of a millisecond."""
    before = cpu_s(fast)
    fast.run(str(DELTAS))
    assert [f"{number} " for number in range(DELTAS)] == deltas(fast)
    assert (cpu_s(fast) - before) / DELTAS < 0.0002


@pytest.mark.slow
def test_a_client_that_pauses_slows_the_stream(fast: RpcClient) -> None:
    """The process stops producing instead of growing, and goes on where it was."""
    fast.data("prompt", message="60000")
    fast.wait("message_update")
    fast.reading.clear()
    before = memory_mb(fast)
    until_still(fast)
    assert memory_mb(fast) - before < 16
    fast.reading.set()
    fast.wait("agent_settled")
    assert [f"{number} " for number in range(60_000)] == deltas(fast)


def test_commands_are_carried_out_while_the_client_does_not_read(fast: RpcClient) -> None:
    """An abort reaches a run that waits for the client; the end of it comes when the client reads again."""
    fast.data("prompt", message="60000")
    fast.wait("message_update")
    fast.reading.clear()
    until_still(fast)
    own_id = fast.send("abort")
    until_still(fast)
    fast.reading.set()
    assert fast.answer_to(own_id)["success"]
    assert fast.wait("agent_settled")["aborted"]
    assert len(deltas(fast)) < 60_000


def test_a_signal_ends_a_stream_that_nobody_reads(fast: RpcClient) -> None:
    """The end does not wait for a client that has stopped reading."""
    fast.data("prompt", message="60000")
    fast.wait("message_update")
    fast.reading.clear()
    until_still(fast)
    fast.process.send_signal(signal.SIGTERM)
    assert 143 == fast.process.wait(30)


@pytest.mark.slow
def test_a_client_that_never_reads_counts_as_gone(fast: RpcClient) -> None:
    """What cannot be slowed is bounded too: the session ends in order, with code 1."""
    fast.reading.clear()
    fast.send("prompt", message="/flood 12000")
    assert 1 == fast.process.wait(60)
    fast.reading.set()
    fast.wait_for_end()
    assert b"counts as gone" in fast.err


@pytest.mark.slow
def test_output_that_comes_too_fast_is_left_out_and_said_so(fast: RpcClient, pi: AgentCli) -> None:
    """A command is not held up for a slow client; the answer has the end and the file with all of it."""
    fast.reading.clear()
    own_id = fast.send("bash", command="seq 3000000; until [ -e go ]; do sleep 0.05; done; echo end")
    until_still(fast)
    fast.reading.set()
    fast.data("get_state")
    pi.write("go", "")
    data = fast.answer_to(own_id)["data"]
    assert (True, True) == (data["truncated"], data["output"].rstrip().endswith("3000000\nend"))
    assert Path(data["fullOutputPath"]).stat().st_size > 20_000_000
    told = json.dumps(fast.of_type("bash_execution_update")[-1], ensure_ascii=False)
    assert "characters were left out" in told
