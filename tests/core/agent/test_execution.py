"""One tool runs: how an abort and a failing listener reach it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from hookspecs.definitions import ToolResult
from pi_core.abort import AbortController
from pi_core.agent.execution import execute
from pi_core.agent.ports import ToolRequest
from tests.core.agent.harness import text, tool

REQUEST = ToolRequest("c1", "t1", {})


async def ignore(partial: ToolResult) -> None:
    """A listener that takes everything."""


async def test_a_deaf_tool_is_cancelled() -> None:
    """A tool that does not look at its signal is cancelled when the grace time is over."""
    controller = AbortController()

    async def run(params: Any, signal: Any, on_update: Any) -> str:
        controller.abort()
        await asyncio.sleep(60)
        return "never"

    result = await execute(tool(run), REQUEST, None, controller.signal, ignore, grace_s=0.01)
    assert ("Operation aborted", True) == (text(result), result.is_error)


async def test_a_tool_that_will_not_be_cancelled_is_left_behind() -> None:
    """It swallows the cancellation and goes on: the call is over all the same, and the task is kept."""
    controller = AbortController()
    end = asyncio.Event()
    left: set[asyncio.Future[Any]] = set()

    async def run(params: Any, signal: Any, on_update: Any) -> str:
        controller.abort()
        while not end.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await end.wait()
        return "too late"

    result = await execute(
        tool(run), REQUEST, None, controller.signal, ignore, grace_s=0.01, left_behind=left
    )
    assert ("Operation aborted", True, 1) == (text(result), result.is_error, len(left))
    (task,) = left
    end.set()
    await task
    await asyncio.sleep(0)
    assert set() == left


async def test_a_tool_has_its_grace_time() -> None:
    """A tool that ends by itself after an abort keeps its own result."""
    controller = AbortController()

    async def run(params: Any, signal: Any, on_update: Any) -> str:
        controller.abort()
        await signal.wait()
        await asyncio.sleep(0.01)
        return "cleaned up"

    result = await execute(tool(run), REQUEST, None, controller.signal, ignore, grace_s=5)
    assert ("cleaned up", False) == (text(result), result.is_error)


async def test_a_tool_that_cancels_itself_is_an_error() -> None:
    """A CancelledError that nobody asked for does not end the run."""

    async def run(params: Any, signal: Any, on_update: Any) -> str:
        raise asyncio.CancelledError

    result = await execute(tool(run), REQUEST, None, AbortController().signal, ignore)
    assert result.is_error


async def test_a_plain_function_may_be_a_tool() -> None:
    """`execute` may return its result at once."""
    result = await execute(tool(lambda *given: "ran"), REQUEST, None, AbortController().signal, ignore)
    assert "ran" == text(result)


async def test_updates_are_told_one_at_a_time() -> None:
    """A slow listener gets the updates in order, all of them before the result is there."""
    told: list[str] = []

    def run(params: Any, signal: Any, on_update: Any) -> str:
        for number in range(3):
            on_update(str(number))
        return "ran"

    async def slow(partial: ToolResult) -> None:
        await asyncio.sleep(0.001)
        told.append(text(partial))

    await execute(tool(run), REQUEST, None, AbortController().signal, slow)
    assert ["0", "1", "2"] == told


async def test_a_failing_listener_is_not_the_tools_fault() -> None:
    """What the listener raises reaches the caller, after the tool has ended."""

    def run(params: Any, signal: Any, on_update: Any) -> str:
        on_update("half")
        return "ran"

    async def fail(partial: ToolResult) -> None:
        raise RuntimeError("listener died")

    with pytest.raises(RuntimeError, match="listener died"):
        await execute(tool(run), REQUEST, None, AbortController().signal, fail)
