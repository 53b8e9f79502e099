"""Whole sessions against the golden traces: the json stream, and what extensions are told.

Case numbers are those of the host page, part 13.A.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import ToolResult
from pi_core.api import ExtensionAPI, ResultPatch
from tests.support.golden import golden
from tests.support.golden_cases import CASES, ECHO, aborts_at, sends_at
from tests.support.session_bench import SessionBench, call, calls


def assert_golden(case: str, bench: SessionBench) -> None:
    recorded = golden(case)
    assert recorded.stream == bench.stream
    assert recorded.extensions == bench.seen


@pytest.mark.parametrize("number", CASES)
async def test_a_session_sounds_like_the_recorded_one(number: str, tmp_path: Path) -> None:
    """Hosts hear the recorded stream and extensions the recorded events, settling and quitting included."""
    case = CASES[number]
    bench = SessionBench(tmp_path, case.script, case.extension, settings=case.settings)
    assert_golden(case.golden, await bench.run(*case.prompts))


CANNOT_RUN = {
    "22": (call("nope"), "nope", "Tool nope not found"),
    "23": ({"tool": "read", "arguments": {"offset": "x"}}, "read", "path"),
    "24": ({**call("bash", command="echo hi"), "stop": "length"}, "bash", "output limit"),
}


@pytest.mark.parametrize("number", CANNOT_RUN)
async def test_a_call_that_cannot_run(number: str, tmp_path: Path) -> None:
    """22–24: start and end are told, no tool_call, no tool_result; the model reads why and goes on."""
    turn, name, reason = CANNOT_RUN[number]
    bench = await SessionBench(tmp_path, [turn, "done"]).run("go")
    around = [
        f"tool_execution_start {name}#1", f"tool_execution_end {name}#1 error",
        "message_start toolResult", "message_end toolResult",
    ]  # fmt: skip
    assert around == bench.seen[14:18]
    assert reason in bench.said("toolResult")[0]
    assert ["agent_end user assistant toolResult assistant", "agent_settled"] == bench.stream[-2:]


async def test_12_steering_does_not_cut_an_answer(tmp_path: Path) -> None:
    """12: what is queued while text arrives waits for the end of the turn."""
    extension = sends_at("message_update", ("S", "steer"))
    bench = await SessionBench(tmp_path, ["first answer", "second"], extension).run("go")
    assert ["turn_end stop 0", "turn_start", "queue_update [[], []]", "message_start user"] == (
        bench.stream[bench.stream.index("turn_end stop 0") :][:4]
    )
    assert (["first answer", "second"], 1) == (bench.said("assistant"), bench.stream.count("agent_start"))


async def test_29_an_abort_in_front_of_two_calls(tmp_path: Path) -> None:
    """29: both calls get start, end and a result; only the first was asked about."""
    turns = [calls(call("bash", command="echo a"), call("bash", command="echo b")), "never"]
    bench = await SessionBench(tmp_path, turns, aborts_at("tool_call", "")).run("go")
    ends = [line for line in bench.stream if line.startswith("tool_execution_end")]
    assert ["tool_execution_end bash#1 error", "tool_execution_end bash#2 error"] == ends
    assert (["tool_call bash#1"], 2) == (
        [line for line in bench.seen if line.startswith("tool_call")], len(bench.said("toolResult")),
    )  # fmt: skip
    assert "agent_settled aborted" == bench.stream[-1]


async def test_26_one_of_two_results_that_end_the_run(tmp_path: Path) -> None:
    """26: the run goes on unless every result wants to stop."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool
        def term(stop: bool) -> ToolResult:
            return ToolResult(content="x", terminate=stop)

    turns = [calls(call("term", stop=True), call("term", stop=False)), "done"]
    bench = await SessionBench(tmp_path, turns, extension).run("go")
    assert ["done"] == [text for text in bench.said("assistant") if text]


async def test_27_a_handler_of_tool_call_that_fails(tmp_path: Path) -> None:
    """27: the call is refused with the handler's message, and the failure is told as well."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("tool_call")
        def broken(event: Any, ctx: Any) -> None:
            raise ValueError("guard broke")

    bench = await SessionBench(tmp_path, [ECHO, "done"], extension).run("go")
    assert (["guard broke"], [("tool_call", "guard broke")]) == (bench.said("toolResult"), bench.errors())
    assert "tool_execution_end bash#1 error" in bench.stream


async def test_28_a_result_that_is_rewritten(tmp_path: Path) -> None:
    """28: an error that a handler of tool_result turns into a success is one for everybody."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("tool_result", lambda event, ctx: ResultPatch(content="rewritten", is_error=False))

    bench = await SessionBench(tmp_path, [call("bash", command="exit 3"), "done"], extension).run("go")
    assert ["rewritten"] == bench.said("toolResult")
    assert "tool_execution_end bash#1 ok" in bench.stream
    assert "tool_result bash#1 error" in bench.seen
