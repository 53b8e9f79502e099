"""A new session that starts where the old one got to. The text is made in `summary.py`."""

from __future__ import annotations

from pi_core.api import CommandContext, ExtensionAPI, ReplacedSessionContext
from pi_sample_handoff.summary import handoff_text


def extension(pi: ExtensionAPI) -> None:
    """Register the command."""

    @pi.command("handoff", description="Go on in a new session: /handoff GOAL")
    async def handoff(args: str, ctx: CommandContext) -> None:
        goal = args.strip() or (await ctx.ui.input("What should the new session do?") or "").strip()
        if not goal:
            ctx.ui.notify("Say what the new session should do: /handoff GOAL", "warning")
            return
        await ctx.wait_for_idle()
        messages = [getattr(entry, "message", None) for entry in ctx.session.get_branch()]
        text: str | None = handoff_text(goal, messages)
        if ctx.has_ui:
            text = await ctx.ui.editor("Hand over", text or "")
        if text is None or not text.strip():
            return
        prompt = text

        async def go_on(new: ReplacedSessionContext) -> None:
            await new.send_user_message(prompt)

        await ctx.new_session(with_session=go_on)
