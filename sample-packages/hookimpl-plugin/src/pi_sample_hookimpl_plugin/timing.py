"""Hook implementations that time every tool call, guards apart from the tool."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from pi_core.api import (
    AgentSettled,
    ExtensionContext,
    ToolCall,
    ToolExecutionEnd,
    ToolExecutionStart,
    hookimpl,
)
from pi_sample_hookimpl_plugin.clock import Clock

clock = Clock()


@hookimpl
def pi_tool_execution_start(event: ToolExecutionStart, ctx: ExtensionContext) -> None:
    clock.start(event.tool_call_id, event.tool_name)


@hookimpl(wrapper=True)
async def pi_tool_call(event: ToolCall, ctx: ExtensionContext) -> AsyncGenerator[None, Any]:
    """Run around every guard; the answer passes through untouched."""
    before = clock.now()
    answer = yield
    clock.guarded(event.tool_call_id, clock.now() - before, bool(getattr(answer, "block", False)))


@hookimpl
def pi_tool_execution_end(event: ToolExecutionEnd, ctx: ExtensionContext) -> None:
    clock.end(event.tool_call_id)


@hookimpl
def pi_agent_settled(event: AgentSettled, ctx: ExtensionContext) -> None:
    for line in clock.take_lines():
        ctx.ui.notify(line)
