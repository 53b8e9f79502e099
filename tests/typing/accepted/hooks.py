"""The second door: marked functions, methods, and wrappers of both kinds."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from typing import Any

from pi_core.api import Block, ExtensionContext, SessionStart, ToolCall, TurnStart, hookimpl


@hookimpl
def pi_session_start(event: SessionStart, ctx: ExtensionContext) -> None:
    ctx.ui.notify(event.reason)


@hookimpl(tryfirst=True)
async def pi_tool_call(event: ToolCall) -> Block | None:
    return Block("no") if event.tool_name == "bash" else None


@hookimpl(wrapper=True)
def pi_turn_start(event: TurnStart) -> Generator[None, Any, Any]:
    result = yield
    return result


class Timing:
    @hookimpl(wrapper=True, trylast=True)
    async def pi_tool_call(self, event: ToolCall, ctx: ExtensionContext) -> AsyncGenerator[Any, Any]:
        answer = yield
        if answer is None:
            yield Block("slow")

    @hookimpl(optionalhook=True)
    def pi_from_the_future(self, event: Any, ctx: Any) -> None: ...
