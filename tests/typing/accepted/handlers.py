"""Every way to listen: by name and by class, as decorator and as call, sync and async."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_core.api import (
    AgentStart,
    BeforeAgentStart,
    Block,
    Boundary,
    Context,
    ExtensionAPI,
    ExtensionContext,
    Input,
    MessageEnd,
    ProjectTrust,
    ProjectTrustContext,
    ReplaceMessage,
    ReplaceMessages,
    ResultPatch,
    SessionStart,
    Subscription,
    ToolCall,
    ToolResultEvent,
    Transform,
    Trust,
    TurnEnd,
    TurnStart,
    UserMessage,
)


class Counter:
    """A handler may be a method, and keep state."""

    def __init__(self) -> None:
        self.turns = 0

    def count(self, event: TurnStart, ctx: ExtensionContext) -> None:
        self.turns = event.turn_index


def gate(event: ToolCall, ctx: ExtensionContext) -> Block | None:
    return Block("no") if event.tool_name == "bash" and not ctx.has_ui else None


def extension(pi: ExtensionAPI) -> None:
    counter = Counter()

    @pi.on("tool_call")
    async def ask(event: ToolCall, ctx: ExtensionContext) -> Block | None:
        allowed: bool = await ctx.ui.confirm("Run?", str(event.input.get("command", "")))
        return None if allowed else Block("refused", terminate=True)

    @pi.on(SessionStart)
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        ctx.ui.notify(f"{event.reason} in {ctx.cwd}", "info")

    @pi.on("input", first=True)
    def rewrite(event: Input, ctx: ExtensionContext) -> Transform | Mapping[str, Any] | None:
        if event.source == "extension":
            return {"action": "continue"}
        return Transform(event.text.strip())

    @pi.on("tool_result", last=True)
    def shorten(event: ToolResultEvent, ctx: ExtensionContext) -> ResultPatch:
        return ResultPatch(content=event.content[:1], is_error=False)

    @pi.on("context")
    def forget(event: Context, ctx: ExtensionContext) -> ReplaceMessages:
        return ReplaceMessages(messages=event.messages[-10:])

    @pi.on("message_end")
    async def polish(event: MessageEnd, ctx: ExtensionContext) -> ReplaceMessage | None:
        return ReplaceMessage(UserMessage(content="x")) if event.message.role == "user" else None

    @pi.on("before_agent_start")
    def prompt(event: BeforeAgentStart, ctx: ExtensionContext) -> AgentStart:
        return AgentStart(system_prompt=f"{event.system_prompt}\nBe brief.")

    @pi.on("turn_end")
    def again(event: TurnEnd, ctx: ExtensionContext) -> Boundary | None:
        return Boundary(continue_=True) if event.turn_index == 0 else None

    @pi.on("project_trust")
    def trust(event: ProjectTrust, ctx: ProjectTrustContext) -> Trust:
        return Trust("yes", remember=True) if event.cwd.startswith("/work") else Trust("undecided")

    @pi.on("from_the_future", optional=True)
    def future(event: Any, ctx: Any) -> None: ...

    subscription: Subscription = pi.on("turn_start", counter.count)
    pi.on("tool_call", gate, first=True)
    pi.on(ToolCall, lambda event, ctx: ctx.ui.notify(event.tool_name))
    if counter.turns > 3:
        subscription()
    answer: Block | None = gate(ToolCall(tool_name="x", tool_call_id="1", input={}), _nowhere())
    assert answer is None
    start(SessionStart(reason="startup"), _nowhere())


def _nowhere() -> ExtensionContext:
    raise NotImplementedError


async def later(pi: ExtensionAPI) -> None:
    """A factory may be async."""
    extension(pi)
