"""The `todo` tool, and where its list comes from."""

from __future__ import annotations

from typing import Any, Literal

from pi_core.api import (
    ExtensionAPI,
    ExtensionContext,
    SessionStart,
    SessionTree,
    ToolResult,
    ToolResultMessage,
)
from pi_sample_todo.items import TodoList, rebuild


def results_on_branch(ctx: ExtensionContext) -> list[Any]:
    """The details of every todo result on the current branch, oldest first."""
    found = []
    for entry in ctx.session.get_branch():
        message = getattr(entry, "message", None)
        if isinstance(message, ToolResultMessage) and message.tool_name == "todo":
            found.append(message.details)
    return found


def extension(pi: ExtensionAPI) -> None:
    """Register the tool; keep its list in step with the branch."""
    current = TodoList()

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        nonlocal current
        current = rebuild(results_on_branch(ctx))

    @pi.on("session_tree")
    def moved(event: SessionTree, ctx: ExtensionContext) -> None:
        nonlocal current
        current = rebuild(results_on_branch(ctx))

    @pi.tool(
        label="To-do list",
        prompt_snippet="Keep a to-do list for this session",
        prompt_guidelines=["Use todo for work of more than three steps, and keep it up to date"],
        mode="sequential",
    )
    async def todo(
        text: str = "", action: Literal["add", "list", "done", "clear"] = "add", id: int | None = None
    ) -> ToolResult:
        """Keep the to-do list: add a `text`, list, mark the item `id` as done, or clear."""
        nonlocal current
        current = changed(current, action, text, id)
        return ToolResult(content=current.render(), details=current.to_details())

    @pi.command("todos", description="Show the to-do list of this branch")
    async def show(args: str, ctx: ExtensionContext) -> None:
        ctx.ui.notify(current.render())


def changed(current: TodoList, action: str, text: str, item_id: int | None) -> TodoList:
    """The list after one action; a missing argument is an error that says which."""
    match action:
        case "add":
            if not text.strip():
                raise ValueError("action add needs a text")
            return current.add(text.strip())
        case "done":
            if item_id is None:
                raise ValueError("action done needs an id")
            return current.finish(item_id)
        case "clear":
            return current.clear()
        case _:
            return current
