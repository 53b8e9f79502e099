"""Asks before a session is left, and says when uncommitted work would be left behind with it."""

from __future__ import annotations

from pi_core.api import (
    Cancel,
    ExtensionAPI,
    ExtensionContext,
    SessionBeforeFork,
    SessionBeforeSwitch,
    UserMessage,
)


def extension(pi: ExtensionAPI) -> None:
    """Listen to the two gates."""

    @pi.on("session_before_switch")
    async def switch(event: SessionBeforeSwitch, ctx: ExtensionContext) -> Cancel | None:
        said = count_of_prompts(ctx)
        if not ctx.has_ui or not said:
            return None
        what = "Start a new session?" if event.reason == "new" else "Go to another session?"
        about = f"This one has {said} message{'s' * (said > 1)}; it is kept."
        return await ask(ctx, what, about, await changed_files(pi, ctx))

    @pi.on("session_before_fork")
    async def fork(event: SessionBeforeFork, ctx: ExtensionContext) -> Cancel | None:
        changed = await changed_files(pi, ctx) if ctx.has_ui else 0
        if not changed:
            return None
        about = "Files stay as they are; only the conversation goes back."
        return await ask(ctx, "Fork the session?", about, changed)


async def ask(ctx: ExtensionContext, title: str, about: str, changed: int) -> Cancel | None:
    """The person's answer as an answer to the event; yes is no opinion."""
    if changed:
        about = f"{about}\n{changed} file{'s' * (changed > 1)} with changes that are not committed."
    return None if await ctx.ui.confirm(title, about) else Cancel()


async def changed_files(pi: ExtensionAPI, ctx: ExtensionContext) -> int:
    """How many files git calls changed; 0 where there is no repository, or no git."""
    status = await pi.exec("git", ["status", "--porcelain"], cwd=ctx.cwd, timeout_s=5)
    return len(status.stdout.splitlines()) if status.code == 0 else 0


def count_of_prompts(ctx: ExtensionContext) -> int:
    """How often the person said something on this branch."""
    messages = (getattr(entry, "message", None) for entry in ctx.session.get_branch())
    return sum(isinstance(message, UserMessage) for message in messages)
