"""Runs of the loop against the golden traces: what hosts and what extensions are told, event by event.

The loop knows neither settling nor input: these lines are left out.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookspecs.definitions import ToolResult
from hookspecs.messages import UserMessage
from pi_core.agent.events import LoopEvent, MessageUpdate, ToolExecutionStart, ToolExecutionUpdate
from pi_core.agent.ports import Refusal
from tests.core.agent.harness import Bench, call, calls, sequential, text, tool
from tests.support.golden import golden, within_run


def assert_golden(case: str, bench: Bench) -> None:
    recorded = golden(case)
    assert [line for line in recorded.stream if not line.startswith("agent_settled")] == bench.stream
    assert within_run(recorded.extensions) == bench.seen


def shell(params: dict[str, Any], signal: Any, on_update: Any) -> Any:
    """A stand-in for bash: tells an empty update, then its output, as the real one does."""
    on_update(ToolResult(content=""))
    if params.get("fails"):
        raise ValueError("boom\n\n\nCommand exited with code 3")
    on_update(ToolResult(content=params["says"]))
    return params["says"]


BASH = tool(shell, name="bash")


async def test_01_a_plain_reply() -> None:
    """13.A 1: prompt, answer, end."""
    bench = Bench(["Hello there"])
    await bench.run()
    assert_golden("plain", bench)


async def test_02_one_tool_call() -> None:
    """13.A 2: the call comes before its result, the result before the next answer."""
    bench = Bench([call("bash", says="hi\n"), "done"], [BASH])
    await bench.run()
    assert_golden("one_tool", bench)


async def test_03_a_blocked_call() -> None:
    """13.A 3: a refused call never runs; the model reads the reason, tool_result does not fire."""
    bench = Bench([call("bash", says="hi\n"), "done"], [BASH])
    bench.hooks.gate = lambda request: Refusal("nope-blocked")
    await bench.run()
    assert_golden("blocked_tool", bench)


async def test_04_a_tool_that_fails() -> None:
    """13.A 4: an exception is an error result, and tool_result still fires."""
    bench = Bench([call("bash", fails=True), "done"], [BASH])
    await bench.run()
    assert_golden("tool_error", bench)


async def test_05_two_calls_side_by_side() -> None:
    """13.A 5, C21: starts in order, ends as they come, result messages in the order of the calls."""
    fast_is_over = asyncio.Event()

    async def run(params: dict[str, Any], signal: Any, on_update: Any) -> Any:
        on_update(ToolResult(content=""))
        await asyncio.sleep(0)
        if params["says"] == "A\n":
            await fast_is_over.wait()
        on_update(ToolResult(content=params["says"]))
        return params["says"]

    bench = Bench(
        [calls(call("bash", says="A\n"), call("bash", says="B\n")), "done"], [tool(run, name="bash")]
    )

    async def watch(event: LoopEvent) -> None:
        if event.type == "tool_execution_end":
            fast_is_over.set()

    bench.hooks.watch = watch
    await bench.run()
    assert_golden("parallel", bench)


async def test_06_a_sequential_tool() -> None:
    """13.A 6, C22: one sequential tool makes the whole batch go one by one, messages included."""

    def run(params: dict[str, Any], signal: Any, on_update: Any) -> str:
        on_update(ToolResult(content="working"))
        return str(params["says"])

    seq = sequential(tool(run, name="seq"))
    bench = Bench([calls(call("seq", says="seq1"), call("seq", says="seq2")), "done"], [seq])
    await bench.run()
    assert_golden("sequential", bench)


async def test_07_an_abort_while_the_answer_arrives() -> None:
    """13.A 7: the open block closes, the answer ends as aborted, and so does the run."""
    bench = Bench([{"text": "a long answer", "pace_s": 0.01}])

    async def watch(event: LoopEvent) -> None:
        if isinstance(event, MessageUpdate) and event.assistant_message_event.type == "text_delta":
            bench.agent.abort()

    bench.hooks.watch = watch
    await bench.run()
    assert_golden("abort_stream", bench)


async def test_08_an_abort_while_a_tool_runs() -> None:
    """13.A 8: the tool ends with an error, then a second turn ends before anything is sent."""

    async def run(params: dict[str, Any], signal: Any, on_update: Any) -> Any:
        on_update(ToolResult(content=""))
        await signal.wait()
        raise ValueError("Command aborted")

    bench = Bench([call("bash"), "never said"], [tool(run, name="bash")])

    async def watch(event: LoopEvent) -> None:
        if isinstance(event, ToolExecutionUpdate):
            bench.agent.abort()

    bench.hooks.watch = watch
    await bench.run()
    assert_golden("abort_tool", bench)


@pytest.mark.parametrize(
    ("case", "steer", "follow_up"),
    [
        pytest.param("steer", "STEERTXT", None, id="09"),
        pytest.param("followup", None, "FOLLOWTXT", id="10"),
        pytest.param("steer_and_followup", "STEERTXT", "FOLLOWTXT", id="11"),
    ],
)
async def test_what_is_queued_during_a_tool(case: str, steer: str | None, follow_up: str | None) -> None:
    """13.A 9–11: each queued message opens a turn of the same run, steering first."""
    bench = Bench([call("bash", says="hi\n"), "one", "two", "three"], [BASH])
    started = asyncio.Event()

    async def watch(event: LoopEvent) -> None:
        if isinstance(event, ToolExecutionStart):
            started.set()

    async def queue() -> None:
        await started.wait()
        if steer:
            await bench.agent.steer(UserMessage(content=steer))
        if follow_up:
            await bench.agent.follow_up(UserMessage(content=follow_up))

    bench.hooks.watch = watch
    await asyncio.gather(bench.run(), queue())
    assert_golden(case, bench)


async def test_12_steering_does_not_cut_an_answer() -> None:
    """13.A 12: a message queued while text arrives waits for the end of the turn."""
    bench = Bench(["first answer", "second"])
    queued: list[str] = []

    async def watch(event: LoopEvent) -> None:
        if isinstance(event, MessageUpdate) and not queued:
            queued.append("now")
            await bench.agent.steer(UserMessage(content="S"))

    bench.hooks.watch = watch
    await bench.run()
    assert "agent_end user assistant user assistant" == bench.stream[-1]
    assert 'queue_update [["S"], []]' in bench.stream
    assert ["turn_end stop 0", "turn_start", "queue_update [[], []]"] == bench.stream[8:11]


async def test_14_a_follow_up_at_the_end_of_a_run_starts_another() -> None:
    """13.A 14: what is queued when the run has ended opens the next run."""
    bench = Bench(["one", "two"])

    async def watch(event: LoopEvent) -> None:
        if event.type == "agent_end" and not bench.agent.follow_ups and len(bench.answers) == 1:
            await bench.agent.follow_up(UserMessage(content="@@plain again"))

    bench.hooks.watch = watch
    await bench.run()
    await bench.agent.run()
    recorded = golden("followup_from_agent_end").stream
    assert [line for line in recorded if line != "agent_settled"] == bench.stream


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        pytest.param(call("nope"), "Tool nope not found", id="22"),
        pytest.param(call("bash", says={}), "says:", id="23"),
        pytest.param({**call("bash", says="x"), "stop": "length"}, "output limit", id="24"),
    ],
)
async def test_a_call_that_cannot_run(turn: dict[str, Any], expected: str) -> None:
    """C14, C15, 13.A 22–24: start and end are told, no tool_call, no tool_result; the model reads why."""
    bash = tool(shell, name="bash", properties={"says": {"type": "string"}})
    bench = Bench([turn, "done"], [bash])
    await bench.run()
    assert expected in text(bench.results[0])
    name = turn["tool"]
    assert [
        f"tool_execution_start {name}#1",
        f"tool_execution_end {name}#1 error",
        "message_start toolResult",
        "message_end toolResult",
    ] == bench.seen[10:14]
    assert "agent_end user assistant toolResult assistant" == bench.stream[-1]


async def test_25_all_tools_terminate() -> None:
    """13.A 25: when every result wants to stop, the run ends without another request."""
    second_is_over = asyncio.Event()

    async def run(params: dict[str, Any], signal: Any, on_update: Any) -> ToolResult:
        on_update(ToolResult(content="working"))
        await asyncio.sleep(0)
        if params["says"] == "term1":
            await second_is_over.wait()
        return ToolResult(content=params["says"], terminate=True)

    async def watch(event: LoopEvent) -> None:
        if event.type == "tool_execution_end":
            second_is_over.set()

    term = tool(run, name="term")
    bench = Bench([calls(call("term", says="term1"), call("term", says="term2")), "never"], [term])
    bench.hooks.watch = watch
    await bench.run()
    assert_golden("terminate", bench)


async def test_26_one_of_two_tools_terminates() -> None:
    """13.A 26, C24: one result that goes on is enough to go on."""
    stop = tool(lambda params, signal, on_update: ToolResult(terminate=True), name="stop")
    bench = Bench([calls(call("stop"), call("bash", says="x")), "done"], [stop, BASH])
    await bench.run()
    assert "agent_end user assistant toolResult toolResult assistant" == bench.stream[-1]


async def test_27_a_guard_that_fails() -> None:
    """13.A 27, C06: an exception from the gate refuses the call with its own words."""

    def gate(request: Any) -> Refusal | None:
        raise RuntimeError("guard died")

    bench = Bench([call("bash", says="hi\n"), "done"], [BASH])
    bench.hooks.gate = gate
    await bench.run()
    assert 'message_end toolResult error "guard died"' in bench.stream
    assert ["tool_call bash#1", "tool_execution_end bash#1 error"] == bench.seen[11:13]


async def test_28_an_error_is_rewritten_to_success() -> None:
    """13.A 28, C16: what tool_result makes of a failure is what everybody sees."""
    bench = Bench([call("bash", fails=True), "done"], [BASH])
    bench.hooks.patch = lambda request, result: ToolResult(content="rewritten")
    await bench.run()
    assert "tool_result bash#1 error" in bench.seen
    assert "tool_execution_end bash#1 ok" in bench.seen
    assert 'message_end toolResult ok "rewritten"' in bench.stream


async def test_29_an_abort_in_the_gate_of_the_first_call() -> None:
    """13.A 29, C26: every call gets its start, its end and a result; nothing more is asked."""
    bench = Bench([calls(call("bash", says="a"), call("bash", says="b")), "never"], [BASH])

    def gate(request: Any) -> Refusal | None:
        bench.agent.abort()
        return None

    bench.hooks.gate = gate
    await bench.run()
    assert [
        "tool_execution_start bash#1",
        "tool_call bash#1",
        "tool_execution_end bash#1 error",
        "tool_execution_start bash#2",
        "tool_execution_end bash#2 error",
    ] == bench.seen[10:15]
    assert [
        'message_end toolResult error "Operation aborted"',
        "message_start toolResult",
        'message_end toolResult error "Operation aborted"',
        "turn_end toolUse 2",
        "agent_end user assistant toolResult toolResult",
    ] == bench.stream[-5:]
