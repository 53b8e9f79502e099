"""The way of one tool call: what runs, what the tool receives, what comes of it (cases C10–C29)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from hookspecs.definitions import ToolDefinition, ToolResult
from hookspecs.messages import TextContent, ToolCallContent, Usage
from pi_core.agent.events import ToolExecutionUpdate
from pi_core.agent.ports import Refusal, ToolRequest
from pi_core.agent.tool_calls import DEEPEST, TOO_DEEP
from tests.core.agent.harness import Bench, call, calls, text, tool

INTEGER = {"a": {"type": "integer"}}


class Spy:
    """A tool function that keeps what it was called with."""

    def __init__(self, answer: Any = "ran") -> None:
        self.received: list[dict[str, Any]] = []
        self.answer = answer

    def __call__(self, params: dict[str, Any], signal: Any, on_update: Any) -> Any:
        self.received.append(dict(params))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def stored_arguments(bench: Bench) -> dict[str, Any]:
    block = bench.answers[0].content[0]
    assert isinstance(block, ToolCallContent)
    return block.arguments


async def test_c29_a_gate_edits_the_input_in_place() -> None:
    """C03, C04, C09, C29: the edit reaches the tool unchecked and tool_result; what is stored stays raw."""
    spy = Spy()
    bench = Bench([call(a="5"), "done"], [tool(spy, properties=INTEGER)])
    inputs: list[Any] = []

    def gate(request: ToolRequest) -> Refusal | None:
        request.input["a"] = "not a number"
        return None

    def patch(request: ToolRequest, result: ToolResult) -> ToolResult | None:
        inputs.append(dict(request.input))
        return None

    bench.hooks.gate, bench.hooks.patch = gate, patch
    await bench.run()
    assert [{"a": "not a number"}] == spy.received == inputs
    assert {"a": "5"} == stored_arguments(bench)
    starts = [event for event in bench.hooks.stream if event["type"] == "tool_execution_start"]
    assert {"a": "5"} == starts[0]["args"]


async def test_c08_a_bare_refusal() -> None:
    """C08: a refusal without a reason says that the call was blocked; tool_result does not fire."""
    spy = Spy()
    bench = Bench([call(), "done"], [tool(spy)])
    bench.hooks.gate = lambda request: Refusal()
    await bench.run()
    assert [] == spy.received
    assert "Tool execution was blocked" == text(bench.results[0])
    assert not [line for line in bench.seen if line.startswith("tool_result")]


async def test_c10_invalid_arguments() -> None:
    """C10: the model reads which tool, which place, why, and what it sent."""
    spy = Spy()
    bench = Bench([call(a="zz"), "done"], [tool(spy, properties=INTEGER)])
    await bench.run()
    said = text(bench.results[0])
    assert said.startswith('Validation failed for tool "t1":\n  - a: ')
    assert '"a": "zz"' in said
    assert [] == spy.received


async def test_c11_arguments_are_coerced() -> None:
    """C11: the tool receives 5 for "5"; the stored call keeps the text."""
    spy = Spy()
    bench = Bench([call(a="5"), "done"], [tool(spy, properties=INTEGER)])
    await bench.run()
    assert [{"a": 5}] == spy.received
    assert {"a": "5"} == stored_arguments(bench)


async def test_c12_arguments_are_prepared() -> None:
    """C12: prepare_arguments comes before validation, and the stored call stays as it was."""
    spy = Spy()
    prepared = tool(spy, properties=INTEGER, prepare_arguments=lambda raw: {"a": raw["old"]})
    bench = Bench([call(old=3), "done"], [prepared])
    await bench.run()
    assert [{"a": 3}] == spy.received
    assert {"old": 3} == stored_arguments(bench)


async def test_c13_preparing_fails() -> None:
    """C13: an exception in prepare_arguments is the result; the gate is not asked."""

    def prepare(raw: Any) -> Any:
        raise ValueError("prep")

    bench = Bench([call(), "done"], [tool(Spy(), prepare_arguments=prepare)])
    await bench.run()
    assert ("prep", True) == (text(bench.results[0]), bench.results[0].is_error)
    assert not [line for line in bench.seen if line.startswith("tool_call")]


@pytest.mark.parametrize(
    ("answer", "said", "is_error"),
    [
        pytest.param("text", "text", False, id="text"),
        pytest.param([TextContent(text="a"), "b"], "ab", False, id="blocks"),
        pytest.param(ToolResult(content="r"), "r", False, id="result"),
        pytest.param(ToolResult(content="bad", is_error=True), "bad", True, id="C18"),
        pytest.param({"content": [{"type": "text", "text": "w"}], "isError": True}, "w", True, id="mapping"),
        pytest.param({}, "", False, id="C19"),
        pytest.param(None, 'Tool "t1" returned nothing', True, id="C20"),
        pytest.param(7, 'Tool "t1" returned an unusable result: int is neither', True, id="nonsense"),
        pytest.param(ValueError("why"), "why", True, id="raised"),
        pytest.param(KeyError(), "KeyError", True, id="raised-bare"),
        pytest.param(SystemExit(3), "3", True, id="exit"),
    ],
)
async def test_what_a_tool_answers(answer: Any, said: str, is_error: bool) -> None:
    """C17, C18, C19, C20: whatever a tool returns or raises becomes a result message."""
    bench = Bench([call(), "done"], [tool(Spy(answer))])
    await bench.run()
    assert is_error == bench.results[0].is_error
    assert text(bench.results[0]).startswith(said)
    assert "done" == text(bench.answers[-1])


async def test_a_result_keeps_its_parts() -> None:
    """Details, structured content, usage and new tools travel to the message; time is measured."""
    usage = Usage(input=1, output=2, total_tokens=3)
    answer = ToolResult(
        content="x", details={"d": 1}, structured_content=[1], usage=usage, added_tool_names=["n"]
    )
    bench = Bench([call(), "done"], [tool(Spy(answer))])
    await bench.run()
    message = bench.results[0]
    assert ({"d": 1}, [1], usage, ["n"]) == (
        message.details,
        message.structured_content,
        message.usage,
        message.added_tool_names,
    )
    assert message.duration_ms is not None


async def test_c23_a_tool_that_terminates_alone() -> None:
    """C23: the run ends after one request."""
    bench = Bench([call(), "never"], [tool(Spy(ToolResult(terminate=True)))])
    await bench.run()
    assert 1 == len(bench.model.requests)


@pytest.mark.parametrize(("terminate", "requests"), [(True, 1), (False, 2)], ids=["C25", "C25-plain"])
async def test_c25_a_refusal_may_terminate(terminate: bool, requests: int) -> None:
    """C25: a refused sibling lets the run end only if its refusal says so."""
    stop = tool(Spy(ToolResult(terminate=True)), name="stop")
    bench = Bench([calls(call("stop"), call("t1")), "done"], [stop, tool(Spy())])
    bench.hooks.gate = lambda request: Refusal("no", terminate) if request.tool_name == "t1" else None
    await bench.run()
    assert requests == len(bench.model.requests)


async def test_c27_late_updates_are_dropped() -> None:
    """C27: an update during the call is told, one after its end is not."""
    kept: list[Any] = []

    def run(params: Any, signal: Any, on_update: Any) -> str:
        on_update(ToolResult(content="p1"))
        kept.append(on_update)
        return "ran"

    bench = Bench([call(), "done"], [tool(run)])

    async def watch(event: Any) -> None:
        if event.type == "tool_execution_end":
            kept[0](ToolResult(content="late"))

    bench.hooks.watch = watch
    await bench.run()
    updates = [event for event in bench.hooks.stream if event["type"] == "tool_execution_update"]
    assert ["p1"] == [event["partialResult"]["content"][0]["text"] for event in updates]


async def test_updates_come_from_threads_too() -> None:
    """A tool that works in a thread reports in order, and before its end."""

    async def run(params: Any, signal: Any, on_update: Any) -> str:
        def work() -> None:
            for number in range(3):
                on_update(str(number))

        await asyncio.to_thread(work)
        return "ran"

    bench = Bench([call(), "done"], [tool(run)])
    order: list[str] = []

    async def watch(event: Any) -> None:
        if isinstance(event, ToolExecutionUpdate):
            order.append(text(event.partial_result))
        elif event.type == "tool_execution_end":
            order.append("end")

    bench.hooks.watch = watch
    await bench.run()
    assert ["0", "1", "2", "end"] == order


async def test_a_result_that_cannot_be_judged_is_an_error() -> None:
    """A tool_result hook that breaks must not let the result pass as good."""

    def patch(request: ToolRequest, result: ToolResult) -> ToolResult | None:
        raise RuntimeError("judge died")

    bench = Bench([call(), "done"], [tool(Spy())])
    bench.hooks.patch = patch
    await bench.run()
    assert ("judge died", True) == (text(bench.results[0]), bench.results[0].is_error)


async def test_tools_that_a_call_brings_are_named() -> None:
    """Tools that became active during a call are listed on its message, unless others went away."""
    bench = Bench([call("grow"), call("swap"), "done"])

    def grow(params: Any, signal: Any, on_update: Any) -> str:
        bench.agent.state.tools = [*bench.agent.state.tools, tool(Spy(), name="new")]
        return "grown"

    def swap(params: Any, signal: Any, on_update: Any) -> str:
        bench.agent.state.tools = [tool(Spy(), name="other")]
        return "swapped"

    bench.agent.state.tools = [tool(grow, name="grow"), tool(swap, name="swap")]
    await bench.run()
    assert [["new"], None] == [message.added_tool_names for message in bench.results]


async def test_a_tool_that_calls_itself_comes_to_an_end() -> None:
    """At a depth that nobody means the innermost call is refused, and its text comes out through all."""
    bench = Bench([call("selfish"), "done"])
    runs: list[str] = []

    async def selfish(call_id: str, params: Any, signal: Any, on_update: Any, ctx: Any) -> ToolResult:
        runs.append(call_id)
        return await bench.agent.execute_tool(call_id, "selfish", {})

    bench.agent.state.tools = [
        ToolDefinition(name="selfish", description="", parameters={"type": "object"}, execute=selfish)
    ]
    await bench.run()
    assert (DEEPEST + 1, TOO_DEEP) == (len(runs), text(bench.results[0]))


async def test_a_tool_calls_another_tool() -> None:
    """V06: a nested call has its parent's id with a counter, passes the same gate, and never raises."""
    bench = Bench([call("outer"), "done"])
    outcomes: list[tuple[str, bool]] = []

    async def outer(params: Any, signal: Any, on_update: Any) -> str:
        for name in ("inner", "nope"):
            result = await bench.agent.execute_tool("call_2_0", name, {})
            outcomes.append((text(result), result.is_error))
        return "ran"

    bench.agent.state.tools = [tool(outer, name="outer"), tool(Spy("inside"), name="inner")]
    await bench.run()
    assert [("inside", False), ("Tool nope not found", True)] == outcomes
    ends = [event for event in bench.hooks.stream if event["type"] == "tool_execution_end"]
    assert [("call_2_0/1", "call_2_0"), ("call_2_0/2", "call_2_0"), ("call_2_0", None)] == [
        (event["toolCallId"], event.get("parentToolCallId")) for event in ends
    ]
    assert 1 == len(bench.results)


async def test_a_tool_receives_the_context_of_its_call() -> None:
    """The host makes the context for each call."""
    received: list[Any] = []

    async def execute(tool_call_id: str, params: Any, signal: Any, on_update: Any, ctx: Any) -> ToolResult:
        received.append((tool_call_id, ctx))
        return ToolResult(content="ran")

    bench = Bench([call(), "done"], [replace(tool(Spy()), execute=execute)])
    await bench.run()
    assert [("call_2_0", {"for": "call_2_0"})] == received
