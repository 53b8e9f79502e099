"""Each marked line is a mistake that a type checker must name; no other line may be one."""

from __future__ import annotations

from pi_core.api import (
    Block,
    Cancel,
    CommandContext,
    ExtensionAPI,
    ExtensionContext,
    Input,
    ProviderConfig,
    SessionStart,
    TextDelta,
    ToolCall,
    ToolDefinition,
    ToolResult,
    Trust,
)


def start(event: SessionStart, ctx: ExtensionContext) -> None: ...


def cancel(event: ToolCall, ctx: ExtensionContext) -> Cancel:
    return Cancel()


def extension(pi: ExtensionAPI) -> None:
    pi.on("tool_cal", lambda event, ctx: None)  # wrong: no such event
    pi.on("tool_call", start)  # wrong: the handler of another event
    pi.on("tool_call", cancel)  # wrong: the answer to another event
    pi.on(ToolCall, start)  # wrong: the same by class
    pi.on("turn_start", lambda event: None)  # wrong: one argument
    pi.on("turn_start", lambda event, ctx: event.tool_name)  # wrong: not a field of this event
    pi.on("turn_start", first="yes")  # wrong: not a boolean
    pi.register_command("c", lambda args: None)  # wrong: without the context
    pi.register_shortcut("f7", lambda: None)  # wrong: without the context
    pi.register_flag("f", type="integer")  # wrong: no such type
    pi.register_tool(lambda: None)  # wrong: not a definition
    pi.send_message("text")  # wrong: not a message
    pi.send_user_message("text", deliver_as="later")  # wrong: no such delivery
    pi.no_such_method()  # wrong: not a method
    length: int = pi.get_flag("f")  # wrong: a flag is no number
    print(length)
    Block("reason", terminate="yes")  # wrong: not a boolean
    Trust("maybe")  # wrong: no such verdict
    TextDelta(delta="x")  # wrong: without its place
    ProviderConfig(base_uri="http://127.0.0.1")  # wrong: no such field
    ToolResult(contents="x")  # wrong: no such field
    ToolDefinition(name="x", description="")  # wrong: without parameters and a function


def handlers(pi: ExtensionAPI) -> None:
    @pi.on("input")  # wrong: the answer to another event
    def rewrite(event: Input, ctx: ExtensionContext) -> Block:
        return Block("no")

    @pi.command("c")  # wrong: arguments are text
    def command(args: int, ctx: CommandContext) -> None: ...

    @pi.on("session_start")
    async def begin(event: SessionStart, ctx: ExtensionContext) -> None:
        ctx.has_ui()  # wrong: a fact, not a question
        ctx.session.append("x")  # wrong: read only
        answer: str = await ctx.ui.confirm("sure?")  # wrong: yes or no
        print(answer)
        ctx.reload()  # wrong: only commands may
