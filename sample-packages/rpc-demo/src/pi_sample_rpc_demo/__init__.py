"""The extension: a survey, asked wherever somebody can answer."""

from __future__ import annotations

from pi_core.api import CommandContext, ExtensionAPI


def extension(pi: ExtensionAPI) -> None:
    """Register the command."""

    @pi.command("survey", description="Four questions, one of each kind")
    async def survey(args: str, ctx: CommandContext) -> None:
        if not ctx.ui.can("confirm"):
            ctx.ui.notify("Nobody can be asked here.", "warning")
            return
        if not await ctx.ui.confirm("Have you got a minute?"):
            ctx.ui.notify("Another time, then.")
            return
        colour = await ctx.ui.select("Which colour?", ["red", "green", "blue"])
        name = await ctx.ui.input("What is your name?")
        notes = await ctx.ui.editor("Anything else?", "")
        pi.append_entry("survey", {"colour": colour, "name": name, "notes": notes})
        ctx.ui.notify(f"Thank you, {name or 'whoever you are'}: {colour or 'no colour'}.")
