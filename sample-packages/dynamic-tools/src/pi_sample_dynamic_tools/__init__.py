"""One tool to find others, and a table from which those are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_core.api import ExtensionAPI, ExtensionContext, SessionStart, ToolDefinition, ToolResult
from pi_sample_dynamic_tools.conversions import CONVERSIONS, Conversion, matching


def extension(pi: ExtensionAPI) -> None:
    """Register the conversions when a session starts, and keep them out of the model's sight."""

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        for conversion in CONVERSIONS:
            pi.register_tool(tool_of(conversion))
        deferred = {conversion.name for conversion in CONVERSIONS}
        pi.set_active_tools([name for name in pi.get_active_tools() if name not in deferred])

    @pi.tool(prompt_snippet="Find tools that convert units; they can be used from the next turn on")
    def find_tools(query: str) -> ToolResult:
        """Find conversion tools by a unit or a word, and switch them on."""
        found = matching(query)
        added = [conversion.name for conversion in found if conversion.name not in pi.get_active_tools()]
        pi.set_active_tools([*pi.get_active_tools(), *added])
        return ToolResult(content=listed(found, query), added_tool_names=added)


def tool_of(conversion: Conversion) -> ToolDefinition:
    """The tool that does one conversion."""

    async def execute(tool_call_id: str, params: Any, signal: Any, on_update: Any, ctx: Any) -> ToolResult:
        value = conversion.convert(params["value"])
        return ToolResult(content=f"{value:g} {conversion.to}", structured_content={"value": value})

    return ToolDefinition(
        name=conversion.name,
        description=f"Convert {conversion.of} to {conversion.to}.",
        parameters={"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]},
        execute=execute,
    )


def listed(found: Sequence[Conversion], query: str) -> str:
    """A line for each tool, or that there is none."""
    if not found:
        return f"No tool matches {query!r}. Units: {', '.join(sorted({c.of for c in CONVERSIONS}))}."
    return "\n".join(f"{c.name}: {c.of} to {c.to}" for c in found)
