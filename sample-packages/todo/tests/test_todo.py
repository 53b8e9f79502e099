"""The list changes by its tool, and is rebuilt from the results on the branch."""

from __future__ import annotations

import asyncio

import pytest
from pi_sample_todo.extension import extension
from pi_sample_todo.items import TodoList, from_details, rebuild

from pi_core.api import SessionStart, ToolResultMessage
from pi_core.testing import Harness


def test_items_are_added_finished_and_cleared() -> None:
    """Ids count on within a branch; a finished item stays on the list."""
    todo = TodoList().add("milk").add("bread").finish(1)
    assert todo.render() == "[x] 1. milk\n[ ] 2. bread"
    assert todo.clear().add("eggs").render() == "[ ] 3. eggs"


def test_an_unknown_item_is_an_error() -> None:
    """The error names the known ids."""
    with pytest.raises(LookupError, match="no item 7; known: 1"):
        TodoList().add("milk").finish(7)


def test_details_hold_the_whole_list() -> None:
    """What a result carries is enough to get the list back."""
    todo = TodoList().add("milk").finish(1).add("bread")
    assert from_details(todo.to_details()) == todo


def test_the_latest_result_of_the_branch_counts() -> None:
    """Results that are no lists, such as those of failed calls, change nothing."""
    assert rebuild([TodoList().add("a").to_details(), None, {}]) == TodoList().add("a")


def test_the_tool_keeps_the_list() -> None:
    """Add, mark as done, and the command shows the same."""

    async def run() -> str:
        async with Harness(extension, strict=True) as pi:
            await pi.call_tool("todo", text="milk")
            await pi.call_tool("todo", text="bread")
            return str((await pi.call_tool("todo", action="done", id=2)).content)

    assert asyncio.run(run()) == "[ ] 1. milk\n[x] 2. bread"


def test_a_session_starts_with_the_list_of_its_branch() -> None:
    """A resumed session goes on where its branch ended."""

    async def run() -> str:
        async with Harness(extension, strict=True) as pi:
            details = TodoList().add("milk").to_details()
            result = ToolResultMessage(tool_call_id="1", tool_name="todo", details=details)
            pi.host.session.add_message(result)
            await pi.emit(SessionStart(reason="resume"))
            return str((await pi.call_tool("todo", action="list")).content)

    assert asyncio.run(run()) == "[ ] 1. milk"


def test_a_missing_argument_is_an_error_result() -> None:
    """The model reads what is missing."""

    async def run() -> tuple[bool, str]:
        async with Harness(extension) as pi:
            answer = await pi.call_tool("todo", text=" ")
            return answer.is_error, str(answer.content)

    assert asyncio.run(run()) == (True, "action add needs a text")
