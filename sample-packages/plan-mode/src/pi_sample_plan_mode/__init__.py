"""Plan mode: look first, then touch. Plans are read in `plans.py`, commands judged in `harmless.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pi_core.api import (
    AgentEnd,
    AgentStart,
    AssistantMessage,
    BeforeAgentStart,
    Block,
    CommandContext,
    ExtensionAPI,
    ExtensionContext,
    SessionStart,
    ToolCall,
    text_of,
)
from pi_sample_plan_mode.harmless import is_harmless
from pi_sample_plan_mode.plans import Plan, from_entry, plan_in, to_entry

LOOKING = ("read", "grep", "find", "ls", "bash")
ENTRY = "plan-mode"
ASKED = (
    "You are in plan mode. Look at what you need with the tools you have, change nothing, and end with a "
    "plan: numbered steps under the heading `Plan:`."
)
WORKING = "Follow the plan. Say `[DONE:n]` whenever step n is done."


class PlanMode:
    """Whether it is on, the plan, and the tools of before."""

    def __init__(self, pi: ExtensionAPI) -> None:
        self.pi = pi
        self.on = False
        self.plan = Plan()
        self.before: list[str] = []

    def switch(self, on: bool, ctx: ExtensionContext) -> None:
        """Take the tools that touch out of sight, or bring them back."""
        if on and not self.on:
            self.before = self.pi.get_active_tools()
            known = {tool.name for tool in self.pi.get_all_tools()}
            self.pi.set_active_tools([name for name in LOOKING if name in known])
        elif self.on and not on:
            self.pi.set_active_tools(self.before)
        self.on = on
        self.keep(ctx)

    def keep(self, ctx: ExtensionContext) -> None:
        """Write it into the session, and show it."""
        self.pi.append_entry(ENTRY, to_entry(self.on, self.plan))
        self.show(ctx)

    def show(self, ctx: ExtensionContext) -> None:
        ctx.ui.set_status(ENTRY, "plan mode" if self.on else None)
        ctx.ui.set_widget(ENTRY, self.plan.lines() or None)


def extension(pi: ExtensionAPI) -> None:
    """The flag, the key, the commands and the gates."""
    mode = PlanMode(pi)
    pi.register_flag("plan", type="boolean", default=False, description="Begin in plan mode")

    @pi.shortcut("ctrl+alt+p", action_id="toggle-plan", description="Plan mode on and off")
    def toggle(ctx: ExtensionContext) -> None:
        mode.switch(not mode.on, ctx)

    @pi.command("plan", description="Plan mode on and off")
    def plan(args: str, ctx: CommandContext) -> None:
        mode.switch(not mode.on, ctx)

    @pi.command("steps", description="The plan as it stands")
    def steps(args: str, ctx: CommandContext) -> None:
        ctx.ui.notify("\n".join(mode.plan.lines()) or "There is no plan yet: /plan")

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        was_on, mode.plan = from_entry(last_entry(ctx))
        wanted = was_on or (event.reason == "startup" and pi.get_flag("plan") is True)
        if wanted:
            mode.switch(True, ctx)
        else:
            mode.show(ctx)

    gates(pi, mode)
    planning(pi, mode, lambda ctx: ask_to_begin(pi, mode, ctx))


def gates(pi: ExtensionAPI, mode: PlanMode) -> None:
    """What is out of sight is refused, too: another extension may have brought it back."""

    @pi.on("tool_call")
    def refuse(event: ToolCall, ctx: ExtensionContext) -> Block | None:
        if not mode.on:
            return None
        if event.tool_name not in LOOKING:
            return Block(f"Plan mode is on: {event.tool_name} is not for looking")
        command = str(event.input.get("command", ""))
        if event.tool_name == "bash" and not is_harmless(command):
            return Block(f"Plan mode is on: this command may change something: {command}")
        return None


def planning(pi: ExtensionAPI, mode: PlanMode, agreed: Callable[[ExtensionContext], Any]) -> None:
    """The model is asked for a plan; what it answers becomes one, or ticks its steps off."""

    @pi.on("before_agent_start")
    def ask(event: BeforeAgentStart, ctx: ExtensionContext) -> AgentStart | None:
        said = ASKED if mode.on else WORKING if mode.plan.open_steps else None
        return None if said is None else AgentStart(system_prompt=f"{event.system_prompt}\n\n{said}")

    @pi.on("agent_end")
    async def read(event: AgentEnd, ctx: ExtensionContext) -> None:
        said = last_words(event.messages)
        if mode.on:
            found = plan_in(said)
            if found.steps:
                mode.plan = found
                mode.keep(ctx)
                await agreed(ctx)
        elif mode.plan.open_steps:
            mode.plan = mode.plan.ticked_off(said)
            mode.keep(ctx)


async def ask_to_begin(pi: ExtensionAPI, mode: PlanMode, ctx: ExtensionContext) -> None:
    """With a person there, the plan is carried out as soon as they agree."""
    if ctx.has_ui and await ctx.ui.confirm("Carry out the plan?", "\n".join(mode.plan.lines())):
        mode.switch(False, ctx)
        pi.send_user_message("Carry out the plan.", deliver_as="follow_up")


def last_entry(ctx: ExtensionContext) -> Any:
    """What was kept last on this branch."""
    kept = [entry.data for entry in ctx.session.get_branch() if getattr(entry, "custom_type", None) == ENTRY]
    return kept[-1] if kept else None


def last_words(messages: Sequence[Any]) -> str:
    """The text of the last answer."""
    answers = [message for message in messages if isinstance(message, AssistantMessage)]
    return text_of(answers[-1].content) if answers else ""
