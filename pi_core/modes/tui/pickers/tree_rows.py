"""The tree of a conversation as rows: only where it forks does it go to the right.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final, Literal, TypeAlias

from hookspecs.messages import AssistantMessage, BashExecutionMessage, ToolResultMessage, UserMessage, text_of
from hookspecs.values import dataclass
from pi_core.history import entries as h
from pi_core.history.tree import TreeNode

Filter: TypeAlias = Literal["default", "no-tools", "user", "labeled", "all"]
FILTERS: Final[tuple[Filter, ...]] = ("default", "no-tools", "user", "labeled", "all")
FILTER_NAMES: Final[Mapping[Filter, str]] = {
    "default": "what was said and done",
    "no-tools": "without tools",
    "user": "prompts",
    "labeled": "labelled",
    "all": "everything",
}
TEXT_CHARS: Final = 120


@dataclass(slots=True)
class Row:
    """An entry in the list. `depth` counts the forks above; `active` is on the branch that goes on."""

    entry: h.Entry
    depth: int
    label: str | None
    active: bool
    parent_id: str | None = None
    """The row above in the tree."""
    children: int = 0
    begins: bool = False
    """It is the first of its branch after a fork."""
    folded: bool = False

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.entry.id


@dataclass(slots=True)
class _Kept:
    """A shown entry with what is shown below it."""

    node: TreeNode
    below: list[_Kept] = field(default_factory=list)


def rows_of(
    roots: Sequence[TreeNode],
    active: Iterable[str],
    *,
    only: Filter = "default",
    folded: Iterable[str] = (),
) -> list[Row]:
    """The rows from top to bottom, at every fork the branch that goes on first, then by time.

    `active` are the ids of that branch. What is below a folded entry is left out.
    """
    going, closed = frozenset(active), frozenset(folded)
    rows: list[Row] = []
    top = _sorted(_kept(roots, only), going)
    waiting: list[tuple[_Kept, int, str | None, bool]] = [(kept, 0, None, False) for kept in reversed(top)]
    while waiting:
        kept, depth, parent, begins = waiting.pop()
        entry = kept.node.entry
        shut = entry.id in closed and bool(kept.below)
        row = Row(entry, depth, kept.node.label, entry.id in going, parent, len(kept.below), begins, shut)
        rows.append(row)
        if shut:
            continue
        forks = len(kept.below) > 1
        below = [(each, depth + forks, entry.id, forks) for each in _sorted(kept.below, going)]
        waiting += reversed(below)
    return rows


def _kept(roots: Sequence[TreeNode], only: Filter) -> list[_Kept]:
    """The shown entries as a tree of their own: what is below a hidden one hangs on the next above."""
    top: list[_Kept] = []
    waiting = [(root, top) for root in reversed(roots)]
    while waiting:
        node, above = waiting.pop()
        below = above
        if is_shown(node, only):
            kept = _Kept(node)
            above.append(kept)
            below = kept.below
        waiting += [(child, below) for child in reversed(node.children)]
    return top


def _sorted(kept: list[_Kept], active: frozenset[str]) -> list[_Kept]:
    return sorted(kept, key=lambda each: not _leads_on(each, active))


def _leads_on(kept: _Kept, active: frozenset[str]) -> bool:
    return kept.node.entry.id in active


def is_shown(node: TreeNode, only: Filter) -> bool:
    """Whether a filter lets an entry through."""
    entry = node.entry
    message = entry.message if isinstance(entry, h.MessageEntry) else None
    match only:
        case "all":
            return True
        case "labeled":
            return node.label is not None
        case "user":
            return isinstance(message, UserMessage)
        case "no-tools" | "default":
            if only == "no-tools" and isinstance(message, ToolResultMessage):
                return False
            if isinstance(message, AssistantMessage) and not text_of(message.content).strip():
                return only == "default" and bool(message.error_message)
            return isinstance(
                entry, h.MessageEntry | h.CompactionEntry | h.BranchSummaryEntry | h.CustomMessageEntry
            )


def words_of(entry: h.Entry) -> tuple[str, str]:
    """What an entry is, in a word, and how it begins."""
    match entry:
        case h.MessageEntry(message=message):
            return _message_words(message)
        case h.CustomMessageEntry():
            return entry.custom_type, _begin(text_of(entry.content))
        case h.CompactionEntry():
            return "compaction", _begin(entry.summary)
        case h.BranchSummaryEntry():
            return "summary", _begin(entry.summary)
        case h.ModelChangeEntry():
            return "model", f"{entry.provider}/{entry.model_id}"
        case h.ThinkingLevelChangeEntry():
            return "thinking", entry.thinking_level
        case h.LabelEntry():
            return "label", entry.label or "(taken away)"
        case h.SessionInfoEntry():
            return "name", entry.name or "(taken away)"
        case h.CustomEntry():
            return "custom", entry.custom_type
        case _:
            return entry.type, ""


def _message_words(message: object) -> tuple[str, str]:
    match message:
        case UserMessage():
            return "you", _begin(text_of(message.content))
        case AssistantMessage():
            return "pi", _begin(text_of(message.content) or message.error_message or "")
        case ToolResultMessage():
            return message.tool_name, _begin(text_of(message.content))
        case BashExecutionMessage():
            return "!", _begin(message.command)
        case _:
            return "message", ""


def _begin(text: str) -> str:
    return " ".join(text[: TEXT_CHARS * 4].split())[:TEXT_CHARS]


def leaf_row(rows: Sequence[Row]) -> int:
    """The place of the last shown entry of the branch that goes on; 0 if none is shown."""
    return max((place for place, row in enumerate(rows) if row.active), default=0)
