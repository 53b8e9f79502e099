"""Every event as a value: how it is made, and what it looks like on the wire.

Pure.
"""

from __future__ import annotations

from typing import Any

import pytest

import hookspecs as h

USER = h.UserMessage(content="hi")
USER_WIRE = {"role": "user", "content": "hi", "timestamp": 0}
MODEL = h.Model(id="m", provider="p", api="a")

EXAMPLES: list[tuple[Any, dict[str, Any]]] = [
    (
        h.SessionStart(reason="new", previous_session_file="/s"),
        {"reason": "new", "previousSessionFile": "/s"},
    ),
    (h.SessionInfoChanged(), {}),
    (
        h.SessionBeforeSwitch(reason="resume", target_session_file="/t"),
        {"reason": "resume", "targetSessionFile": "/t"},
    ),
    (h.SessionBeforeFork(entry_id="e"), {"entryId": "e", "position": "before"}),
    (
        h.SessionBeforeCompact(preparation={}, branch_entries=[], reason="manual", custom_instructions="i"),
        {
            "preparation": {},
            "branchEntries": [],
            "reason": "manual",
            "willRetry": False,
            "customInstructions": "i",
        },
    ),
    (
        h.SessionCompact(compaction_entry={"id": "c"}, from_extension=True, reason="overflow"),
        {"compactionEntry": {"id": "c"}, "fromExtension": True, "reason": "overflow", "willRetry": False},
    ),
    (
        h.SessionCompactFailed(reason="threshold", error_message="no"),
        {
            "reason": "threshold",
            "errorMessage": "no",
            "aborted": False,
            "willRetry": False,
            "fromExtension": False,
        },
    ),
    (h.SessionBeforeTree(preparation={"target_id": "t"}), {"preparation": {"target_id": "t"}}),
    (h.SessionTree(new_leaf_id="a", old_leaf_id=None), {"newLeafId": "a"}),
    (h.SessionShutdown(reason="quit"), {"reason": "quit"}),
    (
        h.ToolExecutionStart(tool_call_id="c", tool_name="t", args={"snake_key": 1}),
        {"toolCallId": "c", "toolName": "t", "args": {"snake_key": 1}},
    ),
    (
        h.ToolCall(tool_name="t", tool_call_id="c", input={}, parent_tool_call_id="o"),
        {"toolName": "t", "toolCallId": "c", "input": {}, "parentToolCallId": "o"},
    ),
    (
        h.ToolExecutionUpdate(tool_call_id="c", tool_name="t", args={}, partial_result="x"),
        {"toolCallId": "c", "toolName": "t", "args": {}, "partialResult": "x"},
    ),
    (
        h.ToolResultEvent(tool_name="t", tool_call_id="c", input={}, content=[h.TextContent(text="x")]),
        {
            "toolName": "t",
            "toolCallId": "c",
            "input": {},
            "content": [{"type": "text", "text": "x"}],
            "isError": False,
        },
    ),
    (
        h.ToolExecutionEnd(tool_call_id="c", tool_name="t", result="x", duration_ms=5),
        {"toolCallId": "c", "toolName": "t", "result": "x", "isError": False, "durationMs": 5},
    ),
    (
        h.BeforeAgentStart(prompt="p", system_prompt="S", system_prompt_options={}, render=str),
        {"prompt": "p", "systemPrompt": "S", "systemPromptOptions": {}, "messageType": "user"},
    ),
    (h.AgentStartEvent(), {}),
    (h.AgentEnd(messages=[USER]), {"messages": [USER_WIRE]}),
    (h.AgentSettled(aborted=True), {"aborted": True}),
    (
        h.AgentBeforeSettle(outcome="completed", preview=str),
        {"outcome": "completed", "entries": [], "continue": False},
    ),
    (h.TurnStart(turn_index=1, timestamp=2), {"turnIndex": 1, "timestamp": 2}),
    (
        h.TurnEnd(turn_index=0, message=USER, outcome="aborted"),
        {
            "turnIndex": 0,
            "message": USER_WIRE,
            "toolResults": [],
            "toolResultEntryIds": [],
            "outcome": "aborted",
            "entries": [],
            "continue": False,
        },
    ),
    (h.MessageStart(message=USER), {"message": USER_WIRE}),
    (
        h.MessageUpdate(message=USER, assistant_message_event={"type": "text_delta"}),
        {"message": USER_WIRE, "assistantMessageEvent": {"type": "text_delta"}},
    ),
    (h.MessageEnd(message=USER), {"message": USER_WIRE}),
    (
        h.Input(text="t", streaming_behavior="steer"),
        {"text": "t", "source": "interactive", "streamingBehavior": "steer"},
    ),
    (
        h.UserBash(command="ls", cwd="/w", exclude_from_context=True),
        {"command": "ls", "cwd": "/w", "excludeFromContext": True},
    ),
    (h.UiPromptStart(kind="confirm", title="T"), {"kind": "confirm", "title": "T", "reason": ""}),
    (h.UiPromptEnd(kind="confirm"), {"kind": "confirm", "reason": ""}),
    (h.Context(messages=[USER]), {"messages": [USER_WIRE]}),
    (h.ContextWithSystem(messages=[]), {"messages": []}),
    (h.BeforeProviderHeaders(headers={"x-a": None}), {"headers": {"x-a": None}}),
    (h.BeforeProviderRequest(payload={"max_tokens": 1}), {"payload": {"max_tokens": 1}}),
    (h.AfterProviderResponse(status=200, headers={}), {"status": 200, "headers": {}}),
    (
        h.ProviderStreamEvent(provider="p", api="a", model="m", data={"d": 1}),
        {"provider": "p", "api": "a", "model": "m", "data": {"d": 1}},
    ),
    (h.ModelSelect(model=MODEL, source="cycle"), {"model": h.to_wire(MODEL), "source": "cycle"}),
    (
        h.ThinkingLevelSelect(level="high", previous_level="off"),
        {"level": "high", "previousLevel": "off"},
    ),
    (h.ResourcesDiscover(cwd="/w"), {"cwd": "/w", "reason": "startup"}),
    (h.ProjectTrust(cwd="/w"), {"cwd": "/w"}),
]


@pytest.mark.parametrize(("event", "wire"), EXAMPLES, ids=[event.event_name for event, _ in EXAMPLES])
def test_an_event_on_the_wire(event: Any, wire: dict[str, Any]) -> None:
    """Its type comes first, fields in camelCase; None, and the functions of the host, stay at home."""
    assert {"type": event.event_name, **wire} == h.to_wire(event)


def test_every_event_has_an_example() -> None:
    """The table above holds each event once."""
    assert sorted(h.EVENTS) == sorted(event.event_name for event, _ in EXAMPLES)


@pytest.mark.parametrize("event", [event for event, _ in EXAMPLES], ids=[e.event_name for e, _ in EXAMPLES])
def test_an_event_takes_further_attributes(event: Any) -> None:
    """Handlers may leave notes for each other on a shared event."""
    event.note = 1
    assert 1 == event.note


@pytest.mark.parametrize(
    ("answer", "filled"),
    [
        (h.Block(), {"block": True}),
        (h.TreeSummary(), {}),
        (h.ResultPatch(), {}),
        (h.AgentStart(), {}),
        (h.Boundary(), {}),
        (h.Bash(), {}),
        (h.Resources(), {}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_answer_starts_out_unset(answer: Any, filled: dict[str, Any]) -> None:
    """A field that the author leaves out is UNSET, told apart from None."""
    values = {name: getattr(answer, name) for name in type(answer).__slots__}
    assert filled == {name: value for name, value in values.items() if value is not h.UNSET}


def test_the_class_of_an_event_is_found_by_name() -> None:
    """Names map to classes, also for the two events whose name was taken."""
    found = [h.event_class(name) for name in ("tool_call", "tool_result", "agent_start")]
    assert [h.ToolCall, h.ToolResultEvent, h.AgentStartEvent] == found


def test_an_unknown_event_has_no_class() -> None:
    """Asking for it is a KeyError."""
    with pytest.raises(KeyError):
        h.event_class("tool_cal")
