"""Which model answers and how hard it thinks, and who learns of a change.

Touches: the session's file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, cast

from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.events.provider import ModelSelect, ThinkingLevelSelect
from hookspecs.values import dataclass
from pi_core.errors import ModelChoiceError
from pi_core.extensions.runner import Runner
from pi_core.history.store import SessionStore
from pi_core.providers.models import SCRIPTED
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.scope import scope_of
from pi_core.providers.selection import Catalogue, Choice, Wish, asked_for, choose
from pi_core.providers.thinking import LEVELS, clamped
from pi_core.session.channel import Channel
from pi_core.session.events import ThinkingLevelChanged
from pi_core.session.model_refresh import make_refreshable
from pi_core.session.model_scope import candidates
from pi_pkg import Diagnostic, Settings

How: TypeAlias = Literal["set", "cycle"]
"""How a model was chosen: by its name, or as the next one."""

DEFAULT_THINKING: Final[ThinkingLevel] = "medium"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """What a run asks for; None leaves it to the session and the settings. `api_key` is never stored.

    `scope` are patterns of the models to switch through.
    """

    model: str | None = None
    provider: str | None = None
    api_key: str | None = None
    thinking: ThinkingLevel | None = None
    scope: tuple[str, ...] | None = None


class ModelSelection:
    """The choice of one session. `model` and `thinking` are what is in effect.

    Until `begin` it is the model that needs nothing: extensions may still bring providers. A script is
    played unless another model is asked for.
    """

    def __init__(
        self,
        registry: ModelRegistry,
        store: SessionStore,
        runner: Runner,
        channel: Channel,
        *,
        has_script: bool = False,
    ) -> None:
        self.registry = registry
        make_refreshable(registry, runner.runtime)
        self.model: Model = next(model for model in registry.models() if model.provider == SCRIPTED)
        self.thinking: ThinkingLevel = "off"
        self.scope_patterns: tuple[str, ...] | None = None
        """The patterns that this run was given; None leaves the models to switch through to the settings."""
        self._store = store
        self._runner = runner
        self._channel = channel
        self.has_script = has_script

    def begin(self, request: ModelRequest, settings: Settings, *, may_wait: bool = False) -> list[Diagnostic]:
        """Choose, and put the choice into the history where it is new. Returns what to tell the person.

        `may_wait`: somebody is there who can log in later. Raises: ModelChoiceError.
        """
        known = self._store.build_context()
        self._use_key(request)
        self.scope_patterns = request.scope
        scope, told = self._scope(self.scope_patterns or enabled_models(settings))
        wish = Wish(
            model=request.model,
            provider=request.provider,
            scope=scope,
            continuing=bool(known.messages),
            session=None if known.model is None else (known.model.provider, known.model.model_id),
            default=_default_model(settings),
            has_script=self.has_script,
            may_wait=may_wait,
        )
        choice = choose(self.registry, wish)
        earlier = cast(ThinkingLevel, known.thinking_level) if known.model is not None else None
        level = request.thinking or choice.thinking or earlier or default_thinking(settings)
        self.model, self.thinking = choice.model, clamped(choice.model, level)
        if wish.session != (self.model.provider, self.model.id):
            self._store.append_model_change(self.model.provider, self.model.id)
        if earlier != self.thinking:
            self._store.append_thinking_level_change(self.thinking)
        return [*told, *_choice_told(choice)]

    def _scope(self, patterns: Sequence[str]) -> tuple[tuple[Choice, ...], list[Diagnostic]]:
        scope = scope_of(candidates(self.registry, patterns), patterns)
        told = [
            Diagnostic("warning", "model-scope", "model", f"{warning.message}.") for warning in scope.warnings
        ]
        return scope.choices, told

    def _use_key(self, request: ModelRequest) -> None:
        """Give the key of this run to the provider that is asked for."""
        if request.api_key is None:
            return
        if request.model is None and request.provider is None:
            raise ModelChoiceError("(none given)", "a key was given, and no provider", hint="Add --model.")
        catalogue = Catalogue(self.registry.models(), self.registry.providers(), self.registry.is_usable)
        provider = asked_for(catalogue, request.model or "", request.provider).model.provider
        self.registry.credentials.overrides[provider] = request.api_key

    async def choose(self, model: Model, how: How = "set") -> bool:
        """Use another model for this session; False if there is no key for it.

        Who listens hears of a thinking level that had to change before it hears of the model.
        """
        if not self.registry.is_usable(model):
            return False
        if (model.provider, model.id) == (self.model.provider, self.model.id):
            self.model = model
            return True
        previous, self.model = self.model, model
        self._store.append_model_change(model.provider, model.id)
        changed = self.think(self.thinking)
        if changed is not None:
            await self.tell(changed)
        if self._runner.has_handlers("model_select"):
            await self._runner.emit(ModelSelect(model=model, previous_model=previous, source=how))
        return True

    def think(self, level: ThinkingLevel) -> ThinkingLevelSelect | None:
        """Use another level, as far as the model has it. Returns the change, for `tell`, or None."""
        previous, level = self.thinking, clamped(self.model, level)
        if level == previous:
            return None
        self.thinking = level
        self._store.append_thinking_level_change(level)
        self._channel.tell(ThinkingLevelChanged(level=level))
        return ThinkingLevelSelect(level=level, previous_level=previous)

    async def tell(self, change: ThinkingLevelSelect) -> None:
        """Let the extensions know of a new level."""
        if self._runner.has_handlers("thinking_level_select"):
            await self._runner.emit(change)

    def take_over(self, other: ModelSelection) -> None:
        """Go on with the choice of another, whose registry this one's replaces; nothing is put down.

        A model that cannot be used any more stays chosen, and is reported.
        """
        self.registry.credentials.overrides.update(other.registry.credentials.overrides)
        self.scope_patterns = other.scope_patterns
        self.model = other.model
        self.renew()
        self.thinking = clamped(self.model, other.thinking)
        try:
            self.registry.check(self.model)
        except ModelChoiceError as error:
            self._channel.report(Diagnostic("warning", "model-gone", "model", error.message, hint=error.hint))

    def renew(self) -> None:
        """Look the model up again after its provider changed; one that is gone stays as it was."""
        self.model = self.registry.find(self.model.provider, self.model.id) or self.model


def enabled_models(settings: Settings) -> list[str]:
    """The patterns of the models to switch through that the settings name; may be empty."""
    named = settings.get("model", "enabled-models")
    return [item for item in named if isinstance(item, str)] if isinstance(named, list) else []


def _choice_told(choice: Choice) -> list[Diagnostic]:
    """What a person should know about a choice: another model than the wanted one is a warning."""
    if choice.notice is None:
        return []
    if choice.is_substitute:
        return [Diagnostic("warning", "model-gone", "model", choice.notice)]
    return [Diagnostic("info", "model-choice", "model", choice.notice)]


def _default_model(settings: Settings) -> tuple[str, str] | None:
    provider = settings.get("model", "default-provider")
    model = settings.get("model", "default-model")
    return (provider, model) if isinstance(provider, str) and isinstance(model, str) else None


def default_thinking(settings: Settings) -> ThinkingLevel:
    """The level that the settings name, else the usual one."""
    level = settings.get("model", "default-thinking-level")
    return cast(ThinkingLevel, level) if level in LEVELS else DEFAULT_THINKING
