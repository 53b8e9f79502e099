"""Carries one compaction out: extensions have their say, a summary is written, the conversation is shorter.

Whatever happens, who was told that it begins is told how it ended.

Touches: the session's file, and the model that writes the summary.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hookspecs.events.session import (
    Compaction,
    CompactionReason,
    SessionBeforeCompact,
    SessionCompact,
    SessionCompactFailed,
)
from hookspecs.values import dataclass
from hookspecs.wire import usage_from_wire
from pi_core.abort import AbortController, AbortedError, AbortSignal
from pi_core.agent.state import AgentState
from pi_core.compaction.prepare import CompactionPreparation, NothingToCompact, prepare_compaction
from pi_core.compaction.summarize import Ask, summarise
from pi_core.dispatch.copying import copy_value
from pi_core.dispatch.plan import text_of_error
from pi_core.errors import CompactionError
from pi_core.history.entries import Entry
from pi_core.session.events import CompactionEnd, CompactionResult, CompactionStart
from pi_core.session.generation import SessionParts
from pi_core.session.preferences import Preferences
from pi_core.session.recorder import Recorder

CANCELLED: Final = "Compaction cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionWish:
    """A compaction that is wanted. `will_retry` says that a request which was too large follows."""

    reason: CompactionReason
    will_retry: bool = False
    custom_instructions: str | None = None


@dataclass(frozen=True, slots=True)
class _Made:
    """A summary, and who wrote it."""

    result: CompactionResult
    from_extension: bool


class Compacting:
    """The compactions of one session, one at a time."""

    def __init__(
        self,
        parts: SessionParts,
        recorder: Recorder,
        state: AgentState,
        preferences: Preferences,
        ask: Ask,
    ) -> None:
        self._parts = parts
        self._recorder = recorder
        self._state = state
        self._preferences = preferences
        self._ask = ask
        self._controller: AbortController | None = None

    @property
    def is_running(self) -> bool:
        """Whether a compaction is under way."""
        return self._controller is not None

    def abort(self) -> None:
        """Stop the compaction that is under way; does not wait for it."""
        if self._controller is not None:
            self._controller.abort()

    def is_possible(self) -> bool:
        """Whether any part of the conversation could go."""
        return not isinstance(self._prepared(self._parts.store.get_branch()), NothingToCompact)

    async def run(self, wish: CompactionWish, outer: AbortSignal | None = None) -> CompactionResult:
        """One compaction, which `abort` and the `outer` signal stop.

        Raises: CompactionError; everybody was told then, and nothing has changed.
        """
        self._controller = controller = AbortController()
        take_off = outer.on_abort(controller.abort) if outer is not None else None
        self._parts.channel.tell(CompactionStart(reason=wish.reason))
        made: _Made | None = None
        try:
            branch = self._parts.store.get_branch()
            made = await self._make(wish, branch, controller.signal)
            entry = self._put_down(made)
        except asyncio.CancelledError:
            self._controller = None
            self._tell_end(wish, error=CompactionError(CANCELLED, aborted=True))
            raise
        except Exception as error:
            self._controller = None
            failure = _as_failure(error)
            await self._tell_failure(wish, failure, made is not None and made.from_extension)
            raise failure from error
        finally:
            self._controller = None
            if take_off is not None:
                take_off()
        await self._tell_success(wish, made, entry)
        return made.result

    def _prepared(self, branch: Sequence[Entry]) -> CompactionPreparation | NothingToCompact:
        return prepare_compaction(branch, self._preferences.compaction())

    async def _make(self, wish: CompactionWish, branch: Sequence[Entry], signal: AbortSignal) -> _Made:
        """The summary: an extension's, or the model's."""
        prepared = self._prepared(branch)
        if isinstance(prepared, NothingToCompact):
            raise CompactionError(prepared.reason)
        given = await self._ask_extensions(wish, prepared, branch, signal)
        signal.raise_if_aborted()
        if given is not None:
            return _Made(_as_result(given), from_extension=True)
        made = await summarise(
            prepared,
            self._ask,
            custom_instructions=wish.custom_instructions,
            context_window=self._parts.models.model.context_window,
            signal=signal,
        )
        signal.raise_if_aborted()
        result = CompactionResult(
            summary=made.summary,
            first_kept_entry_id=prepared.first_kept_entry_id,
            tokens_before=prepared.tokens_before,
            details=made.details,
            usage=made.usage,
        )
        return _Made(result, from_extension=False)

    async def _ask_extensions(
        self,
        wish: CompactionWish,
        prepared: CompactionPreparation,
        branch: Sequence[Entry],
        signal: AbortSignal,
    ) -> Compaction | None:
        """What an extension puts in the place of our own summary. Raises: CompactionError if one cancels."""
        runner = self._parts.runner
        if not runner.has_handlers("session_before_compact"):
            return None
        answer = await runner.emit(
            SessionBeforeCompact(
                preparation=prepared,
                branch_entries=copy_value(list(branch)),
                reason=wish.reason,
                will_retry=wish.will_retry,
                custom_instructions=wish.custom_instructions,
                signal=signal,
            )
        )
        if answer is not None and answer.cancel:
            raise CompactionError(CANCELLED, aborted=True)
        found: Compaction | None = None if answer is None else answer.compaction
        return found

    def _put_down(self, made: _Made) -> Any:
        """Store the summary and read the conversation anew. Returns the entry."""
        store = self._parts.store
        entry_id = self._recorder.compaction(made.result, from_hook=made.from_extension)
        self._state.messages[:] = store.build_context().messages
        return store.get_entry(entry_id)

    # telling: extensions first, then the host

    async def _tell_success(self, wish: CompactionWish, made: _Made, entry: Any) -> None:
        runner = self._parts.runner
        try:
            if runner.has_handlers("session_compact"):
                await runner.emit(
                    SessionCompact(
                        compaction_entry=entry,
                        from_extension=made.from_extension,
                        reason=wish.reason,
                        will_retry=wish.will_retry,
                    )
                )
        finally:
            self._tell_end(wish, result=made.result)

    async def _tell_failure(
        self, wish: CompactionWish, failure: CompactionError, from_extension: bool
    ) -> None:
        runner = self._parts.runner
        try:
            if runner.has_handlers("session_compact_failed"):
                await runner.emit(
                    SessionCompactFailed(
                        reason=wish.reason,
                        error_message=None if failure.aborted else failure.found,
                        aborted=failure.aborted,
                        will_retry=wish.will_retry,
                        from_extension=from_extension,
                    )
                )
        finally:
            self._tell_end(wish, error=failure)

    def _tell_end(
        self,
        wish: CompactionWish,
        *,
        result: CompactionResult | None = None,
        error: CompactionError | None = None,
    ) -> None:
        aborted = error is not None and error.aborted
        self._parts.channel.tell(
            CompactionEnd(
                reason=wish.reason,
                result=result,
                aborted=aborted,
                will_retry=wish.will_retry and result is not None,
                error_message=None if error is None or aborted else error.found,
            )
        )


def _as_result(given: Compaction) -> CompactionResult:
    """What an extension gave."""
    usage = usage_from_wire(given.usage) if isinstance(given.usage, Mapping) else given.usage
    return CompactionResult(
        summary=given.summary,
        first_kept_entry_id=given.first_kept_entry_id,
        tokens_before=given.tokens_before,
        details=given.details,
        usage=usage,
    )


def _as_failure(error: Exception) -> CompactionError:
    match error:
        case CompactionError():
            return error
        case AbortedError():
            return CompactionError(CANCELLED, aborted=True)
        case _:
            return CompactionError(f"Compaction failed: {text_of_error(error)}")
