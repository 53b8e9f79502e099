"""Tools, commands, keys, flags, renderers, and work in the background."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from pi_core.api import (
    AbortSignal,
    CommandContext,
    CustomMessage,
    ExecResult,
    ExtensionAPI,
    ExtensionContext,
    ReplacedSessionContext,
    TextContent,
    ToolContext,
    ToolDefinition,
    ToolResult,
    file_mutation,
)


async def execute(
    tool_call_id: str, params: dict[str, Any], signal: AbortSignal, on_update: Any, ctx: ToolContext
) -> ToolResult:
    return ToolResult(content=[TextContent(text=params["text"])], details={"id": tool_call_id})


def extension(pi: ExtensionAPI) -> None:
    @pi.tool
    def double(n: int) -> str:
        """Double a number."""
        return str(2 * n)

    @pi.tool(label="Search", prompt_snippet="Search the notes", mode="sequential")
    async def search(
        query: Annotated[str, "what to look for"],
        kind: Literal["note", "task"] = "note",
        *,
        ctx: ToolContext,
        signal: AbortSignal,
    ) -> ToolResult:
        inner = await ctx.execute_tool("double", {"n": 2})
        return ToolResult(content=f"{query} {kind} {inner.is_error} {signal.aborted}")

    doubled: str = double(3)
    assert doubled == "6"

    pi.register_tool(
        ToolDefinition(
            name="echo",
            description="Repeat a text",
            parameters={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            execute=execute,
        )
    )

    @pi.command("review", description="Review the branch", complete=lambda prefix: [prefix + "main"])
    async def review(args: str, ctx: CommandContext) -> None:
        await ctx.wait_for_idle()
        replaced = await ctx.new_session(with_session=greet)
        if not replaced.cancelled:
            return
        await ctx.reload()

    async def greet(ctx: ReplacedSessionContext) -> None:
        await ctx.send_user_message("hello")

    @pi.shortcut("ctrl+alt+p", action_id="toggle-plan", description="Toggle plan mode")
    def toggle(ctx: ExtensionContext) -> None:
        ctx.ui.set_status("plan", "on" if ctx.is_idle() else None)

    pi.register_command("plain", lambda args, ctx: None)
    pi.register_shortcut("f7", lambda ctx: ctx.ui.notify("f7"))
    pi.register_flag("plan", type="boolean", default=False)
    value: bool | str | None = pi.get_flag("plan")
    if value:
        pi.send_message(CustomMessage(custom_type="plan", content="on"), deliver_as="next_turn")
    pi.register_message_renderer("plan", lambda message, options, theme: ["plan"])


async def background(pi: ExtensionAPI) -> None:
    result: ExecResult = await pi.exec("git", ["status", "--short"], timeout_s=5)
    task: asyncio.Task[int] = pi.spawn(count(result.stdout), name="count")
    stop = pi.every(60, lambda: None)
    off = pi.events.on("channel", lambda data: None)
    pi.events.emit("channel", {"lines": await task})
    stop()
    off.unsubscribe()
    async with file_mutation("notes.txt"):
        pi.append_entry("counted", {"lines": 1})
    names: list[str] = [tool.name for tool in pi.get_all_tools()]
    pi.set_active_tools([*names, "double"])


async def count(text: str) -> int:
    return len(text.splitlines())
