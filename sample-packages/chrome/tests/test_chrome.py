"""Parts are put on, follow what happens, and are taken off again."""

from __future__ import annotations

import pytest
from pi_sample_chrome import extension
from pi_sample_chrome.texts import footer_line, header_line, widget_lines

from pi_core.api import AssistantMessage, SessionStart, ToolCall, TurnEnd
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

START = SessionStart(reason="startup")
CALL = ToolCall(tool_name="bash", tool_call_id="1", input={"command": "ls"})
TURN = TurnEnd(turn_index=0, message=AssistantMessage())


@pytest.mark.parametrize(
    ("cwd", "name", "line"),
    [("/home/me/app", None, "π app"), ("/home/me/app", "fix", "π app · fix"), ("/", None, "π /")],
)
def test_the_header_names_the_project(cwd: str, name: str | None, line: str) -> None:
    assert header_line(cwd, name) == line


def test_the_newest_commands_are_shown() -> None:
    """One line each, and nothing at all where there was none."""
    assert widget_lines(["a", "b\nb", "c", "d"]) == ["$ d", "$ c", "$ b"]
    assert widget_lines([]) is None


def test_everything_follows_the_session(pi_harness: HarnessMaker) -> None:
    """A command is a line of the widget, a turn counts in the status."""
    ui = RecordingUI()
    pi = pi_harness(extension, ui=ui)
    for event in (START, CALL, TURN):
        pi.emit(event)
    assert ui.widgets["chrome"] == ["$ ls"]
    assert ui.statuses["chrome"] == "1 turn"
    assert ui.title is not None


def test_a_part_can_be_switched_off(pi_harness: HarnessMaker) -> None:
    """The slot is cleared; an unknown part is named with those that there are."""
    ui = RecordingUI()
    pi = pi_harness(extension, ui=ui)
    pi.emit(START)
    pi.run_command("chrome", "footer")
    cleared = [call for call in ui.calls if call.method == "set_footer"][-1]
    assert cleared.args == (None,)
    pi.run_command("chrome", "hat")
    assert ui.notices == ["There is no part 'hat'; there are header, footer, widget, title."]


def test_words_agree_with_numbers() -> None:
    assert footer_line("m", 1) == "m · 1 turn"
    assert footer_line("m", 2) == "m · 2 turns"
