"""Client and extension understand each other, over the real protocol and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pi_sample_rpc_demo
import pytest
from pi_sample_rpc_demo import extension
from pi_sample_rpc_demo.client import COMMAND, Client, answer_for

from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

FILE = str(Path(pi_sample_rpc_demo.__file__).parent)


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a client shows for one message, with a real `pi` that has this extension and a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PI_CODING_AGENT_DIR", raising=False)
    monkeypatch.chdir(tmp_path)

    def say(message: str, *answers: str) -> str:
        client = Client(answers, [*COMMAND, "-e", FILE])
        text = "".join(client.talk(message))
        assert client.close() == 0
        return text

    return say


def test_a_prompt_streams_its_answer(said: Any) -> None:
    """The tool is shown as it starts, the text as it comes."""
    assert said("run: echo hello") == '[bash {"command": "echo hello"}]\nbash answered:\nhello\n'


def test_a_survey_is_answered(said: Any) -> None:
    """Each dialog by the field of its kind."""
    text = said("/survey", "yes", "red", "Ada", "notes")
    assert text.startswith("? Have you got a minute?\n? Which colour?\n")
    assert text.endswith("Thank you, Ada: red.\n")


def test_a_survey_can_be_left(said: Any) -> None:
    """No answer is a no."""
    assert said("/survey") == "? Have you got a minute?\nAnother time, then.\n"


@pytest.mark.parametrize(
    ("method", "answer", "fields"),
    [
        ("confirm", "yes", {"confirmed": True}),
        ("confirm", "no", {"confirmed": False}),
        ("select", "red", {"value": "red"}),
        ("input", None, {"cancelled": True}),
    ],
)
def test_answers_have_the_field_of_their_dialog(
    method: str, answer: str | None, fields: dict[str, Any]
) -> None:
    assert answer_for(method, answer) == fields


def test_the_survey_keeps_what_it_heard(pi_harness: HarnessMaker) -> None:
    """An entry of the session."""
    ui = RecordingUI(confirm=[True], select=["red"], input=["Ada"], editor=[None])
    pi = pi_harness(extension, ui=ui)
    pi.run_command("survey")
    assert pi.host.session.entries[0].data == {"colour": "red", "name": "Ada", "notes": None}


def test_without_anybody_it_says_so(pi_harness: HarnessMaker) -> None:
    """Nothing is kept."""
    pi = pi_harness(extension)
    pi.run_command("survey")
    assert pi.host.session.entries == []
