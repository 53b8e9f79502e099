"""Block events become a message: in order, by snapshots that stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookspecs.messages import (
    AssistantContent,
    AssistantMessage,
    TextContent,
    ThinkingContent,
    ToolCallContent,
)
from pi_core.providers.base import (
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UpdateEvent,
)
from pi_core.providers.folding import Growing, StreamOrderError
from pi_core.providers.scripted import events_of

CALL = ToolCallContent(id="c1", name="bash", arguments={"command": "ls"})
WHOLE: list[UpdateEvent] = [
    ThinkingStart(content_index=0),
    ThinkingDelta(content_index=0, delta="hm"),
    ThinkingEnd(content_index=0, content="hm", thinking_signature="s"),
    TextStart(content_index=1),
    TextDelta(content_index=1, delta="a"),
    TextDelta(content_index=1, delta="b"),
    TextEnd(content_index=1, content="ab"),
    ToolCallStart(content_index=2, id="c1", tool_name="bash"),
    ToolCallDelta(content_index=2, delta='{"command": "ls"}'),
    ToolCallEnd(content_index=2, tool_call=CALL),
]


def grown(events: list[UpdateEvent]) -> Growing:
    growing = Growing(AssistantMessage())
    for event in events:
        growing.apply(event)
    return growing


BLOCKS = st.lists(
    st.one_of(
        st.builds(TextContent, text=st.text()),
        st.builds(ThinkingContent, thinking=st.text()),
        st.builds(ToolCallContent, id=st.text(), name=st.text(), arguments=st.just({"a": 1})),
    )
)


@given(BLOCKS)
def test_what_is_played_is_what_is_folded(blocks: list[AssistantContent]) -> None:
    """Whatever blocks are cut into events come out whole"""
    growing = grown(list(events_of(blocks)))
    assert blocks == growing.finished("stop").content
    assert [] == growing.ending()


def test_all_kinds_of_blocks() -> None:
    """Thinking, text and calls stand in the order in which they were opened."""
    content = grown(WHOLE).finished("stop").content
    assert [ThinkingContent(thinking="hm", thinking_signature="s"), TextContent(text="ab"), CALL] == content


def test_a_snapshot_stays_as_it_is() -> None:
    """What was handed out does not grow with the answer."""
    growing = grown(WHOLE[:5])
    early = growing.snapshot()
    growing.apply(WHOLE[5])
    assert TextContent(text="a") == early.content[1]
    assert "pending" == early.stop_reason


def test_the_end_wins_over_the_deltas() -> None:
    """The whole text at the end of a block replaces what was pieced together."""
    growing = grown([TextStart(content_index=0), TextDelta(content_index=0, delta="dra")])
    growing.apply(TextEnd(content_index=0, content="final"))
    assert [TextContent(text="final")] == growing.snapshot().content


def test_what_is_open_can_be_closed() -> None:
    """The missing ends come in the order of the blocks, with what is there."""
    growing = grown([*WHOLE[:2], TextStart(content_index=1), TextDelta(content_index=1, delta="half")])
    assert [
        ThinkingEnd(content_index=0, content="hm"),
        TextEnd(content_index=1, content="half"),
    ] == growing.ending()


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([TextDelta(content_index=0, delta="x")], "which is not open"),
        ([TextStart(content_index=1)], "but the next block is 0"),
        ([TextStart(content_index=0), ThinkingDelta(content_index=0, delta="x")], "which is a text block"),
        ([TextStart(content_index=0), ToolCallEnd(content_index=0, tool_call=CALL)], "which is a text block"),
        (
            [TextStart(content_index=0), TextEnd(content_index=0, content="")] * 2,
            "but the next block is 1",
        ),
    ],
)
def test_disorder_is_named(events: list[UpdateEvent], problem: str) -> None:
    """An event that does not fit says which block it named and why it does not fit."""
    with pytest.raises(StreamOrderError, match=problem):
        grown(events)


def test_the_partial_is_not_changed() -> None:
    """The message that a provider starts with stays the provider's."""
    partial = AssistantMessage(stop_reason="stop")
    Growing(partial).apply(TextStart(content_index=0))
    assert AssistantMessage(stop_reason="stop") == partial
