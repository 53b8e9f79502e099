"""A tool that takes the final answer in the form that somebody asked for, and ends the run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pi_core.api import (
    AgentStart,
    BeforeAgentStart,
    ExtensionAPI,
    ExtensionContext,
    SessionStart,
    ToolDefinition,
    ToolResult,
)

FLAG = "answer-schema"
TOOL = "final_answer"
RULE = f"When you are done, call {TOOL} exactly once. Do not answer in prose instead."


def extension(pi: ExtensionAPI) -> None:
    """The flag; and, where it is given, the tool and the rule."""
    pi.register_flag(FLAG, type="string", description="A JSON schema FILE that the answer must fit")
    asked = False

    async def answer(tool_call_id: str, params: Any, signal: Any, on_update: Any, ctx: Any) -> ToolResult:
        pi.append_entry("structured-output", params)
        return ToolResult(content=json.dumps(params), structured_content=params, terminate=True)

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        nonlocal asked
        path = pi.get_flag(FLAG)
        if not isinstance(path, str):
            return
        schema = schema_in(Path(ctx.cwd, path))
        pi.register_tool(
            ToolDefinition(name=TOOL, description="Give the final answer.", parameters=schema, execute=answer)
        )
        asked = True

    @pi.on("before_agent_start")
    def remind(event: BeforeAgentStart, ctx: ExtensionContext) -> AgentStart | None:
        return AgentStart(system_prompt=f"{event.system_prompt}\n\n{RULE}") if asked else None


def schema_in(path: Path) -> Mapping[str, Any]:
    """The schema of a file, which must describe an object. Raises: ValueError that says what is wrong."""
    try:
        schema = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"--{FLAG} {path}: {error}") from error
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise ValueError(f'--{FLAG} {path}: the schema must say "type": "object"')
    return schema
