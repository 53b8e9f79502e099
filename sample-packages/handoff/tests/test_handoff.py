"""The new session gets the goal and the facts, and the person has the last word."""

from __future__ import annotations

from pi_sample_handoff import extension
from pi_sample_handoff.summary import handoff_text

from pi_core.api import AssistantMessage, TextContent, ToolCallContent
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker


def answer(text: str, *calls: tuple[str, str]) -> AssistantMessage:
    blocks = [
        ToolCallContent(id=str(n), name=name, arguments={"path": path})
        for n, (name, path) in enumerate(calls)
    ]
    return AssistantMessage(content=[TextContent(text=text), *blocks])


def test_facts_follow_the_goal() -> None:
    """A file that was read and changed counts as changed; each is named once."""
    messages = [answer("", ("read", "a.py"), ("read", "b.py")), answer("Half done.", ("edit", "a.py"))]
    assert handoff_text("Finish it", messages) == (
        "Finish it\n\n"
        "Files changed so far:\n- a.py\n\n"
        "Files read so far:\n- b.py\n\n"
        "Where the last session got to:\nHalf done."
    )


def test_without_facts_there_is_the_goal() -> None:
    """Nothing is made up."""
    assert handoff_text("Begin", []) == "Begin"


def test_the_new_session_gets_the_edited_text(pi_harness: HarnessMaker) -> None:
    """What the person made of the text is what is sent."""
    pi = pi_harness(extension, ui=RecordingUI(editor=["Begin, please"]))
    pi.run_command("handoff", "Begin")
    assert pi.host.prompts == ["Begin, please"]


def test_a_closed_editor_changes_nothing(pi_harness: HarnessMaker) -> None:
    """The old session goes on."""
    pi = pi_harness(extension, ui=RecordingUI(editor=[None]))
    pi.run_command("handoff", "Begin")
    assert pi.host.prompts == []


def test_a_goal_is_asked_for(pi_harness: HarnessMaker) -> None:
    """Without one, and without a person, the command says what it needs."""
    ui = RecordingUI(input=[None])
    pi_harness(extension, ui=ui).run_command("handoff")
    assert ui.notices == ["Say what the new session should do: /handoff GOAL"]
