"""What commands answer with, in the client's spelling.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hookspecs.context import CommandInfo
from hookspecs.definitions import Model
from hookspecs.wire import to_wire
from pi_core.history.codec import entry_to_wire
from pi_core.history.tree import TreeNode
from pi_core.modes.base import json_line

_PRICES: Final = ("input", "output", "cacheRead", "cacheWrite")


def model_to_wire(model: Model) -> dict[str, Any]:
    """A model, all its prices named. Headers stay here: they may hold a key."""
    wire: dict[str, Any] = to_wire(model)
    wire.pop("headers", None)
    wire["name"] = model.name or model.id
    wire["baseUrl"] = model.base_url
    wire["cost"] = {**dict.fromkeys(_PRICES, 0), **wire.get("cost", {})}
    return wire


def command_to_wire(command: CommandInfo) -> dict[str, Any]:
    """What can be typed after the slash, and where it comes from."""
    wire: dict[str, Any] = {"name": command.name, "source": command.kind, "sourceInfo": _source(command)}
    return {**wire, "description": command.description} if command.description else wire


def _source(command: CommandInfo) -> dict[str, Any]:
    source = command.source_info
    if source is None:
        return {"path": "<inline>", "source": "inline", "scope": "temporary", "origin": "top-level"}
    known = {"path": source.path, "source": source.source, "scope": source.scope, "origin": source.origin}
    base = getattr(source, "base_dir", None)
    return {**known, "baseDir": base} if base is not None else known


def tree_to_json(roots: Sequence[TreeNode], label_times: Mapping[str, str]) -> str:
    """The text of the tree. Every entry nests its children, so a long session nests deeply: no recursion."""
    parts: list[str] = ["["]
    pending: list[TreeNode | str] = _row(roots)
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        mark = {} if item.label is None else {"label": item.label}
        if item.label is not None and item.entry.id in label_times:
            mark["labelTimestamp"] = label_times[item.entry.id]
        text = json_line({"entry": entry_to_wire(item.entry), **mark}).rstrip("\n")
        parts.append(f'{text[:-1]},"children":[')
        pending.append("]}")
        pending.extend(_row(item.children))
    parts.append("]")
    return "".join(parts)


def _row(nodes: Sequence[TreeNode]) -> list[TreeNode | str]:
    """The nodes with commas between them, last first."""
    row: list[TreeNode | str] = []
    for node in reversed(nodes):
        row += [node, ","]
    return row[:-1]
