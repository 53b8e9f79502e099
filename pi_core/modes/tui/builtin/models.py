"""`/model`, `/scoped-models` and `/thinking`: who answers, and how hard it thinks.

Touches: the screen, the session, the user's settings file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hookspecs.definitions import Model, ThinkingLevel
from pi_core.errors import ModelChoiceError
from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.fuzzy import best
from pi_core.modes.tui.here import Here
from pi_core.modes.tui.pickers.models import Scope, ScopePicker
from pi_core.providers.selection import Catalogue, asked_for
from pi_core.providers.thinking import levels_of
from pi_core.session.model_scope import candidates, in_scope
from pi_core.session.model_selection import enabled_models

PATIENCE_S: Final = 2.0
"""How long the list waits for what providers say of their models; what comes later stands in the next one."""


class ModelCommands:
    """Chooses for the session of the moment, and for those that follow."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        return (
            BuiltinCommand(
                name="model",
                run=self.model,
                description="choose the model: a list, or NAME or PROVIDER/NAME, with :LEVEL",
                complete=self._model_names,
            ),
            BuiltinCommand(
                name="scoped-models",
                run=self.scoped_models,
                description="choose the models that ctrl+p switches through, and their order",
            ),
            BuiltinCommand(
                name="thinking",
                run=self.thinking,
                description="choose how hard the model thinks",
                complete=self._level_names,
            ),
        )

    async def model(self, _: Desk, args: str) -> None:
        """Use the model that is named, or the one that is chosen. Raises: AgentError."""
        if args:
            await self._use_named(args)
            return
        await self._choose()

    async def _choose(self, sought: str = "") -> None:
        await self._here.session.parts.models.registry.refresh(PATIENCE_S)
        session = self._here.session
        models = candidates(session.parts.models.registry, ())
        names = [(model.provider, model.id) for model in models]
        present = (session.model.provider, session.model.id)
        start = names.index(present) if present in names else 0
        rows = [model_choice(model, (model.provider, model.id) == present) for model in models]
        said = "" if len(models) > 1 else "Other models need a key: /login"
        dialog = ChoiceDialog("Model", rows, said, start=start, search=True, sought=sought)
        chosen = await self._here.desk.open_dialog(dialog)
        if chosen is not None:
            await self._use(chosen, None)

    async def _use_named(self, asked: str) -> None:
        registry = self._here.session.parts.models.registry
        catalogue = Catalogue(registry.models(), registry.providers(), registry.is_usable)
        try:
            choice = asked_for(catalogue, asked, None)
        except ModelChoiceError as error:
            if not best(asked, candidates(registry, ()), lambda model: f"{model.provider} {model.id}"):
                raise
            self._here.desk.tell(str(error), "warning")
            await self._choose(asked)
            return
        registry.check(choice.model)
        if choice.notice:
            self._here.desk.tell(choice.notice, "warning")
        await self._use(choice.model, choice.thinking)

    async def _use(self, model: Model, level: ThinkingLevel | None) -> None:
        session = self._here.session
        if not await session.set_model(model):
            raise ModelChoiceError(f"{model.provider}/{model.id}", "there is no key for it")
        if level is not None:
            session.set_thinking_level(level)
        thinking = f", thinking {session.thinking_level}" if model.reasoning else ""
        self._here.desk.tell(f"{model.name or model.id} ({model.provider}) answers from now on{thinking}.")
        self._here.refresh_facts()

    async def scoped_models(self, desk: Desk, _: str) -> None:
        """The list; a change holds for this conversation, and for the next ones if it is kept."""
        parts = self._here.session.parts
        registry, models = parts.models.registry, parts.models
        patterns = models.scope_patterns or enabled_models(parts.settings)
        chosen = in_scope(registry, patterns)
        scope = Scope(candidates(registry, ()), chosen)

        def changed() -> None:
            models.scope_patterns = tuple(scope.patterns()) or ("**",)

        def keep() -> None:
            everything = all(map(scope.has, scope.models))
            parts.save_setting(("model", "enabled-models"), [] if everything else scope.patterns())

        await desk.open_dialog(ScopePicker(scope, changed, keep))

    async def thinking(self, desk: Desk, args: str) -> None:
        """Use the level that is named, or the one that is chosen."""
        session = self._here.session
        levels = levels_of(session.model)
        if len(levels) < 2:
            desk.tell(f"{session.model.id} has one thinking level.")
            return
        chosen = next((level for level in levels if level == args.lower()), None) if args else None
        if args and chosen is None:
            desk.tell(f"{session.model.id} has no level {args!r}; it has {', '.join(levels)}.", "error")
            return
        if chosen is None:
            present = session.thinking_level
            rows = [Choice(level, level, "in use" if level == present else "") for level in levels]
            start = levels.index(present) if present in levels else 0
            chosen = await desk.open_dialog(ChoiceDialog("Thinking", rows, start=start))
        if chosen is not None:
            session.set_thinking_level(chosen)
            self._here.refresh_facts()

    def _model_names(self, _: Desk, typed: str) -> Sequence[str]:
        registry = self._here.session.parts.models.registry
        return [f"{model.provider}/{model.id}" for model in candidates(registry, ())]

    def _level_names(self, _: Desk, typed: str) -> Sequence[str]:
        return levels_of(self._here.session.model)


def model_choice(model: Model, present: bool) -> Choice[Model]:
    """A row of the list."""
    facts = [model.provider]
    if model.name and model.name != model.id:
        facts.append(model.name)
    if model.context_window:
        facts.append(f"{model.context_window // 1000}k")
    if present:
        facts.append("in use")
    return Choice(model.id, model, " · ".join(facts))
