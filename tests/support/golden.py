"""Golden traces of the reference, and our own events brought into the same form.

A trace is a list of lines, one an event. What differs from run to run is gone:
times and ids (calls are numbered as they appear), the deltas of a message (its
kinds of update are one line), repeated progress. The traces hold no system
messages: we neither tell nor keep them.

Touches: files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookspecs.wire import to_wire

FOLDER = Path(__file__).parents[1] / "conformance" / "golden"
Wire = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Golden:
    """One recorded case: what hosts heard (`stream`) and what extensions heard (`extensions`)."""

    case: str
    stream: list[str]
    extensions: list[str]


def golden(case: str) -> Golden:
    """The recorded traces of a case, `plain` for instance."""
    recorded = json.loads((FOLDER / f"{case}.json").read_text(encoding="utf-8"))
    return Golden(case, recorded["stream"], recorded["extensions"])


def within_run(lines: list[str]) -> list[str]:
    """The part of an extension trace that the loop itself causes: from agent_start to agent_end."""
    last = max(index for index, line in enumerate(lines) if line.startswith("agent_end"))
    inside = lines[lines.index("agent_start") : last + 1]
    return [line for line in inside if not line.startswith("input ")]


def stream_trace(events: Iterable[Any]) -> list[str]:
    """Our stream in the recorded form. Events are wire objects, or values that `to_wire` knows."""
    calls = Calls()
    lines: list[str] = []
    for event in events:
        wire = event if isinstance(event, Mapping) else to_wire(event)
        if wire["type"] == "message_update":
            add_update(lines, wire["assistantMessageEvent"]["type"])
        else:
            add(lines, describe(wire, calls, STREAM))
    return lines


def extension_trace(events: Iterable[Any]) -> list[str]:
    """What an extension that listens to everything was told, in the recorded form. Updates are left out."""
    calls = Calls()
    lines: list[str] = []
    for event in events:
        wire = event if isinstance(event, Mapping) else to_wire(event)
        if wire["type"] != "message_update":
            add(lines, describe(wire, calls, EXTENSIONS))
    return lines


class Calls:
    """Tool calls by the order in which they appear: the first is `bash#1`."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def name(self, wire: Wire) -> str:
        number = self._numbers.setdefault(wire["toolCallId"], len(self._numbers) + 1)
        return f"{wire['toolName']}#{number}"


def add(lines: list[str], line: str) -> None:
    """Add a line, but not the same progress twice in a row."""
    if not (lines and lines[-1] == line and line.startswith("tool_execution_update")):
        lines.append(line)


def add_update(lines: list[str], kind: str) -> None:
    """Note a kind of update once for its message."""
    if not (lines and lines[-1].startswith("message_update")):
        lines.append("message_update")
    if kind not in lines[-1].split():
        lines[-1] += f" {kind}"


Describe = Callable[[Wire, Calls], str]


def describe(wire: Wire, calls: Calls, table: Mapping[str, Describe]) -> str:
    """The line of an event: its type and what the table finds worth comparing."""
    found = table.get(wire["type"], nothing)(wire, calls)
    return f"{wire['type']} {found}".rstrip()


def nothing(wire: Wire, calls: Calls) -> str:
    return ""


def started(wire: Wire, calls: Calls) -> str:
    message = wire["message"]
    return f"{message['role']} {message.get('stopReason', '')}"


def ended(wire: Wire, calls: Calls) -> str:
    message = wire["message"]
    if message["role"] == "toolResult":
        text = "".join(block.get("text", "") for block in message["content"])
        return f"toolResult {verdict(message)} {json.dumps(text)}"
    reason = message.get("stopReason", "")
    return f"{message['role']} {reason} {message.get('errorMessage', '') if reason == 'aborted' else ''}"


def verdict(wire: Wire) -> str:
    return "error" if wire.get("isError") else "ok"


def roles(wire: Wire, calls: Calls) -> str:
    retry = "retry" if wire.get("willRetry") else ""
    return f"{' '.join(message['role'] for message in wire['messages'])} {retry}"


STREAM: Mapping[str, Describe] = {
    "message_start": started,
    "message_end": ended,
    "turn_end": lambda wire, calls: f"{wire['message']['stopReason']} {len(wire['toolResults'])}",
    "agent_end": roles,
    "agent_settled": lambda wire, calls: "aborted" if wire.get("aborted") else "",
    "tool_execution_start": lambda wire, calls: calls.name(wire),
    "tool_execution_update": lambda wire, calls: calls.name(wire),
    "tool_execution_end": lambda wire, calls: f"{calls.name(wire)} {verdict(wire)}",
    "queue_update": lambda wire, calls: json.dumps([wire["steering"], wire["followUp"]]),
    "compaction_start": lambda wire, calls: wire["reason"],
    "compaction_end": lambda wire, calls: wire["reason"],
    "auto_retry_start": lambda wire, calls: f"{wire['attempt']}/{wire['maxAttempts']}",
    "auto_retry_end": lambda wire, calls: f"{wire['attempt']} {'ok' if wire['success'] else 'failed'}",
}

EXTENSIONS: Mapping[str, Describe] = {
    **STREAM,
    "session_start": lambda wire, calls: wire["reason"],
    "session_shutdown": lambda wire, calls: wire["reason"],
    "resources_discover": lambda wire, calls: wire["reason"],
    "input": lambda wire, calls: f"{wire['source']} {wire.get('streamingBehavior', '')}",
    "turn_start": lambda wire, calls: str(wire["turnIndex"]),
    "message_end": started,
    "context": lambda wire, calls: str(len(wire["messages"])),
    "after_provider_response": lambda wire, calls: str(wire["status"]),
    "tool_call": lambda wire, calls: calls.name(wire),
    "tool_result": lambda wire, calls: f"{calls.name(wire)} {verdict(wire)}",
    "turn_end": lambda wire, calls: f"{wire['message']['stopReason']} {wire['turnIndex']}",
    "agent_end": lambda wire, calls: str(len(wire["messages"])),
    "agent_settled": nothing,
    "session_before_compact": lambda wire, calls: wire["reason"],
    "session_compact": lambda wire, calls: wire["reason"],
}
