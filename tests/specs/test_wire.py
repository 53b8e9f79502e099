"""Values and their wire form: names are translated, free data is left alone, nothing is lost.

Pure.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hookspecs as h

NAMES = [
    ("toolCallId", "tool_call_id"),
    ("isError", "is_error"),
    ("role", "role"),
    ("mimeType", "mime_type"),
    ("exitCode", "exit_code"),
    ("xY", "x_y"),
]


@pytest.mark.parametrize(("wire", "name"), NAMES)
def test_names_are_translated_both_ways(wire: str, name: str) -> None:
    """camelCase on the wire, snake_case inside."""
    assert (wire, name) == (h.camel(name), h.snake(wire))


@pytest.mark.parametrize(
    ("text", "name"),
    [("tool_call_id", "tool_call_id"), ("HTTPServer", "http_server"), ("isHTTPOk", "is_http_ok")],
)
def test_snake_leaves_snake_alone(text: str, name: str) -> None:
    """What is snake_case already stays; a run of capitals is one word."""
    assert name == h.snake(text)


def test_the_underscore_of_a_keyword_goes() -> None:
    """`continue_` is `continue` on the wire."""
    assert "continue" == h.camel("continue_")


MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "hi", "timestamp": 5},
    {"role": "user", "content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}], "timestamp": 0},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
            {"type": "toolCall", "id": "c", "name": "read", "arguments": {"snake_key": {"camelKey": None}}},
        ],
        "api": "a",
        "provider": "p",
        "model": "m",
        "usage": {
            "input": 1,
            "output": 2,
            "cacheRead": 3,
            "cacheWrite": 4,
            "totalTokens": 10,
            "cost": {"input": 0.5, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.5},
            "reasoning": 7,
        },
        "stopReason": "toolUse",
        "timestamp": 5,
        "diagnostics": [1],
    },
    {
        "role": "toolResult",
        "toolCallId": "c",
        "toolName": "read",
        "content": [{"type": "text", "text": "x", "textSignature": "s"}],
        "details": {"a_b": None},
        "isError": False,
        "addedToolNames": ["t"],
        "timestamp": 5,
    },
    {"role": "custom", "customType": "note", "content": "x", "display": False, "timestamp": 5},
    {
        "role": "bashExecution",
        "command": "ls",
        "output": "",
        "exitCode": 0,
        "cancelled": False,
        "truncated": False,
        "timestamp": 5,
    },
    {"role": "compactionSummary", "summary": "s", "tokensBefore": 9, "timestamp": 5},
    {"role": "branchSummary", "summary": "s", "fromId": "e", "timestamp": 5},
]


@pytest.mark.parametrize("wire", MESSAGES, ids=[wire["role"] for wire in MESSAGES])
def test_a_message_survives_a_round_trip(wire: dict[str, Any]) -> None:
    """From the wire and back nothing is lost, unknown fields and foreign spellings included."""
    message = h.message_from_wire(wire)
    assert wire == h.to_wire(message)
    assert message == h.message_from_wire(h.to_wire(message))


def test_unknown_fields_go_to_extra() -> None:
    """What this version does not know is kept under its own name."""
    message = h.message_from_wire({"role": "user", "content": "x", "somethingNew": {"a": 1}})
    assert {"somethingNew": {"a": 1}} == message.extra


def test_extra_never_hides_a_field() -> None:
    """A stray key in `extra` does not win against the value itself."""
    assert "mine" == h.to_wire(h.UserMessage(content="mine", extra={"content": "other"}))["content"]


def test_an_unknown_content_block_stays_as_it_is() -> None:
    """A block of a type that we do not know is carried along."""
    block = {"type": "hologram", "data": 1}
    message = h.message_from_wire({"role": "user", "content": [block]})
    assert [block] == h.to_wire(message)["content"]


@pytest.mark.parametrize(
    ("wire", "says"),
    [
        ({"role": "system", "content": "x"}, "no message has the role 'system'; known are user, assistant"),
        ({"content": "x"}, "no message has the role None"),
        ({"role": ["user"]}, "no message has the role"),
        ({"role": "user"}, "message with role 'user' lacks content"),
        ({"role": "toolResult", "content": []}, "lacks toolCallId, toolName"),
        ({"role": "user", "content": [{"type": "text"}]}, "content block of type 'text' lacks text"),
    ],
)
def test_what_is_no_message_is_an_error(wire: dict[str, Any], says: str) -> None:
    """The error names what is unknown or missing, in the words of the wire."""
    with pytest.raises(ValueError, match=says.replace("(", r"\(")):
        h.message_from_wire(wire)


def test_what_is_no_content_is_an_error() -> None:
    """A block by itself must be of a known type."""
    with pytest.raises(ValueError, match="no content block has the type 'hologram'"):
        h.content_from_wire({"type": "hologram"})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_free_data_passes_unchanged(data: Any) -> None:
    """Arguments and details of an author keep their keys, their order and their None."""
    assert data == h.to_wire(data)


def test_unset_is_left_out_everywhere() -> None:
    """Neither a field nor a key without a value reaches the wire."""
    assert {"block": True} == h.to_wire(h.Block())
    assert {"a": 1} == h.to_wire({"a": 1, "b": h.UNSET})


def test_tuples_become_lists() -> None:
    """The wire knows one kind of list."""
    assert [1, [2]] == h.to_wire((1, (2,)))


def test_a_value_that_a_field_cannot_hold_does_not_get_in() -> None:
    """An optional field has its default then; without one that must be there it is no message."""
    odd = {"role": "assistant", "content": None, "usage": "many", "timestamp": "now", "stopReason": 7}
    assert h.AssistantMessage() == h.message_from_wire(odd)
    read: Any = h.message_from_wire({**odd, "usage": {"input": True, "output": None}})
    assert h.Usage() == read.usage
    with pytest.raises(ValueError, match="lacks command"):
        h.message_from_wire({"role": "bashExecution", "command": 7, "output": ""})


def test_bare_text_becomes_a_block_where_only_blocks_may_be() -> None:
    """An answer and a result hold blocks; what a person says may be text."""
    said: list[Any] = [h.message_from_wire({"role": role, "content": "hi"}) for role in ("assistant", "user")]
    assert [[h.TextContent(text="hi")], "hi"] == [message.content for message in said]
