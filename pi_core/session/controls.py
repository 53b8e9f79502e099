"""What a host turns while the session lives: queues, model, thinking level, automatic things, the name.

Choices of a person are kept in the settings; those of an extension hold for the session.

Touches: the session's file, the user's settings file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.events.session import SessionInfoChanged as NameForExtensions
from pi_core.agent.agent import Agent
from pi_core.agent.queues import QueueMode, texts_of
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.errors import ModelChoiceError
from pi_core.providers.thinking import levels_of
from pi_core.session.activity import Activities
from pi_core.session.events import SessionInfoChanged
from pi_core.session.generation import SessionParts
from pi_core.session.model_scope import in_scope
from pi_core.session.model_selection import How, enabled_models
from pi_core.session.preferences import Preferences

STEERING: Final = "steering-mode"
FOLLOW_UP: Final = "follow-up-mode"


class Controls:
    """The controls of one session. `refresh` brings the next request up to date."""

    def __init__(
        self,
        parts: SessionParts,
        agent: Agent,
        activities: Activities,
        preferences: Preferences,
        refresh: Callable[[], None],
    ) -> None:
        self._parts = parts
        self._agent = agent
        self._activities = activities
        self._preferences = preferences
        self._refresh = refresh
        self.read_queue_modes()

    # queues

    @property
    def queue_modes(self) -> tuple[QueueMode, QueueMode]:
        """How much one turn takes of the queues: steering, follow-ups."""
        return self._agent.steering.mode, self._agent.follow_ups.mode

    def read_queue_modes(self) -> None:
        """Set the queues as the settings in force say."""
        self._agent.steering.mode = self._queue_mode(STEERING)
        self._agent.follow_ups.mode = self._queue_mode(FOLLOW_UP)

    def set_steering_mode(self, mode: QueueMode) -> None:
        """How much one turn takes of the messages that steer."""
        self._preferences.keep(STEERING, value=mode)
        self.read_queue_modes()

    def set_follow_up_mode(self, mode: QueueMode) -> None:
        """How much one turn takes of the follow-ups."""
        self._preferences.keep(FOLLOW_UP, value=mode)
        self.read_queue_modes()

    def clear_queue(self) -> tuple[list[str], list[str]]:
        """Empty both queues and tell so. Returns the texts of what the person said, oldest first."""
        steering, follow_ups = self._agent.clear_queues()
        self._parts.channel.tell(self._agent.queue_update())
        return texts_of(steering), texts_of(follow_ups)

    def _queue_mode(self, name: str) -> QueueMode:
        return "all" if self._preferences.get(name) == "all" else "one-at-a-time"

    # model and thinking level

    async def set_model(self, model: Model, *, by_person: bool, how: How = "set") -> bool:
        """Use another model; False if there is no key for it. A person's choice is the next default."""
        chosen = await self._parts.models.choose(model, how)
        self._refresh()
        if chosen and by_person:
            self._preferences.keep("model", "default-provider", value=model.provider)
            self._preferences.keep("model", "default-model", value=model.id)
        return chosen

    async def cycle_model(self, direction: int) -> Model | None:
        """Go on to the next usable model in the list, or the one before; None if there is no other.

        The list are the models that `--models` names, else those of `enabled-models`, else all.
        """
        models = self._parts.models
        patterns = models.scope_patterns or enabled_models(self._parts.settings)
        choices = in_scope(models.registry, patterns)
        names = [(choice.model.provider, choice.model.id) for choice in choices]
        here = (models.model.provider, models.model.id)
        if not names or names == [here]:
            return None
        step = 1 if direction >= 0 else -1
        place = names.index(here) + step if here in names else (0 if step > 0 else -1)
        choice = choices[place % len(choices)]
        if not await self.set_model(choice.model, by_person=True, how="cycle"):
            return None
        if choice.thinking is not None:
            self.set_thinking_level(choice.thinking, by_person=False)
        return choice.model

    def available_thinking_levels(self) -> tuple[ThinkingLevel, ...]:
        """The levels that the model has, from none to the most."""
        return levels_of(self._parts.models.model)

    def set_thinking_level(self, level: ThinkingLevel, *, by_person: bool) -> None:
        """Use another level, as far as the model has it. A person's choice is the next default."""
        models = self._parts.models
        changed = models.think(level)
        self._refresh()
        if changed is not None:
            self.tell(changed)
        if by_person:
            self._preferences.keep("model", "default-thinking-level", value=models.thinking)

    def cycle_thinking_level(self) -> ThinkingLevel | None:
        """Go on to the next level of the model, from the most to none; None if it has only one."""
        levels = self.available_thinking_levels()
        if len(levels) < 2:
            return None
        present = self._parts.models.thinking
        place = levels.index(present) + 1 if present in levels else 0
        self.set_thinking_level(levels[place % len(levels)], by_person=True)
        return self._parts.models.thinking

    def find_model(self, provider: str, model_id: str) -> Model:
        """The model of this name. Raises: ModelChoiceError if there is none."""
        model = self._parts.models.registry.find(provider, model_id)
        if model is None:
            raise ModelChoiceError(f"{provider}/{model_id}", "there is no such model")
        return model

    # automatic things

    @property
    def auto_compaction_enabled(self) -> bool:
        """Whether long conversations are summarised by themselves."""
        return self._preferences.compaction().enabled

    @property
    def auto_retry_enabled(self) -> bool:
        """Whether a request that failed for a passing reason is sent again."""
        return self._preferences.retry().enabled

    def set_auto_compaction(self, enabled: bool) -> None:
        """Summarise long conversations by themselves, or not."""
        self._preferences.keep("compaction", "enabled", value=enabled)

    def set_auto_retry(self, enabled: bool) -> None:
        """Send requests again that failed for a passing reason, or not."""
        self._preferences.keep("retry", "enabled", value=enabled)

    # the name

    def set_session_name(self, name: str | None) -> None:
        """Name the session; None or an empty name takes the name away."""
        store = self._parts.store
        store.append_session_info(name)
        self._parts.channel.tell(SessionInfoChanged(name=store.session_name))
        self.tell(NameForExtensions(name=store.session_name))

    # telling

    def tell(self, event: Any) -> None:
        """Let the extensions know, without waiting for them."""
        if self._parts.runner.has_handlers(event.event_name):
            self.in_background(event.event_name, lambda: self._parts.runner.emit(event))

    def in_background(self, label: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Begin some work that nobody waits for; its failure is reported under the label."""
        self._activities.start(lambda: self._carried_out(label, work))

    async def _carried_out(self, label: str, work: Callable[[], Awaitable[Any]]) -> None:
        try:
            await work()
        except FAILURES as error:  # reported; nobody waits for it
            pass_interrupt(error)
            failure = Failure("<runtime>", label, text_of_error(error), error=error)
            self._parts.channel.report(failure)
