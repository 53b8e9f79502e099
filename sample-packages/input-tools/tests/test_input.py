"""A prompt is handled, transformed, or left as it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pi_sample_input_tools import SHORT, extension
from pi_sample_input_tools.inline import commands_in, filled_in

from pi_core.api import Input, text_of
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker, SessionMaker


def test_ping_is_answered_without_a_model(pi_harness: HarnessMaker) -> None:
    """Nobody else sees it."""
    ui = RecordingUI()
    assert pi_harness(extension, ui=ui).emit(Input(text=" Ping ")).action == "handled"
    assert ui.notices[0] == "pong"


def test_a_question_mark_asks_for_few_words(pi_harness: HarnessMaker) -> None:
    """The text after it is the question."""
    assert pi_harness(extension).emit(Input(text="? why")).text == f"{SHORT}why"


def test_commands_are_replaced_by_their_output(pi_harness: HarnessMaker) -> None:
    """A command that fails says how."""
    pi = pi_harness(extension)
    assert pi.emit(Input(text="say !{echo one}, !{exit 3}")).text == "say one, (exit code 3)"


def test_messages_of_extensions_run_nothing(pi_harness: HarnessMaker) -> None:
    """Only a person may type commands."""
    assert pi_harness(extension).emit(Input(text="!{echo one}", source="extension")).action == "continue"


def test_both_transforms_make_one_prompt(pi_session: SessionMaker) -> None:
    """Each handler sees what the one before made of the text."""
    pi = pi_session(extension, script=["Fine."])
    pi.prompt("?explain !{echo hello}")
    assert text_of(pi.session.messages[0].content) == f"{SHORT}explain hello"


@given(st.lists(st.text(alphabet="ab!{}", max_size=5)))
def test_an_output_is_never_taken_for_a_place(outputs: list[str]) -> None:
    """What comes out of a command is not run."""
    text = " ".join("!{x}" for _ in outputs)
    assert filled_in(text, outputs) == " ".join(outputs)
    assert commands_in(text) == ["x"] * len(outputs)
