"""Presets: chosen by flag, command or from the session, and put in force together."""

from __future__ import annotations

from typing import Literal

from pi_core.api import (
    AgentStart,
    BeforeAgentStart,
    CommandContext,
    ExtensionAPI,
    ExtensionContext,
    SessionStart,
)
from pi_sample_preset.presets import Preset, presets_of

ENTRY = "preset"


def extension(pi: ExtensionAPI) -> None:
    """The flag, the command, and the instructions of the present preset."""
    pi.register_flag("preset", type="string", description="Begin with this preset")
    present: Preset | None = None
    before: list[str] = []

    def known() -> dict[str, Preset]:
        return presets_of(pi.get_settings().get("preset"))

    async def switch(name: str, ctx: ExtensionContext) -> None:
        nonlocal present, before
        preset = known().get(name)
        if preset is None and name != "off":
            tell(ctx, f"There is no preset {name!r}; {named(list(known()))}.", "error")
            return
        if present is None:
            before = pi.get_active_tools()
        pi.set_active_tools(before if preset is None or preset.tools is None else preset.tools)
        if preset is not None and preset.thinking is not None:
            pi.set_thinking_level(preset.thinking)
        present = preset
        pi.append_entry(ENTRY, {"name": name})
        ctx.ui.set_status(ENTRY, None if preset is None else f"preset {name}")
        if preset is not None and preset.model is not None:
            await use_model(pi, ctx, preset.model)

    @pi.on("session_start")
    async def start(event: SessionStart, ctx: ExtensionContext) -> None:
        asked = pi.get_flag("preset")
        name = asked if isinstance(asked, str) and event.reason == "startup" else kept(ctx)
        if name is not None:
            await switch(name, ctx)

    @pi.command(
        "preset", description="Switch to a preset: /preset [NAME|off]", complete=lambda _: [*known(), "off"]
    )
    async def choose(args: str, ctx: CommandContext) -> None:
        name = args.strip() or await ctx.ui.select("Which preset?", [*known(), "off"])
        if name is not None:
            await switch(name, ctx)

    @pi.on("before_agent_start")
    def instruct(event: BeforeAgentStart, ctx: ExtensionContext) -> AgentStart | None:
        if present is None or not present.instructions:
            return None
        return AgentStart(system_prompt=f"{event.system_prompt}\n\n{present.instructions}")


def kept(ctx: ExtensionContext) -> str | None:
    """The name that was chosen last on this branch, unless it was put away again."""
    entries = ctx.session.get_branch()
    names = [entry.data["name"] for entry in entries if getattr(entry, "custom_type", None) == ENTRY]
    return str(names[-1]) if names and names[-1] != "off" else None


async def use_model(pi: ExtensionAPI, ctx: ExtensionContext, name: str) -> None:
    """Choose the model `provider/id`; a failure is told and changes nothing."""
    provider, _, model_id = name.partition("/")
    model = ctx.models.find(provider, model_id)
    if model is None:
        tell(ctx, f"The preset wants the model {name}, which is not there.", "warning")
    elif not await pi.set_model(model):
        tell(ctx, f"The preset wants the model {name}, for which there is no key.", "warning")


def tell(ctx: ExtensionContext, sentence: str, level: Literal["warning", "error"]) -> None:
    """A notice. Raises: LookupError where there is no screen, which pi tells in a line; the run goes on."""
    if not ctx.has_ui:
        raise LookupError(sentence)
    ctx.ui.notify(sentence, level)


def named(names: list[str]) -> str:
    return f"there are {', '.join(names)}" if names else "the settings have no table [preset.NAME]"
