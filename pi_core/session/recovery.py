"""What follows a run by itself: another attempt after a passing failure, a compaction when it grows too long.

A failed answer stays in the history and leaves what the model reads. An answer that did not fit the
model is asked for once more after a compaction, and not a second time.

Touches: the session's file, and the model that writes summaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hookspecs.messages import AssistantMessage, Message
from pi_core.abort import AbortController, AbortSignal
from pi_core.agent.state import AgentState
from pi_core.compaction.tokens import branch_tokens, context_tokens, should_compact
from pi_core.errors import CompactionError
from pi_core.history.entries import MessageEntry
from pi_core.providers.failures import is_overflow
from pi_core.session.compacting import Compacting, CompactionWish
from pi_core.session.drafts import EditDraft
from pi_core.session.events import CompactionEnd
from pi_core.session.generation import SessionParts
from pi_core.session.preferences import Preferences
from pi_core.session.recorder import Recorder, not_stored
from pi_core.session.retry import Retry

STILL_TOO_LONG: Final = (
    "The conversation does not fit the model, also after it was compacted. "
    "Use a model with a larger window, or begin a new session."
)


class Recovery:
    """The recovery of one session's runs. One activity at a time, between `begin` and `end`."""

    def __init__(
        self,
        parts: SessionParts,
        recorder: Recorder,
        state: AgentState,
        preferences: Preferences,
        compacting: Compacting,
    ) -> None:
        self._parts = parts
        self._recorder = recorder
        self._state = state
        self._preferences = preferences
        self._compacting = compacting
        self.retry = Retry(parts.channel, preferences.retry)
        self._signal: AbortSignal = AbortController().signal
        self._failed: AssistantMessage | None = None
        self._recovered = False

    async def begin(self, signal: AbortSignal) -> None:
        """An activity begins, which `signal` stops: shorten the conversation first if it is too long."""
        self._signal = signal
        self._failed, self._recovered = None, False
        await self._compact_if_full()

    def will_retry(self, messages: Sequence[Message]) -> bool:
        """Whether the run with these messages, which ends now, is followed by another attempt."""
        answer = _last_answer(messages)
        wanted = (
            answer is not None
            and not self._signal.aborted
            and self.retry.wants(answer, self._window)
            and self._goes_on_without(answer)
        )
        self._failed = answer if wanted else None
        return wanted

    def answered(self, answer: AssistantMessage) -> None:
        """An answer is complete and stored."""
        self.retry.answered(answer)
        if answer.stop_reason not in ("error", "aborted") and not is_overflow(answer, self._window):
            self._recovered = False

    async def between_turns(self) -> None:
        """Shorten the conversation before the next request if it is too long by now."""
        await self._compact_if_full()

    async def after_run(self, messages: Sequence[Message]) -> bool:
        """Do what is to follow the run with these messages. True if another run is."""
        failed, self._failed = self._failed, None
        if failed is not None:
            return await self.retry.prepare(failed, self._signal, self._drop)
        answer = _last_answer(messages)
        self.retry.end(answer.error_message if answer is not None else None)
        if self._signal.aborted or answer is None:
            return False
        if self._is_too_long(answer):
            return await self._recover(answer)
        await self._compact_if_full()
        return False

    def end(self) -> None:
        """The activity is over, whichever way."""
        self.retry.end(None)

    # inside

    @property
    def _window(self) -> int:
        return self._parts.models.model.context_window

    def _is_too_long(self, answer: AssistantMessage) -> bool:
        """Whether the answer says that the conversation does not fit the model in use."""
        model = self._parts.models.model
        same = (answer.provider, answer.model) == (model.provider, model.id)
        return self._preferences.compaction().enabled and same and is_overflow(answer, self._window)

    async def _recover(self, answer: AssistantMessage) -> bool:
        """Compact after an answer that did not fit; True if it is to be asked for again."""
        if answer.stop_reason == "stop":  # it came all the same, the next one would not
            await self._compact(CompactionWish(reason="overflow"))
            return False
        if self._recovered:
            self._parts.channel.tell(CompactionEnd(reason="overflow", error_message=STILL_TOO_LONG))
            return False
        self._recovered = True
        self._drop(answer)
        compacted = await self._compact(CompactionWish(reason="overflow", will_retry=True))
        return compacted and not self._signal.aborted and self._may_go_on(self._state.messages)

    async def _compact_if_full(self) -> None:
        if self._signal.aborted or not self._is_full():
            return
        if self._compacting.is_possible():
            await self._compact(CompactionWish(reason="threshold"))

    def _is_full(self) -> bool:
        settings = self._preferences.compaction()
        if not should_compact(context_tokens(self._state.messages).tokens, self._window, settings):
            return False  # the same in the usual case, and without the way along the branch
        tokens = branch_tokens(self._parts.store.get_branch()).tokens
        return should_compact(tokens, self._window, settings)

    async def _compact(self, wish: CompactionWish) -> bool:
        """Whether it worked; if not, everybody was told why."""
        try:
            await self._compacting.run(wish, self._signal)
        except CompactionError:
            return False
        return True

    def _drop(self, answer: AssistantMessage) -> None:
        """Take a failed answer out of what the model reads. In the history it stays."""
        messages = self._state.messages
        messages[:] = [message for message in messages if message is not answer]
        entries = reversed(self._parts.store.get_branch())
        entry_id = next(
            (entry.id for entry in entries if isinstance(entry, MessageEntry) and entry.message is answer),
            None,
        )
        if entry_id is None:
            return  # it could not be stored, which was told then
        try:
            self._recorder.draft(EditDraft(entry_id, None))
        except (OSError, ValueError) as error:
            self._parts.channel.report(not_stored(self._parts.store, error))

    def _goes_on_without(self, answer: AssistantMessage) -> bool:
        return self._may_go_on([message for message in self._state.messages if message is not answer])

    @staticmethod
    def _may_go_on(messages: Sequence[Message]) -> bool:
        """Whether there is something that a model could answer."""
        return bool(messages) and messages[-1].role != "assistant"


def _last_answer(messages: Sequence[Message]) -> AssistantMessage | None:
    answers = (message for message in reversed(messages) if isinstance(message, AssistantMessage))
    return next(answers, None)
