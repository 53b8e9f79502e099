"""One checkpoint a turn, kept as a commit under `refs/pi/checkpoints/`, and the way back."""

from __future__ import annotations

from typing import Any

from pi_core.api import (
    CommandContext,
    ExtensionAPI,
    ExtensionContext,
    SessionStart,
    SessionTree,
    ToolCall,
    TurnStart,
)
from pi_sample_git_checkpoint.repository import Repository

ENTRY = "git-checkpoint"


def extension(pi: ExtensionAPI) -> None:
    """Follow the turns; offer the two commands."""
    kept: list[dict[str, Any]] = []
    saved = False

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        kept[:] = on_branch(ctx)

    @pi.on("session_tree")
    def moved(event: SessionTree, ctx: ExtensionContext) -> None:
        kept[:] = on_branch(ctx)

    @pi.on("turn_start")
    def turn(event: TurnStart, ctx: ExtensionContext) -> None:
        nonlocal saved
        saved = False

    @pi.on("tool_call")
    async def before_tools(event: ToolCall, ctx: ExtensionContext) -> None:
        nonlocal saved
        if saved:
            return
        saved = True
        commit = await Repository(pi, ctx.cwd).keep(f"before {event.tool_name}")
        if commit is not None:
            checkpoint = {"commit": commit, "before": event.tool_name}
            pi.append_entry(ENTRY, checkpoint)
            kept.append(checkpoint)

    @pi.command("checkpoints", description="List the checkpoints of this branch")
    def show(args: str, ctx: CommandContext) -> None:
        ctx.ui.notify("\n".join(titles(kept)) or "There is no checkpoint on this branch.")

    @pi.command("restore", description="Bring the files of a checkpoint back: /restore [NUMBER]")
    async def restore(args: str, ctx: CommandContext) -> None:
        number = args.strip() or await chosen(ctx, titles(kept))
        if number is None:
            return
        if not number.isdigit() or not 1 <= int(number) <= len(kept):
            ctx.ui.notify(f"There is no checkpoint {number}; there are {len(kept)}.", "error")
            return
        problem = await Repository(pi, ctx.cwd).restore(kept[int(number) - 1]["commit"])
        ctx.ui.notify(problem or f"Restored checkpoint {number}.", "error" if problem else "info")


def on_branch(ctx: ExtensionContext) -> list[dict[str, Any]]:
    """The checkpoints of the current branch, oldest first."""
    entries = ctx.session.get_branch()
    return [dict(entry.data) for entry in entries if getattr(entry, "custom_type", None) == ENTRY]


def titles(kept: list[dict[str, Any]]) -> list[str]:
    """A line for each, numbered from 1."""
    return [f"{number}. {item['commit'][:8]} before {item['before']}" for number, item in enumerate(kept, 1)]


async def chosen(ctx: CommandContext, options: list[str]) -> str | None:
    """The number that the person picked; None where nobody did."""
    picked = await ctx.ui.select("Restore which checkpoint?", options) if options else None
    return None if picked is None else picked.split(".")[0]
