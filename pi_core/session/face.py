"""What hosts read of a session and what they turn, each as one plain member.

Touches: the session's file, the user's settings file, and whatever commands of the person touch.
"""

from __future__ import annotations

from collections.abc import Sequence

from hookspecs.context import ContextUsage
from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.events.input import BashResult
from hookspecs.messages import Message
from pi_core.agent.queues import QueueMode
from pi_core.agent.state import AgentState
from pi_core.errors import DisposedError
from pi_core.session.activity import Activities
from pi_core.session.controls import Controls
from pi_core.session.delivery import Delivery
from pi_core.session.events import CompactionResult
from pi_core.session.generation import SessionParts
from pi_core.session.history_view import HistoryView
from pi_core.session.navigating import Navigated
from pi_core.session.recovery import Recovery
from pi_core.session.reshaping import Reshaping
from pi_core.session.stats import SessionStats, Tally, context_usage, last_text
from pi_core.session.user_bash import OnChunk, UserCommands


class SessionFace:
    """The part of a session that only passes on; `Session` makes what it passes on to."""

    parts: SessionParts
    controls: Controls
    bash: UserCommands
    delivery: Delivery
    activities: Activities
    recovery: Recovery
    reshaping: Reshaping
    _state: AgentState
    _tally: Tally
    _disposed: bool

    # what it is

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation as a model reads it, oldest first. Not to be changed."""
        return self._state.messages

    @property
    def system_prompt(self) -> str:
        """The prompt of the next request."""
        return self._state.system_prompt

    @property
    def model(self) -> Model:
        """The model that answers."""
        return self.parts.models.model

    @property
    def thinking_level(self) -> ThinkingLevel:
        """How hard it thinks."""
        return self.parts.models.thinking

    @property
    def history(self) -> HistoryView:
        """Every entry and branch of the conversation, to be read: what extensions have as `ctx.session`."""
        return HistoryView(self.parts.store)

    @property
    def session_id(self) -> str:
        """What the conversation is called by, in the name of its file as well."""
        return self.parts.store.session_id

    @property
    def session_file(self) -> str | None:
        """The file, which is written with the first message; None for a conversation in memory."""
        return self.parts.store.session_file

    @property
    def session_name(self) -> str | None:
        """The name that the session was given last."""
        return self.parts.store.session_name

    @property
    def pending_message_count(self) -> int:
        """How many messages wait in the queues."""
        return self.delivery.pending

    def context_usage(self) -> ContextUsage | None:
        """How full the model's window is; None if its size is not known."""
        window = self.parts.models.model.context_window
        return context_usage(self.parts.store, window, self._state.messages)

    def stats(self) -> SessionStats:
        """How much was said, and what it cost."""
        return self._tally.stats(self.context_usage())

    def last_assistant_text(self) -> str | None:
        """The text of the last answer that has one, failed ones left out; None if there is none."""
        return last_text(self._state.messages)

    # the whole conversation

    @property
    def is_compacting(self) -> bool:
        """Whether the conversation is being summarised, or left for another branch."""
        return self.reshaping.is_running

    async def compact(self, custom_instructions: str | None = None) -> CompactionResult:
        """Stop what goes on, and put a summary in the place of the older conversation.

        Raises: CompactionError, which listeners heard of, too; DisposedError.
        """
        return await self.reshaping.compact(custom_instructions, self._stop_activity)

    def abort_compaction(self) -> None:
        """Stop a compaction, or a move in the tree, stuck handlers included; does not wait for it."""
        if self.reshaping.is_running:
            self.reshaping.abort()
            self.parts.runner.abort()

    def abort_retry(self) -> None:
        """Give up a request that waits for its next attempt."""
        self.recovery.retry.stop_waiting()

    async def navigate_tree(
        self,
        target_id: str,
        *,
        summarize: bool = False,
        custom_instructions: str | None = None,
        replace_instructions: bool = False,
        label: str | None = None,
    ) -> Navigated:
        """Go on after another entry of the tree, as soon as nothing goes on.

        Going to a message of the person means to say it anew: `editor_text` of what is returned.

        Raises: UnknownEntryError, SummaryError, OSError, and the leaf is where it was; DisposedError.
        """
        return await self.reshaping.navigate(
            target_id,
            summarize=summarize,
            custom_instructions=custom_instructions,
            replace_instructions=replace_instructions,
            label=label,
        )

    def set_label(self, entry_id: str, label: str | None) -> None:
        """Mark an entry of the tree; None takes the mark away. Raises: UnknownEntryError, OSError."""
        self.parts.store.append_label(entry_id, label)

    def _stop_activity(self) -> None:
        """Ask the activity to end, stuck handlers included; what is queued stays queued."""
        if self.activities.busy:
            self.activities.abort()
            self.parts.runner.abort()

    # what its host turns; see `Controls`

    def clear_queue(self) -> tuple[list[str], list[str]]:
        """Empty both queues. Returns the texts that waited, oldest first: steering, follow-ups."""
        return self.controls.clear_queue()

    @property
    def queue_modes(self) -> tuple[QueueMode, QueueMode]:
        """How much one turn takes of the queues: steering, follow-ups."""
        return self.controls.queue_modes

    def set_steering_mode(self, mode: QueueMode) -> None:
        """How much one turn takes of what steers. Kept in the settings."""
        self.controls.set_steering_mode(mode)

    def set_follow_up_mode(self, mode: QueueMode) -> None:
        """How much one turn takes of the follow-ups. Kept in the settings."""
        self.controls.set_follow_up_mode(mode)

    async def set_model(self, model: Model) -> bool:
        """Use another model, from now on and by default; False if there is no key for it."""
        return await self.controls.set_model(model, by_person=True)

    async def cycle_model(self, direction: int = 1) -> Model | None:
        """Use the next usable model, or with -1 the one before. Returns it; None if there is no other."""
        return await self.controls.cycle_model(direction)

    def available_thinking_levels(self) -> tuple[ThinkingLevel, ...]:
        """The levels that the model has, from none to the most."""
        return self.controls.available_thinking_levels()

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Think as hard as that, as far as the model can, from now on and by default."""
        self.controls.set_thinking_level(level, by_person=True)

    def cycle_thinking_level(self) -> ThinkingLevel | None:
        """Use the next level, after the most none. Returns it; None if the model has only one."""
        return self.controls.cycle_thinking_level()

    @property
    def auto_compaction_enabled(self) -> bool:
        """Whether a conversation that grows too long is summarised by itself."""
        return self.controls.auto_compaction_enabled

    def set_auto_compaction(self, enabled: bool) -> None:
        """Summarise by itself, or not. Kept in the settings."""
        self.controls.set_auto_compaction(enabled)

    def set_auto_retry(self, enabled: bool) -> None:
        """Send a request again that failed for a passing reason, or not. Kept in the settings."""
        self.controls.set_auto_retry(enabled)

    def set_session_name(self, name: str | None) -> None:
        """Name the session; None or an empty name takes the name away."""
        self.controls.set_session_name(name)

    async def execute_bash(
        self,
        command: str,
        exclude_from_context: bool = False,
        on_chunk: OnChunk | None = None,
        *,
        execution_id: str | int | None = None,
    ) -> BashResult:
        """Run a command of the person. What came of it joins the conversation, after a run that is on.

        `on_chunk` and listeners hear every piece of its output; `execution_id` is in what listeners hear.
        Raises: UserCommandError if an extension refused it or it could not start; DisposedError.
        """
        self._check_open("execute_bash")
        return await self.bash.execute(command, exclude_from_context, on_chunk, execution_id)

    def abort_bash(self) -> None:
        """Stop the commands of the person that are under way; does not wait for it."""
        self.bash.abort()

    def _check_open(self, asked: str) -> None:
        if self._disposed:
            raise DisposedError(asked)
