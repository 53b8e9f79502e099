"""The library's events in our words, where one is not simply the other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    FinalResultEvent,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from hookspecs.messages import AssistantMessage, TextContent, ThinkingContent, ToolCallContent
from pi_core.providers.base import ToolCallEnd
from pi_core.providers.folding import Growing
from pi_core.providers.vendors.incoming import Incoming, parsed_arguments

ONE, TWO = ToolCallPart("one", None, "c1"), ToolCallPart("two", None, "c2")


def arrived(*events: ModelResponseStreamEvent, api: str = "openai-completions") -> list[Any]:
    """The blocks that come of the library's events."""
    incoming, growing = Incoming(api), Growing(AssistantMessage())
    for event in events:
        for each in incoming.events(event):
            growing.apply(each)
    for each in incoming.ending():
        growing.apply(each)
    assert not growing.ending()
    return growing.snapshot().content


def piece(place: int, text: str) -> PartDeltaEvent:
    return PartDeltaEvent(index=place, delta=ToolCallPartDelta(args_delta=text))


def test_calls_whose_pieces_are_mixed() -> None:
    """A server may go on with a call after it began the next one: each gets its own pieces."""
    blocks = arrived(
        PartStartEvent(index=0, part=ONE),
        piece(0, '{"a": '),
        PartEndEvent(index=0, part=ONE),
        PartStartEvent(index=1, part=TWO),
        piece(1, '{"b": '),
        piece(0, "1}"),
        piece(1, "2}"),
        PartEndEvent(index=1, part=TWO),
    )
    assert [{"a": 1}, {"b": 2}] == [block.arguments for block in blocks]


def test_a_call_that_is_whole_ends_at_once() -> None:
    """It does not wait for the end of the answer."""
    incoming = Incoming("openai-completions")
    list(incoming.events(PartStartEvent(index=0, part=ToolCallPart("one", '{"a": 1}', "c1"))))
    (end,) = incoming.events(PartEndEvent(index=0, part=ONE))
    assert isinstance(end, ToolCallEnd)


def test_a_text_that_goes_on_after_its_end_is_a_new_block() -> None:
    """Text, reasoning, text again: what was told to be closed stays closed."""
    blocks = arrived(
        PartStartEvent(index=0, part=TextPart("one")),
        PartEndEvent(index=0, part=TextPart("one")),
        PartStartEvent(index=1, part=ThinkingPart("hm", id="reasoning")),
        PartEndEvent(index=1, part=ThinkingPart("hm", id="reasoning")),
        PartDeltaEvent(index=0, delta=TextPartDelta("two")),
        PartDeltaEvent(index=1, delta=ThinkingPartDelta(content_delta="mm")),
    )
    assert [
        TextContent(text="one"),
        ThinkingContent(thinking="hm", thinking_signature="reasoning"),
        TextContent(text="two"),
        ThinkingContent(thinking="mm", thinking_signature="reasoning"),
    ] == blocks


def test_noise_is_dropped() -> None:
    """What is not part of an answer, or belongs to a part that never began, comes to nothing."""
    noise = FinalResultEvent(tool_name=None, tool_call_id=None)
    assert [] == arrived(noise, PartDeltaEvent(index=7, delta=TextPartDelta("x")))


def test_what_the_library_took_back_is_closed() -> None:
    """A part that is replaced was a block; the new one is another."""
    blocks = arrived(
        PartStartEvent(index=0, part=TextPart("a")), PartStartEvent(index=0, part=ThinkingPart("b"))
    )
    assert ["text", "thinking"] == [block.type for block in blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": "cut of', {"a": "cut of"}),
        ('{"a": [1, 2', {"a": [1, 2]}),
        ("[1]", {}),
        ("nonsense", {}),
        ('{"a": 1} and more', {"a": 1}),
    ],
)
def test_arguments(text: str, expected: dict[str, Any]) -> None:
    """Of a text that breaks off what is there; nothing of what is no object."""
    assert expected == parsed_arguments(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.lists(st.integers(1, 8), max_size=30))
def test_arguments_do_not_depend_on_how_they_are_cut(value: dict[str, Any], cuts: list[int]) -> None:
    """However a call's JSON is cut into pieces, its arguments are the same."""
    text, place, pieces = json.dumps(value), 0, []
    for cut in [*cuts, len(text)]:
        pieces.append(text[place : place + cut])
        place += cut
    (call,) = arrived(PartStartEvent(index=0, part=ONE), *(piece(0, part) for part in pieces if part))
    assert isinstance(call, ToolCallContent)
    assert value == call.arguments
