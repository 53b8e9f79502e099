"""Header, footer, status, widget and title. What they say is made in `texts.py`."""

from __future__ import annotations

from typing import Any

from pi_core.api import CommandContext, ExtensionAPI, ExtensionContext, SessionStart, ToolCall, TurnEnd
from pi_sample_chrome.texts import footer_line, header_line, widget_lines

PARTS = ("header", "footer", "widget", "title")


def extension(pi: ExtensionAPI) -> None:
    """Put everything on at the start of a session; keep it in step."""
    shown = set(PARTS)
    commands: list[str] = []
    turns = 0

    def dress(ctx: ExtensionContext) -> None:
        """Show the parts that are on, and none of the others."""
        ui, cwd = ctx.ui, ctx.cwd

        def header(tui: Any, theme: Any) -> Any:
            return theme.fg("accent", header_line(cwd, pi.get_session_name()))

        def footer(tui: Any, theme: Any) -> Any:
            return theme.fg("dim", footer_line(ctx.model.id if ctx.model else "no model", turns))

        ui.set_header(header if "header" in shown else None)
        ui.set_footer(footer if "footer" in shown else None)
        ui.set_widget("chrome", widget_lines(commands) if "widget" in shown else None)
        if "title" in shown:
            ui.set_title(header_line(cwd, pi.get_session_name()))

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        nonlocal turns
        turns = 0
        commands.clear()
        dress(ctx)

    @pi.on("tool_call")
    def remember(event: ToolCall, ctx: ExtensionContext) -> None:
        if event.tool_name == "bash":
            commands.append(str(event.input.get("command", "")))
            dress(ctx)

    @pi.on("turn_end")
    def count(event: TurnEnd, ctx: ExtensionContext) -> None:
        nonlocal turns
        turns += 1
        ctx.ui.set_status("chrome", f"{turns} turn{'s' * (turns > 1)}")
        dress(ctx)

    @pi.command("chrome", description="Switch a part on or off: /chrome PART", complete=lambda _: list(PARTS))
    def switch(args: str, ctx: CommandContext) -> None:
        part = args.strip()
        if part not in PARTS:
            ctx.ui.notify(f"There is no part {part!r}; there are {', '.join(PARTS)}.", "warning")
            return
        shown.symmetric_difference_update([part])
        dress(ctx)
