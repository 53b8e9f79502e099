"""A move in the tree of a session: the next entry follows another one, and what was left may be summarised.

Going to a message of the person, or of an extension, means to say it anew: the leaf is then the entry
before it, and its text is handed back.

Touches: the session's file, and the model that writes summaries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from hookspecs.context import Replaced
from hookspecs.events.session import SessionBeforeTree, SessionTree
from hookspecs.messages import UserMessage, text_of
from hookspecs.values import dataclass
from hookspecs.wire import usage_from_wire
from pi_core.abort import AbortController, AbortedError, AbortSignal
from pi_core.agent.state import AgentState
from pi_core.compaction.branch import abandoned, prepare_branch_summary, summarise_branch
from pi_core.compaction.summarize import Ask
from pi_core.dispatch.copying import copy_value
from pi_core.dispatch.outcomes import BranchSummary
from pi_core.errors import UnknownEntryError
from pi_core.history.entries import CustomMessageEntry, Entry, MessageEntry
from pi_core.session.generation import SessionParts
from pi_core.session.plain import plain

RESERVE_TOKENS: Final = 16384
"""What of the model's window a summary of a branch leaves free, unless the settings say otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreePreparation:
    """A move before it takes place; extensions see it in `session_before_tree`."""

    target_id: str
    old_leaf_id: str | None
    common_ancestor_id: str | None
    """The last entry that both branches have."""
    entries_to_summarize: Sequence[Entry]
    """What is left behind, oldest first."""
    user_wants_summary: bool
    custom_instructions: str | None = None
    replace_instructions: bool = False
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Navigated(Replaced):
    """How a move ended."""

    editor_text: str | None = None
    """The text of the message that is to be said anew."""
    summary_entry: Any = None
    """The entry with the summary of what was left, if one was written."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A summary, and who wrote it."""

    summary: BranchSummary
    from_extension: bool


class Navigation:
    """The moves of one session."""

    def __init__(self, parts: SessionParts, state: AgentState, ask: Ask) -> None:
        self._parts = parts
        self._store = parts.store
        self._state = state
        self._ask = ask
        self._controller: AbortController | None = None

    @property
    def is_running(self) -> bool:
        """Whether a move is under way."""
        return self._controller is not None

    def abort(self) -> None:
        """Give up the move that is under way, if it has not taken place; does not wait for it."""
        if self._controller is not None:
            self._controller.abort()

    async def go(self, wanted: TreePreparation) -> Navigated:
        """Move, unless the leaf is there already.

        Raises: UnknownEntryError; SummaryError, OSError, and the leaf is where it was.
        """
        target = self._store.get_entry(wanted.target_id)
        if target is None:
            raise UnknownEntryError(wanted.target_id)
        if target.id == self._store.get_leaf_id():
            return Navigated()
        self._controller = controller = AbortController()
        try:
            written, wish = await self._prepare(wanted, controller.signal)
        except AbortedError:
            return Navigated(cancelled=True)
        finally:
            self._controller = None
        return await self._move(target, wish, written)

    def prepared(
        self,
        target_id: str,
        *,
        summarize: bool,
        custom_instructions: str | None,
        replace_instructions: bool,
        label: str | None,
    ) -> TreePreparation:
        """What a move to an entry comes to."""
        left = abandoned(self._store.get_branch(), self._store.get_branch(target_id))
        return TreePreparation(
            target_id=target_id,
            old_leaf_id=self._store.get_leaf_id(),
            common_ancestor_id=left.common_ancestor_id,
            entries_to_summarize=tuple(copy_value(list(left.entries))),
            user_wants_summary=summarize,
            custom_instructions=custom_instructions,
            replace_instructions=replace_instructions,
            label=label,
        )

    async def _prepare(
        self, wanted: TreePreparation, signal: AbortSignal
    ) -> tuple[_Written | None, TreePreparation]:
        """What the extensions make of the move, and the summary. Raises: AbortedError if it is given up."""
        runner, given = self._parts.runner, None
        if runner.has_handlers("session_before_tree"):
            answer = await runner.emit(SessionBeforeTree(preparation=wanted, signal=signal))
            if answer is not None:
                if answer.cancel:
                    raise AbortedError
                wanted, given = _with_wishes(wanted, answer), answer.summary
        signal.raise_if_aborted()
        if not wanted.user_wants_summary:
            return None, wanted
        if isinstance(given, BranchSummary):
            return _Written(given, from_extension=True), wanted
        return await self._summarised(wanted, signal), wanted

    async def _summarised(self, wanted: TreePreparation, signal: AbortSignal) -> _Written | None:
        """Our own summary; None if nothing was said that is left behind."""
        window = self._parts.models.model.context_window or 0
        reserve = self._parts.settings.get("branch-summary", "reserve-tokens", default=RESERVE_TOKENS)
        reserve = reserve if isinstance(reserve, int) else RESERVE_TOKENS
        budget = window - reserve if window > reserve else max(window // 2, reserve)
        prepared = prepare_branch_summary(wanted.entries_to_summarize, budget)
        if prepared is None:
            return None
        made = await summarise_branch(
            prepared,
            self._ask,
            custom_instructions=wanted.custom_instructions,
            replace_instructions=wanted.replace_instructions,
            signal=signal,
        )
        signal.raise_if_aborted()
        return _Written(BranchSummary(made.summary, made.details, made.usage), from_extension=False)

    async def _move(self, target: Entry, wish: TreePreparation, written: _Written | None) -> Navigated:
        leaf_id, editor_text = _landing(target)
        try:
            summary_entry = self._put_down(leaf_id, written)
            if wish.label:
                marked = target if summary_entry is None else summary_entry
                self._store.append_label(marked.id, wish.label)
        except BaseException:
            self._stand_at(wish.old_leaf_id)
            raise
        self._state.messages[:] = self._store.build_context().messages
        if self._parts.runner.has_handlers("session_tree"):
            await self._parts.runner.emit(
                SessionTree(
                    new_leaf_id=self._store.get_leaf_id(),
                    old_leaf_id=wish.old_leaf_id,
                    summary_entry=summary_entry,
                    from_extension=None if written is None else written.from_extension,
                )
            )
        return Navigated(editor_text=editor_text, summary_entry=summary_entry)

    def _stand_at(self, leaf_id: str | None) -> None:
        if leaf_id is None:
            self._store.reset_leaf()
        else:
            self._store.branch(leaf_id)

    def _put_down(self, leaf_id: str | None, written: _Written | None) -> Entry | None:
        """Go on behind an entry, with the summary if there is one. Returns its entry."""
        if written is None:
            self._stand_at(leaf_id)
            return None
        given = written.summary
        usage = usage_from_wire(given.usage) if isinstance(given.usage, Mapping) else given.usage
        entry_id = self._store.branch_with_summary(
            leaf_id,
            given.summary,
            details=plain(given.details),
            usage=usage,
            from_hook=written.from_extension or None,
        )
        return self._store.get_entry(entry_id)


def _landing(target: Entry) -> tuple[str | None, str | None]:
    """Where the leaf goes, and the text that is to be said anew."""
    match target:
        case MessageEntry(message=UserMessage(content=content)) | CustomMessageEntry(content=content):
            return target.parent_id, text_of(content)
        case _:
            return target.id, None


def _with_wishes(wanted: TreePreparation, answer: Any) -> TreePreparation:
    """The move with what extensions set."""
    names = ("custom_instructions", "replace_instructions", "label")
    return replace(wanted, **{name: getattr(answer, name) for name in names if name in answer})
