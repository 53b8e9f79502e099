"""The wrapper measures the guards, the start and end hooks the tool, and nothing else changes."""

from __future__ import annotations

import asyncio
from typing import Any

from pi_sample_hookimpl_plugin.clock import Clock

from pi_core.api import AgentSettled, Block, ExtensionAPI, ToolCall, ToolExecutionEnd, ToolExecutionStart
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker, PackageReader


def test_a_call_has_its_own_times() -> None:
    """The whole takes from start to end, the guards what the wrapper measured."""
    times = iter([1.0, 1.5])
    clock = Clock(now=lambda: next(times))
    clock.start("1", "bash")
    clock.guarded("1", 0.1, refused=False)
    clock.end("1")
    assert clock.take_lines() == ["bash took 500.0 ms (guards 100.0 ms)"]
    assert clock.take_lines() == []


def test_an_unknown_call_is_no_error() -> None:
    """An end without a start, as after a reload, is passed over."""
    clock = Clock()
    clock.guarded("1", 0.1, refused=True)
    assert clock.end("1") is None


async def allow(event: Any, ctx: Any) -> None:
    await asyncio.sleep(0.01)


def refuse(event: Any, ctx: Any) -> Block:
    return Block(reason="no")


def call_once(pi_harness: HarnessMaker, pi_package: PackageReader, guard: Any) -> tuple[Any, list[str]]:
    """One tool call under a guard: the guards' answer, and the lines shown."""

    def gate(pi: ExtensionAPI) -> None:
        pi.on("tool_call", guard)

    ui = RecordingUI()
    pi = pi_harness(*pi_package().requests, gate, ui=ui)
    pi.emit(ToolExecutionStart(tool_call_id="1", tool_name="bash", args={}))
    answer = pi.emit(ToolCall(tool_name="bash", tool_call_id="1", input={}))
    pi.emit(ToolExecutionEnd(tool_call_id="1", tool_name="bash", result=None))
    pi.emit(AgentSettled())
    return answer, ui.notices


def test_an_allowed_call_is_timed(pi_harness: HarnessMaker, pi_package: PackageReader) -> None:
    """The guard slept ten milliseconds; the line says so, and the answer stays no opinion."""
    answer, (line,) = call_once(pi_harness, pi_package, allow)
    assert answer is None
    assert line.startswith("bash took ")
    assert float(line.partition("guards ")[2].partition(" ")[0]) >= 9


def test_a_refusal_passes_through(pi_harness: HarnessMaker, pi_package: PackageReader) -> None:
    """The wrapper lets the guards' decision stand."""
    answer, (line,) = call_once(pi_harness, pi_package, refuse)
    assert answer.block
    assert line.startswith("bash refused after ")


def test_the_wheel_brings_what_the_tree_does(pi_package: PackageReader) -> None:
    """One extension, found by the entry point in either form."""
    tree, wheel = pi_package(), pi_package(wheel=True)
    assert tree.extensions == wheel.extensions
    assert len(tree.extensions) == 1
    assert wheel.diagnostics == ()
