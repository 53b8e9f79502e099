"""The records of the event stream."""

from __future__ import annotations

from typing import Any

import pytest

from hookspecs.definitions import ToolResult
from hookspecs.messages import AssistantMessage, TextContent, Usage
from pi_core.agent import events as loop
from pi_core.history.entries import CustomEntry
from pi_core.providers.base import TextDelta, ToolCallStart
from pi_core.session.events import (
    AgentSettled,
    DiagnosticFound,
    EntryAppended,
    ExtensionError,
    ThinkingLevelChanged,
)
from pi_core.session.wire_events import wire_event, wire_result
from pi_pkg import Diagnostic

FOUND = Diagnostic("warning", "c", "e", "no", path="p", detail="Traceback")
ANSWER = AssistantMessage(content=[TextContent(text="hel")], usage=Usage(input=1), stop_reason="pending")


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (loop.TurnStart(turn_index=3, timestamp=1), {"type": "turn_start"}),
        (AgentSettled(aborted=True), {"type": "agent_settled", "aborted": True}),
        (ThinkingLevelChanged(level="high"), {"type": "thinking_level_changed", "level": "high"}),
        (
            loop.QueueUpdate(steering=["a"], follow_up=[]),
            {"type": "queue_update", "steering": ["a"], "followUp": []},
        ),
        (
            ExtensionError(extension_path="p", event="e", error="no", diagnostic=FOUND),
            {"type": "diagnostic", **FOUND.to_json()},
        ),
        (
            DiagnosticFound(diagnostic=FOUND),
            {
                "type": "diagnostic", "severity": "warning", "code": "c", "stage": "e", "source": None,
                "scope": None, "path": "p", "message": "no", "hint": None, "detail": "Traceback",
            },
        ),
        (
            EntryAppended(entry=CustomEntry(id="1", parent_id=None, timestamp="t", custom_type="c", data=2)),
            {
                "type": "entry_appended",
                "entry": {
                    "type": "custom", "id": "1", "parentId": None, "timestamp": "t",
                    "customType": "c", "data": 2,
                },
            },
        ),
        (
            loop.ToolExecutionEnd(
                tool_call_id="i", tool_name="n", result=ToolResult(content="x"), is_error=False, duration_ms=4
            ),
            {
                "type": "tool_execution_end", "toolCallId": "i", "toolName": "n", "isError": False,
                "durationMs": 4, "result": {"content": [{"text": "x", "type": "text"}]},
            },
        ),
    ],
    ids=lambda value: value.get("type") if isinstance(value, dict) else "",
)  # fmt: skip
def test_a_record_has_the_recorded_shape(event: Any, expected: dict[str, Any]) -> None:
    """camelCase keys, the type first, and no field that says nothing."""
    wire = wire_event(event)
    assert expected == wire
    assert "type" == next(iter(wire))


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        (TextDelta(content_index=0, delta="l"), {"type": "text_delta", "contentIndex": 0, "delta": "l"}),
        (
            ToolCallStart(content_index=1, id="c", tool_name="bash"),
            {"type": "toolcall_start", "contentIndex": 1, "id": "c", "toolName": "bash"},
        ),
    ],
)
def test_an_update_is_what_was_added(added: Any, expected: dict[str, Any]) -> None:
    """The message so far is never repeated; the token count is."""
    wire = wire_event(loop.MessageUpdate(message=ANSWER, assistant_message_event=added))
    assert {"type", "usage", "assistantMessageEvent"} == set(wire)
    assert (expected, 1) == (wire["assistantMessageEvent"], wire["usage"]["input"])


def test_a_result_shows_only_what_it_has() -> None:
    """Details, structured content, usage, added tools and the wish to stop appear when they are there."""
    full = ToolResult(
        content=[TextContent(text="x")], details={"a": 1}, structured_content={"b": 2}, usage=Usage(),
        terminate=True, added_tool_names=("t",),
    )  # fmt: skip
    assert {"content"} == set(wire_result(ToolResult()))
    assert {"content", "details", "structuredContent", "usage", "addedToolNames", "terminate"} == set(
        wire_result(full)
    )
