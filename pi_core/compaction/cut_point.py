"""Where a conversation is cut: what is older becomes a summary, what is newer stays word by word.

A cut is never in front of a tool's result, which would part it from its call. Where
it falls between a question and the end of its answer, it splits a turn.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hookspecs.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CustomMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)
from hookspecs.values import dataclass
from pi_core.compaction.tokens import estimate_tokens
from pi_core.history.context import Projected, message_of
from pi_core.history.entries import CompactionEntry, Entry

_TURN_BEGINS: Final = (UserMessage, BashExecutionMessage, CustomMessage, BranchSummaryMessage)


@dataclass(frozen=True, slots=True)
class Cut:
    """A place between two messages."""

    first_kept: int
    """Which message is the first that stays."""
    turn_start: int | None
    """Where the turn begins that is split; None if none is."""

    @property
    def is_split_turn(self) -> bool:
        """Whether the beginning of a turn goes and its end stays."""
        return self.turn_start is not None

    @property
    def history_end(self) -> int:
        """Before which message the whole turns end that go."""
        return self.first_kept if self.turn_start is None else self.turn_start


def find_cut(messages: Sequence[Message], keep_recent_tokens: int) -> Cut | None:
    """The cut that keeps about so many tokens of the newest messages; None if nothing would go.

    It is at the nearest possible place behind the message that fills the measure, and if there is
    none, because results of tools are all that follows, at the nearest before it. Where the measure
    is not filled, only results go whose calls went earlier.
    """
    full = _where_full(messages, keep_recent_tokens)
    places = [n for n, message in enumerate(messages) if not isinstance(message, ToolResultMessage)]
    first_kept = next((n for n in places if n >= full), places[-1] if places else 0)
    return Cut(first_kept, _turn_start(messages, first_kept)) if first_kept > 0 else None


def first_kept_entry(branch: Sequence[Entry], kept: Projected) -> Entry:
    """The entry from which on all stays: what was noted just before the first kept message is with it."""
    place = kept.place
    while place > 0 and _is_note(branch[place - 1]):
        place -= 1
    return branch[place]


def _where_full(messages: Sequence[Message], keep_recent_tokens: int) -> int:
    """The newest message which, with all after it, fills the measure; else the first."""
    kept = 0
    for index in reversed(range(len(messages))):
        kept += estimate_tokens(messages[index])
        if kept >= keep_recent_tokens:
            return index
    return 0


def _turn_start(messages: Sequence[Message], cut: int) -> int | None:
    """Where the turn began that a cut splits; None where it is between turns."""
    if isinstance(messages[cut], _TURN_BEGINS):
        return None
    return next((n for n in reversed(range(cut)) if isinstance(messages[n], _TURN_BEGINS)), None)


def _is_note(entry: Entry) -> bool:
    """Whether an entry says nothing itself: a label, a change of model, an extension's state."""
    return message_of(entry) is None and not isinstance(entry, CompactionEntry)
