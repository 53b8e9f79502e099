"""In plan mode the agent looks and does not touch; a plan is read, shown, carried out and ticked off."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_sample_plan_mode import extension
from pi_sample_plan_mode.harmless import is_harmless
from pi_sample_plan_mode.plans import Plan, from_entry, plan_in, to_entry

from pi_core.api import SessionStart, ToolCall
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker, SessionMaker

ANSWER = "I looked.\n\nPlan:\n1. Write a test\n2) Make it pass\n"


@pytest.mark.parametrize(
    ("command", "harmless"),
    [
        ("ls -la && git status", True),
        ("git log --oneline | head -5", True),
        ("grep -rn x . | wc -l", True),
        ("rm -rf build", False),
        ("echo x > file", False),
        ("cat $(rm x)", False),
        ("find . -delete", False),
        ("git branch -D main", False),
        ("git push", False),
        ("env rm x", False),
        ("sort -o x x", False),
        ("ls\nrm x", False),
        ("ls 'unclosed", False),
        ("", False),
    ],
)
def test_commands_are_judged_by_what_they_may_do(command: str, harmless: bool) -> None:
    """What is unclear may change something."""
    assert is_harmless(command) is harmless


def test_a_plan_is_what_stands_under_its_heading() -> None:
    """Numbers elsewhere are no steps; the last heading counts."""
    assert plan_in(ANSWER) == Plan(("Write a test", "Make it pass"))
    assert plan_in("1. nothing") == Plan()
    assert plan_in("**Plan:**\n1. a\n\n## Plan\n1. b").steps == ("b",)


def test_steps_are_ticked_off() -> None:
    """Only those that there are."""
    plan = plan_in(ANSWER).ticked_off("ok [DONE:1] [done: 9]")
    assert plan.lines() == ["✓ 1. Write a test", "· 2. Make it pass"]
    assert plan.open_steps == 1


@given(st.booleans(), st.lists(st.text(min_size=1), max_size=5))
def test_a_plan_survives_the_session_file(on: bool, steps: list[str]) -> None:
    """What is kept comes back as it was."""
    plan = Plan(tuple(steps), frozenset(range(1, len(steps))))
    assert from_entry(to_entry(on, plan)) == (on, plan)


def tools(pi: Any) -> None:
    """The names of the built-in tools, for the harness, which has none."""
    for name in ("read", "bash", "edit", "write", "ls"):
        pi.tool(name=name, description="A tool.")(lambda: "")


def call(tool: str, **arguments: str) -> ToolCall:
    return ToolCall(tool_name=tool, tool_call_id="1", input=arguments)


def test_the_flag_begins_in_plan_mode(pi_harness: HarnessMaker) -> None:
    """Tools that touch are out of sight, and refused if they are called all the same."""
    pi = pi_harness(extension, tools, flags={"plan": True})
    pi.emit(SessionStart(reason="startup"))
    assert pi.host.get_active_tools() == ["read", "ls", "bash"]
    assert pi.emit(call("edit", path="x")).block
    assert pi.emit(call("bash", command="rm x")).block
    assert pi.emit(call("bash", command="ls")) is None


def test_the_command_brings_the_tools_back(pi_harness: HarnessMaker) -> None:
    """Twice is as before."""
    pi = pi_harness(extension, tools)
    before = pi.host.get_active_tools()
    pi.run_command("plan")
    pi.run_command("plan")
    assert pi.host.get_active_tools() == before


def test_a_plan_is_carried_out_when_the_person_agrees(pi_session: SessionMaker) -> None:
    """First the plan, then the question, then the work, step by step."""
    ui = RecordingUI(confirm=[True])
    pi = pi_session(extension, script=[ANSWER, "Done: [DONE:1]"], ui=ui)
    pi.prompt("/plan")
    pi.prompt("add a flag")
    assert ui.asked == ["Carry out the plan?"]
    assert ui.widgets["plan-mode"] == ["✓ 1. Write a test", "· 2. Make it pass"]
    assert "plan-mode" not in ui.statuses or ui.statuses["plan-mode"] is None


def test_a_resumed_session_is_as_it_was(pi_harness: HarnessMaker) -> None:
    """The last entry of the branch counts."""
    ui = RecordingUI()
    pi = pi_harness(extension, tools, ui=ui)
    pi.host.append_entry("plan-mode", to_entry(True, Plan(("one",))))
    pi.emit(SessionStart(reason="resume"))
    assert ui.statuses["plan-mode"] == "plan mode"
    assert ui.widgets["plan-mode"] == ["· 1. one"]
