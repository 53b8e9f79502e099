"""What happens between two turns and before a session settles: extensions add entries or ask to go on.

Touches: the session's file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hookspecs.events import agent as on_agent
from hookspecs.events.agent import Outcome
from hookspecs.messages import CustomMessage, Message
from pi_core.agent import events as loop
from pi_core.agent.agent import now_ms
from pi_core.agent.ports import TurnDecision
from pi_core.agent.state import AgentState
from pi_core.dispatch.outcomes import BoundaryOutcome
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.extensions.runner import Runner
from pi_core.session.drafts import CompactionDraft, Draft, EditDraft, MessageDraft, read_draft
from pi_core.session.generation import SessionParts
from pi_core.session.recorder import Recorder


class Boundary:
    """The boundaries of one session's turns. `refresh` brings prompt and tools up to date.

    `deferred` are custom messages that came in the middle of a turn and wait for its end, so that
    none ever stands between a tool call and its result.
    """

    def __init__(
        self,
        parts: SessionParts,
        recorder: Recorder,
        state: AgentState,
        refresh: Callable[[], None],
    ) -> None:
        self._parts = parts
        self._store = parts.store
        self._recorder = recorder
        self._channel = parts.channel
        self._state = state
        self._refresh = refresh
        self.deferred: list[CustomMessage] = []

    @property
    def _runner(self) -> Runner:
        return self._parts.runner

    async def turn_ended(self, event: loop.TurnEnd, entry_ids: Mapping[int, str]) -> TurnDecision:
        """Store what waited, ask the extensions, store what they add."""
        messages = self.flush()
        if not self._parts.hears("turn_end"):
            return TurnDecision("default", messages)
        asked = on_agent.TurnEnd(
            turn_index=event.turn_index,
            message=event.message,
            tool_results=list(event.tool_results),
            message_entry_id=entry_ids.get(id(event.message)),
            tool_result_entry_ids=[entry_ids.get(id(result), "") for result in event.tool_results],
            outcome=outcome_of(event.message),
        )
        outcome = await self._ask(asked)
        messages += self._commit(outcome.entries)
        return TurnDecision("continue" if outcome.continue_ else "default", messages)

    async def before_turn(self) -> None:
        """What changed during the last turn counts from the next one on."""
        self._refresh()

    async def before_settle(self, outcome: Outcome) -> bool:
        """Ask the extensions whether to go on, and store what they add. True to go on."""
        if not self._parts.hears("agent_before_settle"):
            return False
        answer = await self._ask(on_agent.AgentBeforeSettle(outcome=outcome))
        self._state.messages += self._commit(answer.entries)
        if answer.continue_ and not self._can_go_on():
            text = "there is nothing to continue from: add a custom_message entry, or send a message"
            self._channel.report(Failure("<runtime>", "agent_before_settle", text))
            return False
        return answer.continue_

    def flush(self) -> list[Message]:
        """Store and tell what waited for the end of a turn. Returns it, oldest first."""
        waiting, self.deferred = self.deferred, []
        return [self.add(message) for message in waiting]

    def add(self, message: CustomMessage) -> Message:
        """Store and tell one message that no run announces."""
        self._channel.tell(loop.MessageStart(message=message))
        self._channel.tell(loop.MessageEnd(message=message))
        self._recorder.message(message)
        return message

    def _can_go_on(self) -> bool:
        messages = self._state.messages
        return bool(messages) and messages[-1].role != "assistant"

    async def _ask(self, event: Any) -> BoundaryOutcome:
        event.preview = self._preview
        outcome: BoundaryOutcome = await self._runner.emit(event)
        return outcome

    def _preview(self, entries: Sequence[Any]) -> list[Message]:
        """The conversation as it would be with these entries. Raises ValueError if one is wrong."""
        added: list[Message] = []
        for draft in self._read(entries):
            match draft:
                case MessageDraft(message=message):
                    added.append(message)
                case EditDraft(target_id=entry_id) | CompactionDraft(first_kept_entry_id=entry_id):
                    if entry_id not in {entry.id for entry in self._store.get_branch()}:
                        raise ValueError(f"entry {entry_id} is not on the current branch")
        return [*self._state.messages, *added]

    def _read(self, entries: Sequence[Any]) -> list[Draft]:
        return [read_draft(entry, now_ms()) for entry in entries]

    def _commit(self, entries: Sequence[Any]) -> list[Message]:
        """Store the drafts. Returns the messages that the conversation does not have yet."""
        added: list[Message] = []
        rebuild = False
        for draft in self._read(entries):
            try:
                if isinstance(draft, MessageDraft):
                    added.append(self.add(draft.message))
                else:
                    self._recorder.draft(draft)
                    rebuild = rebuild or isinstance(draft, EditDraft | CompactionDraft)
            except (OSError, ValueError) as error:
                self._channel.report(Failure("<runtime>", "boundary", text_of_error(error), error=error))
        if not rebuild:
            return added
        self._state.messages[:] = self._store.build_context().messages
        return []


def outcome_of(message: Any) -> Outcome:
    """How a turn ended, by its answer."""
    reason = getattr(message, "stop_reason", "stop")
    return "error" if reason == "error" else "aborted" if reason == "aborted" else "completed"
