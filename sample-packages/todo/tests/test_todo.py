"""The list changes by its tool, and is rebuilt from the results on the branch."""

from __future__ import annotations

import pytest
from pi_sample_todo.extension import extension
from pi_sample_todo.items import TodoList, from_details, rebuild

from pi_core.api import SessionStart, ToolResultMessage
from pi_core.testing.plugin import HarnessMaker, PackageReader


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


def test_the_tool_keeps_the_list(pi_harness: HarnessMaker) -> None:
    """Add, mark as done, and the command shows the same."""
    pi = pi_harness(extension)
    pi.call_tool("todo", text="milk")
    pi.call_tool("todo", text="bread")
    assert pi.call_tool("todo", action="done", id=2).content == "[ ] 1. milk\n[x] 2. bread"


def test_a_session_starts_with_the_list_of_its_branch(pi_harness: HarnessMaker) -> None:
    """A resumed session goes on where its branch ended."""
    pi = pi_harness(extension)
    details = TodoList().add("milk").to_details()
    pi.host.session.add_message(ToolResultMessage(tool_call_id="1", tool_name="todo", details=details))
    pi.emit(SessionStart(reason="resume"))
    assert pi.call_tool("todo", action="list").content == "[ ] 1. milk"


def test_a_missing_argument_is_an_error_result(pi_harness: HarnessMaker) -> None:
    """The model reads what is missing."""
    answer = pi_harness(extension).call_tool("todo", text=" ")
    assert (answer.is_error, answer.content) == (True, "action add needs a text")


def test_the_wheel_brings_what_the_tree_does(pi_package: PackageReader) -> None:
    """The tool, by the `pi.toml` inside the import package."""
    tree, wheel = pi_package(), pi_package(wheel=True)
    assert tree.extensions == wheel.extensions
    assert wheel.diagnostics == ()
