"""The record of each session event, as the JSON stream and the RPC stream write it.

An update carries what was added, never the message so far.

Pure.
"""

from __future__ import annotations

from typing import Any

from hookspecs.definitions import ToolResult
from hookspecs.messages import TextContent
from hookspecs.wire import to_wire
from pi_core.agent.events import MessageUpdate, ToolExecutionEnd, ToolExecutionUpdate, TurnEnd, TurnStart
from pi_core.history.codec import entry_to_wire
from pi_core.session.events import DiagnosticFound, EntryAppended, ExtensionError, SessionEvent


def wire_event(event: SessionEvent) -> dict[str, Any]:
    """The record of an event. An update carries what was added, never the message so far."""
    match event:
        case MessageUpdate(message=message, assistant_message_event=added):
            return {
                "type": event.type,
                "usage": to_wire(message.usage),
                "assistantMessageEvent": _typed(to_wire(added)),
            }
        case TurnStart():
            return {"type": event.type}
        case TurnEnd(message=message, tool_results=results):
            return {"type": event.type, "message": to_wire(message), "toolResults": to_wire(results)}
        case ToolExecutionUpdate(partial_result=result):
            return _typed({**to_wire(event), "partialResult": wire_result(result)})
        case ToolExecutionEnd(result=result):
            return _typed({**to_wire(event), "result": wire_result(result)})
        case EntryAppended(entry=entry):
            return {"type": event.type, "entry": entry_to_wire(entry)}
        case ExtensionError(diagnostic=diagnostic) | DiagnosticFound(diagnostic=diagnostic):
            return {"type": "diagnostic", **diagnostic.to_json()}
        case _:
            return _typed(to_wire(event))


def _typed(wire: dict[str, Any]) -> dict[str, Any]:
    """The same object with its type in front, where people look for it."""
    return {"type": wire["type"], **wire}


def wire_result(result: ToolResult) -> dict[str, Any]:
    """A tool's result: its content as blocks, and of the other fields those that say something."""
    text = result.content
    content = [TextContent(text=text)] if isinstance(text, str) else text
    wire = {"content": to_wire(content), "details": to_wire(result.details)}
    if result.structured_content is not None:
        wire["structuredContent"] = to_wire(result.structured_content)
    if result.usage is not None:
        wire["usage"] = to_wire(result.usage)
    if result.added_tool_names:
        wire["addedToolNames"] = list(result.added_tool_names)
    if result.terminate:
        wire["terminate"] = True
    return {name: value for name, value in wire.items() if value is not None}
