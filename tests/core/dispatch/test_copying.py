"""Generated copies of messages: equal to the original, and sharing nothing that can change.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookspecs import messages as m
from pi_core.dispatch.copying import copy_messages, copy_value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=3), JSON, max_size=3)
TEXT = st.builds(m.TextContent, text=st.text(max_size=3), extra=OBJECTS)
CALL = st.builds(m.ToolCallContent, id=st.just("c"), name=st.just("read"), arguments=OBJECTS)
THINKING = st.builds(m.ThinkingContent, thinking=st.text(max_size=3))
IMAGE = st.builds(m.ImageContent, data=st.just("AA=="), mime_type=st.just("image/png"))
USAGE = st.builds(m.Usage, input=st.integers(0, 9), cost=st.builds(m.Cost, total=st.floats(0, 1)))
BLOCKS = st.lists(TEXT | IMAGE, max_size=3)
CONTENT = st.text(max_size=3) | BLOCKS
MESSAGES = st.one_of(
    st.builds(m.UserMessage, content=CONTENT, extra=OBJECTS),
    st.builds(m.AssistantMessage, content=st.lists(TEXT | CALL | THINKING, max_size=3), usage=USAGE),
    st.builds(
        m.ToolResultMessage,
        tool_call_id=st.just("c"),
        tool_name=st.just("read"),
        content=BLOCKS,
        details=JSON,
        added_tool_names=st.none() | st.lists(st.text(max_size=3), max_size=2),
    ),
    st.builds(m.CustomMessage, custom_type=st.just("x"), content=CONTENT, details=JSON),
    st.builds(m.BashExecutionMessage, command=st.just("ls"), output=st.just("")),
    st.builds(m.CompactionSummaryMessage, summary=st.just("s"), tokens_before=st.just(1)),
    st.builds(m.BranchSummaryMessage, summary=st.just("s"), from_id=st.just("e")),
    OBJECTS.map(lambda extra: {"role": "user", "content": [extra]}),
)


def mutables(value: Any) -> Iterator[Any]:
    """Everything inside a value that can be changed in place, itself included."""
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        for spec in fields(value):
            yield from mutables(getattr(value, spec.name))
    elif isinstance(value, list):
        yield value
        for item in value:
            yield from mutables(item)
    elif isinstance(value, dict):
        yield value
        for item in value.values():
            yield from mutables(item)


@given(messages=st.lists(MESSAGES, max_size=4))
def test_a_copy_is_equal_and_shares_nothing(messages: list[Any]) -> None:
    """Whatever a handler edits in a copy, the original stays."""
    copies = copy_messages(messages)
    assert messages == copies
    originals = {id(part) for part in mutables(messages)}
    assert not [part for part in mutables(copies) if id(part) in originals]
    assert [type(message) for message in messages] == [type(copy) for copy in copies]


def test_every_kind_of_message_is_tried() -> None:
    """The strategies above cover all message and content classes."""
    tried = "TextContent ImageContent ThinkingContent ToolCallContent UserMessage AssistantMessage"
    tried += " ToolResultMessage CustomMessage BashExecutionMessage CompactionSummaryMessage"
    tried += " BranchSummaryMessage Usage Cost"
    assert set(tried.split()) == {name for name, kind in vars(m).items() if is_dataclass(kind)}


@dataclass(frozen=True)
class Frozen:
    items: list[int]


@dataclass(slots=True)
class Slotted:
    items: list[int]


@dataclass
class Loose:
    items: list[int] = field(default_factory=list)


class Plain:
    def __init__(self) -> None:
        self.items = [1]


@pytest.mark.parametrize("value", [Frozen([1]), Slotted([1]), Loose([1]), Plain(), ([1],), {"a": {1}}])
def test_other_values_are_copied_too(value: Any) -> None:
    """An extension may put values of its own into a message."""
    copy = copy_value(value)
    assert copy is not value
    assert not isinstance(value, Loose) or copy == value
    assert not hasattr(value, "items") or callable(value.items) or copy.items is not value.items


def test_a_value_may_say_how_it_is_copied() -> None:
    """`__deepcopy__` of a class is respected."""

    @dataclass
    class Shared:
        items: list[int]

        def __deepcopy__(self, memo: object) -> Shared:
            return self

    shared = Shared([1])
    assert shared is copy_value(shared)
