"""Puts sessions into the shape in which the recorded ones are: names for what differs in every run.

Pure.
"""

from __future__ import annotations

import json
import re
from typing import Any

from hookspecs.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
)
from pi_core.history.store import SessionStore
from pi_core.history.tree import TreeNode
from pi_core.providers.transcript import as_model_message

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_SESSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_OURS = re.compile(r"[0-9a-f]{8}")
_THEIRS = re.compile(r"n\d+")
_IN_TORN_LINE = re.compile(r'"(id|parentId|timestamp)":"[^"]*"')


class Renaming:
    """Replaces ids, times and paths that are new, in the order in which they appear."""

    def __init__(self, given: str, names: dict[str, str]) -> None:
        self._given = given
        self._names = names
        self._ids: dict[str, str] = {}

    def apply(self, value: Any) -> Any:
        if isinstance(value, dict):
            if set(value) == {"unparsed"}:
                return {"unparsed": _IN_TORN_LINE.sub("", value["unparsed"])}
            return {self.apply(key): self.apply(value[key]) for key in sorted(value)}
        if isinstance(value, list):
            return [self.apply(item) for item in value]
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        if text in self._names:
            return self._names[text]
        if json.dumps(text, ensure_ascii=False) in self._given:
            return text
        if _TIMESTAMP.fullmatch(text):
            return "<now>"
        if _SESSION.fullmatch(text):
            return "<session>"
        if _OURS.fullmatch(text) or _THEIRS.fullmatch(text):
            return self._ids.setdefault(text, f"new {len(self._ids) + 1}")
        return text


def view_of(store: SessionStore) -> dict[str, Any]:
    """What a person and a model see of a session."""
    context = store.build_context()
    model = context.model
    return {
        "leaf": store.get_leaf_id(),
        "name": store.session_name,
        "model": {"provider": model.provider, "modelId": model.model_id} if model else None,
        "thinking": context.thinking_level,
        "messages": [shown(message) for message in context.messages],
        "llm_roles": [role for message in context.messages if (role := model_role(message))],
        "labels": {e.id: label for e in store.get_entries() if (label := store.get_label(e.id))},
        "branch": [entry.id for entry in store.get_branch()],
        "tree": [node_of(node) for node in store.get_tree()],
    }


def model_role(message: Message) -> str | None:
    """The role in which a model sees a message, failed answers included, as the rows have them."""
    if isinstance(message, AssistantMessage):
        return message.role
    seen = as_model_message(message)
    return seen.role if seen is not None else None


def node_of(node: TreeNode) -> list[Any]:
    label = [{"label": node.label}] if node.label else []
    children = [[node_of(child) for child in node.children]] if node.children else []
    return [node.entry.id, *label, *children]


def shown(message: Message) -> dict[str, Any]:
    """A message in the recorded short form."""
    form: dict[str, Any] = {"role": message.role}
    match message:
        case BashExecutionMessage(command=command, output=output):
            form["text"] = f"{command}|{output}"
            if message.exclude_from_context:
                form["excluded"] = True
        case CompactionSummaryMessage(summary=summary) | BranchSummaryMessage(summary=summary):
            form["text"] = summary
        case _:
            form["text"] = text_form(message.content)
    if isinstance(message, CustomMessage):
        form["custom_type"] = message.custom_type
    if isinstance(message, ToolResultMessage):
        form["tool_call_id"] = message.tool_call_id
    stop = getattr(message, "stop_reason", "stop")
    return form if stop == "stop" else {**form, "stop": stop}


def text_form(content: Any) -> str:
    return content if isinstance(content, str) else "|".join(filter(None, map(block_form, content)))


def block_form(block: Any) -> str | None:
    match block:
        case TextContent(text=text):
            return text
        case ImageContent():
            return "<image>"
        case ToolCallContent(name=name):
            return f"<call {name}>"
        case ThinkingContent():
            return None
        case _:
            raise AssertionError(f"unexpected block {block!r}")


def lines_of(data: bytes) -> list[Any]:
    """The lines of a file: objects, or what else they are."""
    return [_line(line) for line in data.decode("utf-8").split("\n")[:-1]]


def _line(line: str) -> Any:
    if not line.strip():
        return {"blank": True}
    try:
        return json.loads(line)
    except ValueError:
        return {"unparsed": line}
