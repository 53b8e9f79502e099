"""Handled, transform and inline bash: what an extension can make of a prompt."""

from __future__ import annotations

from pi_core.api import ExtensionAPI, ExtensionContext, Handled, Input, Transform
from pi_sample_input_tools.inline import commands_in, filled_in

SHORT = "Answer in one or two sentences.\n\n"
LIMIT = 4000
"""How much of one command's output gets into a prompt, in characters."""


def extension(pi: ExtensionAPI) -> None:
    """Three handlers, which run in this order."""

    @pi.on("input")
    def ping(event: Input, ctx: ExtensionContext) -> Handled | None:
        if event.text.strip().lower() != "ping":
            return None
        ctx.ui.notify("pong")
        return Handled()

    @pi.on("input")
    def short(event: Input, ctx: ExtensionContext) -> Transform | None:
        question = event.text.removeprefix("?")
        return Transform(SHORT + question.strip()) if question != event.text and question.strip() else None

    @pi.on("input")
    async def inline_bash(event: Input, ctx: ExtensionContext) -> Transform | None:
        commands = commands_in(event.text)
        if not commands or event.source == "extension":
            return None
        outputs = [await output_of(pi, ctx.cwd, command) for command in commands]
        return Transform(filled_in(event.text, outputs))


async def output_of(pi: ExtensionAPI, cwd: str, command: str) -> str:
    """What the command prints, within the limit; how it ended where it failed."""
    done = await pi.exec("bash", ["-c", command], cwd=cwd, timeout_s=30)
    text = (done.stdout if done.code == 0 else done.stdout + done.stderr).strip()
    if len(text) > LIMIT:
        text = f"{text[:LIMIT]}\n… ({len(text) - LIMIT} more characters)"
    return text if done.code == 0 else f"{text}\n(exit code {done.code})".strip()
