"""Commands that ask what is there.

Pure.
"""

from __future__ import annotations

from typing import Any

from hookspecs.messages import UserMessage, text_of
from hookspecs.wire import to_wire
from pi_core.history.codec import entry_to_wire
from pi_core.history.entries import MessageEntry
from pi_core.history.tree import labels_of
from pi_core.modes.base import json_line
from pi_core.modes.rpc.call import Call, Command, Data, Field, RefusedError
from pi_core.modes.rpc.wire import command_to_wire, model_to_wire, tree_to_json


async def get_state(call: Call) -> dict[str, Any]:
    """What a client shows around the conversation. File and name are left out where there is none."""
    session, controls = call.session, call.session.controls
    store = session.parts.store
    steering, follow_up = controls.queue_modes
    state = {
        "model": model_to_wire(session.parts.models.model),
        "thinkingLevel": session.parts.models.thinking,
        "isStreaming": not session.is_idle,
        "isCompacting": session.is_compacting,
        "steeringMode": steering,
        "followUpMode": follow_up,
        "sessionFile": store.session_file,
        "sessionId": store.session_id,
        "sessionName": store.session_name,
        "autoCompactionEnabled": controls.auto_compaction_enabled,
        "messageCount": len(session.messages),
        "pendingMessageCount": session.delivery.pending,
    }
    return {name: value for name, value in state.items() if value is not None}


async def get_messages(call: Call) -> dict[str, Any]:
    """The conversation as a model reads it, oldest first."""
    await call.records.room()
    return {"messages": to_wire(list(call.session.messages))}


async def get_commands(call: Call) -> dict[str, Any]:
    """What can be typed after a slash: commands of extensions, prompt templates, skills."""
    host = call.session.parts.runner.runtime.bound
    return {"commands": [command_to_wire(each) for each in (host.get_commands() if host is not None else ())]}


async def get_session_stats(call: Call) -> dict[str, Any]:
    """Counts of messages, tokens and dollars."""
    stats = call.session.stats()
    wire: dict[str, Any] = to_wire(stats)
    if stats.context_usage is not None:  # here null is an answer: nobody knows yet
        usage = stats.context_usage
        wire["contextUsage"] = {
            "tokens": usage.tokens,
            "contextWindow": usage.context_window,
            "percent": usage.percent,
        }
    return wire


async def get_last_assistant_text(call: Call) -> dict[str, Any]:
    """The text of the last answer; null if there is none."""
    return {"text": call.session.last_assistant_text()}


async def get_fork_messages(call: Call) -> dict[str, Any]:
    """What the person said, oldest first, on whichever branch: each may be the begin of a fork."""
    found = [
        {"entryId": entry.id, "text": text}
        for entry in call.session.parts.store.get_entries()
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage)
        if (text := text_of(entry.message.content))
    ]
    return {"messages": found}


async def get_entries(call: Call) -> dict[str, Any]:
    """All entries in the order of the file, or those behind one."""
    await call.records.room()
    store, since = call.session.parts.store, call.given.get("since")
    entries = store.get_entries()
    if since is not None:
        place = next((place for place, entry in enumerate(entries) if entry.id == since), None)
        if place is None:
            raise RefusedError(f"Entry not found: {since}")
        entries = entries[place + 1 :]
    return {"entries": [entry_to_wire(entry) for entry in entries], "leafId": store.get_leaf_id()}


async def get_tree(call: Call) -> Data:
    """All entries as a tree, and where the conversation stands in it."""
    await call.records.room()
    store = call.session.parts.store
    times = {target: label.timestamp for target, label in labels_of(store.get_entries()).items()}
    leaf = json_line(store.get_leaf_id()).rstrip()
    return Data(f'{{"tree":{tree_to_json(store.get_tree(), times)},"leafId":{leaf}}}')


COMMANDS = (
    Command("get_state", get_state),
    Command("get_messages", get_messages),
    Command("get_commands", get_commands),
    Command("get_session_stats", get_session_stats),
    Command("get_last_assistant_text", get_last_assistant_text),
    Command("get_fork_messages", get_fork_messages),
    Command("get_entries", get_entries, (Field("since", required=False),)),
    Command("get_tree", get_tree),
)
