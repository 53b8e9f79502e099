"""The rule table: which message calls which tool with what, and what is said otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from hookspecs.messages import TextContent, ToolCallContent
from pi_core.providers.rules import answer, text_parameter

TEXT = {"type": "string"}
TOOLS: dict[str, dict[str, Any]] = {
    "bash": {"properties": {"command": TEXT, "timeout": {"type": "number"}}, "required": ["command"]},
    "read": {"properties": {"path": TEXT, "offset": {"type": "integer"}}, "required": ["path"]},
    "write": {"properties": {"path": TEXT, "content": TEXT}, "required": ["path", "content"]},
    "todo": {"properties": {"text": {"type": "string", "default": ""}, "action": {"enum": ["add", "list"]}}},
    "note": {
        "properties": {"kind": {"type": "string", "enum": ["a", "b"]}, "body": TEXT, "tag": TEXT},
        "required": ["kind", "body"],
    },
    "maybe": {"properties": {"word": {"anyOf": [{"type": "null"}, TEXT]}}},
    "count": {"properties": {"n": {"type": "integer"}}, "required": ["n"]},
    "ping": {},
}


def request(text: Any, *more: dict[str, Any]) -> dict[str, Any]:
    tools = [{"name": name, "parameters": schema} for name, schema in TOOLS.items()]
    return {"messages": [{"role": "user", "content": text}, *more], "tools": tools}


def result(tool: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": "toolResult", "toolName": tool, "content": [{"type": "text", "text": text}], **more}


def said(payload: Any) -> str:
    (block,) = answer(payload).blocks
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("run: echo hello", "bash", {"command": "echo hello"}),
        ("Run:  ls -la ", "bash", {"command": "ls -la"}),
        ("bash: ls", "bash", {"command": "ls"}),
        ("run: cat <<E\nx\nE", "bash", {"command": "cat <<E\nx\nE"}),
        ("read: a b.txt", "read", {"path": "a b.txt"}),
        ("write: a.txt := hi there", "write", {"path": "a.txt", "content": "hi there"}),
        ("write: a.txt\nline 1\nline 2\n", "write", {"path": "a.txt", "content": "line 1\nline 2\n"}),
        ("write: a.txt := one\ntwo", "write", {"path": "a.txt", "content": "one\ntwo"}),
        ("todo: buy milk", "todo", {"text": "buy milk"}),
        ('todo: {"action": "list"}', "todo", {"action": "list"}),
        ("TODO: buy milk", "todo", {"text": "buy milk"}),
        ("note: remember", "note", {"kind": "a", "body": "remember"}),
        ("maybe: yes", "maybe", {"word": "yes"}),
        ("ping:", "ping", {}),
        ('count: {"n": 3}', "count", {"n": 3}),
        ("run: {not json", "bash", {"command": "{not json"}),
    ],
)
def test_an_order_is_a_tool_call(text: str, tool: str, arguments: dict[str, Any]) -> None:
    """`NAME: TEXT` at the start of the message calls that tool with the text where it belongs."""
    (block,) = answer(request(text)).blocks
    assert ToolCallContent(id="", name=tool, arguments=arguments) == block


@pytest.mark.parametrize(
    "text", ["hello", "please run: ls", "http://x.invalid/run: ls", "Note that: this", "", "run ls", ": x"]
)
def test_anything_else_gets_an_honest_answer(text: str) -> None:
    """No order at the start of the message, no tool call: the answer says who answers and what it knows."""
    words = said(request(text))
    assert "scripted model" in words
    assert "`run: COMMAND`" in words
    assert "Active tools: bash, read, write, todo" in words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count: three", 'The tool "count" takes no text. Give its arguments as JSON: count: {…}'),
        ("write: a.txt", "To write I need a path and a text"),
    ],
)
def test_an_order_that_lacks_something(text: str, expected: str) -> None:
    """What cannot be made into arguments is asked for."""
    assert said(request(text)).startswith(expected)


def test_a_tool_that_is_not_active() -> None:
    """A known order for an inactive tool says so, and names the active ones."""
    words = said({"messages": [{"role": "user", "content": "run: ls"}], "tools": [{"name": "ping"}]})
    assert 'I would call the tool "bash", but it is not active. Active: ping.' == words


def test_results_are_reported() -> None:
    """After tool results the answer says what happened, each with its text."""
    results = [result("bash", "hi\n"), result("read", "no", isError=True), result("ping", "")]
    expected = "bash answered:\nhi\n\nread was refused or failed:\nno\n\nping answered:\n(no output)"
    assert expected == said(request("run: x", {"role": "assistant", "content": []}, *results))


def test_a_long_result_is_cut() -> None:
    """The report does not repeat a flood."""
    assert said(request("run: x", result("bash", "x" * 9000))).endswith("… (9000 characters)")


def test_blocks_are_read_as_text() -> None:
    """A typed message with an image is read like its text."""
    blocks = [{"type": "text", "text": "run: ls"}, {"type": "image", "data": "", "mimeType": "image/png"}]
    (block,) = answer(request(blocks)).blocks
    assert isinstance(block, ToolCallContent)


@pytest.mark.parametrize("payload", [None, [], {}, {"messages": []}, {"messages": None}])
def test_any_payload_is_answered(payload: Any) -> None:
    """A hook may replace the payload by anything: the model still answers."""
    assert "scripted model" in said(payload)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"properties": {"a": TEXT, "b": TEXT}, "required": ["b"]}, "b"),
        ({"properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}}}, "b"),
        ({"properties": {"a": {"const": "x"}}}, None),
        ({}, None),
    ],
)
def test_where_the_text_goes(schema: dict[str, Any], expected: str | None) -> None:
    """The first required parameter that takes any text, else the first that does."""
    assert expected == text_parameter(schema)
