"""Entries as a tree: paths, children, labels.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from hookspecs.values import dataclass
from pi_core.history.entries import Entry, LabelEntry


@dataclass(slots=True)
class TreeNode:
    """An entry with its children, oldest first, and the label that it carries now."""

    entry: Entry
    children: list[TreeNode] = field(default_factory=list)
    label: str | None = None


def path_to(leaf_id: str | None, by_id: Mapping[str, Entry]) -> list[Entry]:
    """The branch from its root to a leaf. Empty without a leaf. A parent that is missing is the root."""
    path: list[Entry] = []
    seen: set[str] = set()
    entry = by_id.get(leaf_id) if leaf_id is not None else None
    while entry is not None and entry.id not in seen:
        seen.add(entry.id)
        path.append(entry)
        entry = by_id.get(entry.parent_id) if entry.parent_id is not None else None
    path.reverse()
    return path


def labels_of(entries: Iterable[Entry]) -> dict[str, LabelEntry]:
    """Labelled entry's id → the entry that says so, in the order of labelling. The last word counts."""
    labels: dict[str, LabelEntry] = {}
    for entry in entries:
        if isinstance(entry, LabelEntry):
            if entry.label:
                labels[entry.target_id] = entry
            else:
                labels.pop(entry.target_id, None)
    return labels


def build_tree(entries: Sequence[Entry]) -> list[TreeNode]:
    """The roots in file order. An entry whose parent is missing is a root; children are in time order."""
    labels = labels_of(entries)
    nodes = {entry.id: TreeNode(entry) for entry in entries}
    for target_id, label in labels.items():
        if target_id in nodes:
            nodes[target_id].label = label.label
    roots: list[TreeNode] = []
    for node in nodes.values():
        parent = nodes.get(node.entry.parent_id) if node.entry.parent_id is not None else None
        if parent is None or parent is node:
            roots.append(node)
        else:
            parent.children.append(node)
    for node in nodes.values():
        node.children.sort(key=lambda child: child.entry.timestamp)
    return roots


def common_ancestor(one: Sequence[Entry], other: Sequence[Entry]) -> Entry | None:
    """The last entry that two branches share; None if they share none."""
    shared: Entry | None = None
    for mine, theirs in zip(one, other, strict=False):
        if mine.id != theirs.id:
            break
        shared = mine
    return shared
