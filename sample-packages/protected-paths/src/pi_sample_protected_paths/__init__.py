"""Refuses changes of protected paths. The judgement is in `patterns.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_core.api import Block, ExtensionAPI, ExtensionContext, ToolCall
from pi_sample_protected_paths.patterns import BUILT_IN, protecting_pattern

CHANGING = ("write", "edit")


def extension(pi: ExtensionAPI) -> None:
    """Listen to the calls of tools that change files."""

    @pi.on("tool_call")
    def guard(event: ToolCall, ctx: ExtensionContext) -> Block | None:
        if event.tool_name not in CHANGING:
            return None
        path = str(event.input.get("path", ""))
        pattern = protecting_pattern(path, ctx.cwd, (*BUILT_IN, *own_patterns(pi.get_settings())))
        if pattern is None:
            return None
        ctx.ui.notify(f"Refused: {event.tool_name} {path}", "warning")
        return Block(f"{path} is protected by the pattern {pattern!r}; leave it as it is")


def own_patterns(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The patterns of the settings; anything but texts is left out."""
    table = settings.get("protected-paths")
    found = table.get("patterns", ()) if isinstance(table, Mapping) else ()
    return tuple(item for item in found if isinstance(item, str)) if isinstance(found, list | tuple) else ()
