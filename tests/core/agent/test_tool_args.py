"""Arguments beyond the recorded rows: how faults read, and schemas that are broken or odd."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pi_core.agent.coercion import as_text, matches
from pi_core.agent.tool_args import MAX_ECHO, ArgumentChecks, BrokenSchema, InvalidArguments


def refused(schema: dict[str, Any], arguments: Any) -> InvalidArguments:
    with pytest.raises(InvalidArguments) as caught:
        ArgumentChecks().ready("t1", schema, arguments)
    return caught.value


def test_the_sentence_of_a_refusal() -> None:
    """The tool, one line a fault with its place, and what was received."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a", "b"]}
    lines = str(refused(schema, {"a": "zz"})).splitlines()
    assert 'Validation failed for tool "t1":' == lines[0]
    assert ["  - b: is required", '  - a: "zz" is not of type "integer"'] == lines[1:3]
    assert "Received arguments:" == lines[4]
    assert {"a": "zz"} == json.loads("".join(lines[5:]))


def test_a_long_echo_is_cut() -> None:
    """The received arguments do not flood the conversation, and the cut says how much there was."""
    said = str(refused({"type": "object", "required": ["b"]}, {"a": "x" * 10_000}))
    assert len(said) < MAX_ECHO + 300
    assert "characters)" in said


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "objekt"}, id="unknown-type"),
        pytest.param({"properties": {"a": {"pattern": "("}}}, id="bad-pattern"),
        pytest.param({"$dynamicRef": "http://example.invalid/s.json"}, id="leads-out"),
    ],
)
def test_a_broken_schema_is_the_tools_fault(schema: dict[str, Any]) -> None:
    """The message names the tool and its parameters, not the arguments; nothing is fetched."""
    with pytest.raises(BrokenSchema, match='parameters of tool "t1" are not a valid JSON schema'):
        ArgumentChecks().ready("t1", schema, {})


@pytest.mark.parametrize("reference", ["http://example.invalid/s.json", "#/$defs/gone", "file:///etc/passwd"])
def test_a_reference_that_leads_nowhere(reference: str) -> None:
    """Only arguments that need the missing part are refused; nothing outside the schema is read."""
    schema = {"type": "object", "properties": {"a": {"$ref": reference}}}
    assert {"b": 1} == ArgumentChecks().ready("t1", schema, {"b": 1})
    assert "$ref" == refused(schema, {"a": 1}).faults[0].keyword


def test_arguments_are_an_object_whatever_the_schema_says() -> None:
    """A schema that allows anything still gets an object."""
    assert "root" == refused({}, [1]).faults[0].place


def test_a_schema_is_compiled_once() -> None:
    """Checks keep one validator per schema object."""
    checks = ArgumentChecks()
    schema: dict[str, Any] = {"type": "object"}
    assert [{}, {}] == [checks.ready("t1", schema, {}), checks.ready("t1", schema, {})]
    assert 1 == len(checks._compiled)


@pytest.mark.parametrize(("number", "written"), [(1e-7, "1e-7"), (1e21, "1e+21"), (2.0, "2"), (0.5, "0.5")])
def test_numbers_become_text_as_json_writes_them(number: float, written: str) -> None:
    """Coercion to a string gives the text that the model would have written."""
    assert written == as_text(number)


def test_a_pattern_of_another_language_matches_nothing() -> None:
    """A property pattern that Python cannot read does not break the coercion."""
    assert not matches(r"^\p{Lu}", "A")
    assert matches("^x_", "x_1")


def test_a_schema_that_refers_to_itself() -> None:
    """A recursive schema is followed as deep as the value goes."""
    node = {"type": "object", "properties": {"n": {"type": "integer"}, "next": {"$ref": "#"}}}
    assert {"n": 1, "next": {"n": 2}} == ArgumentChecks().ready("t1", node, {"n": "1", "next": {"n": "2"}})
