"""The answer fits the schema, ends the run, and is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pi_sample_structured_output import RULE, TOOL, extension, schema_in

from pi_core.api import BeforeAgentStart, SessionStart
from pi_core.testing.plugin import HarnessMaker

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
START = SessionStart(reason="startup")


@pytest.fixture
def schema(tmp_path: Path) -> str:
    """A file with the schema."""
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return "schema.json"


def test_without_the_flag_there_is_no_tool(pi_harness: HarnessMaker) -> None:
    """Nothing changes for a run that did not ask."""
    pi = pi_harness(extension)
    pi.emit(START)
    assert pi.tools == []


def test_the_answer_ends_the_run_and_is_kept(pi_harness: HarnessMaker, tmp_path: Path, schema: str) -> None:
    """The value is the structured content of the result, and an entry of the session."""
    pi = pi_harness(extension, cwd=tmp_path, flags={"answer-schema": schema})
    pi.emit(START)
    result = pi.call_tool(TOOL, city="Paris")
    assert (result.structured_content, result.terminate) == ({"city": "Paris"}, True)
    assert pi.host.session.entries[-1].data == {"city": "Paris"}


def test_the_model_is_told(pi_harness: HarnessMaker, tmp_path: Path, schema: str) -> None:
    """The rule stands at the end of the prompt of the run."""
    pi = pi_harness(extension, cwd=tmp_path, flags={"answer-schema": schema})
    pi.emit(START)
    event = BeforeAgentStart(prompt="x", system_prompt="You are pi.", system_prompt_options={})
    assert pi.emit(event).system_prompt.endswith(RULE)


@pytest.mark.parametrize(
    ("text", "told"), [("{", "Expecting"), ("[]", '"type": "object"'), (None, "No such file")]
)
def test_a_bad_schema_is_named(tmp_path: Path, text: str | None, told: str) -> None:
    """The flag and the file stand in the message."""
    path = tmp_path / "schema.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ValueError, match=told) as caught:
        schema_in(path)
    assert f"--answer-schema {path}" in str(caught.value)
