"""A gate before destructive shell commands: ask a person, or refuse."""

from __future__ import annotations

from pi_core.api import Block, ExtensionAPI, ExtensionContext, ToolCall
from pi_sample_permission_gate.danger import find_danger

__all__ = ["extension"]


def extension(pi: ExtensionAPI) -> None:
    """Listen to every tool call; only `bash` is judged."""

    @pi.on("tool_call")
    async def gate(event: ToolCall, ctx: ExtensionContext) -> Block | None:
        if event.tool_name != "bash":
            return None
        command = str(event.input.get("command", ""))
        danger = find_danger(command)
        if danger is None:
            return None
        if not ctx.has_ui:
            return Block(reason=f"permission-gate refused this command, because it {danger}: {command}")
        if await ctx.ui.confirm("Dangerous command", f"This command {danger}:\n\n{command}\n\nRun it?"):
            return None
        return Block(reason=f"The user refused this command: {command}")
