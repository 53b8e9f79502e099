"""Which model answers: what was asked for, else what is set, else what there is.

Asked-for models may be written as `provider/id`, as an id, or as a part of an
id or a name, each with `:level` for thinking. An id that a known provider does
not list is taken at its word, with a warning. The scripted model is chosen
only where nothing else is set up, or where a script is handed in.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.values import dataclass
from pi_core.errors import ModelChoiceError
from pi_core.providers.models import SCRIPTED, Provider, names_of
from pi_core.providers.registry import ModelRegistry, missing_key
from pi_core.providers.thinking import level_named

DATED: Final = re.compile(r"-\d{8}$")
MAX_NAMED: Final = 8
NOTICE: Final = (
    "No model, key or models.json found: the scripted model answers (it follows rules and uses no network). "
    "Give pi a key: pi auth login PROVIDER"
)
NOTICE_HERE: Final = NOTICE.replace("pi auth login PROVIDER", "/login")
"""The same where a person sits in front of the commands."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The model, the thinking level that came with it, and a sentence for the person, if any.

    A substitute stands for a model that is set and cannot be used.
    """

    model: Model
    thinking: ThinkingLevel | None = None
    notice: str | None = None
    is_substitute: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What may decide, strongest first: the command line, a scope, the session, the settings, a script.

    `session` and `default` are (provider, id). Nothing is looked up for what is None. The scope, models to
    switch through, decides only where a conversation begins.

    With `may_wait` a setup that leads to no usable model is no error: a person is there to log in.
    """

    model: str | None = None
    provider: str | None = None
    scope: Sequence[Choice] = ()
    continuing: bool = False
    session: tuple[str, str] | None = None
    default: tuple[str, str] | None = None
    has_script: bool = False
    may_wait: bool = False


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All models, in order, the names of all providers, and whether a model has its key."""

    models: Sequence[Model]
    providers: Sequence[Provider]
    is_usable: Callable[[Model], bool]


def choose(registry: ModelRegistry, wish: Wish) -> Choice:
    """The model to use.

    Raises: ModelChoiceError if the one asked for cannot be used, or none can.
    """
    catalogue = Catalogue(registry.models(), registry.providers(), registry.is_usable)
    if wish.model or wish.provider:
        choice = asked_for(catalogue, wish.model or "", wish.provider)
        registry.check(choice.model)
        return choice
    if wish.has_script:
        return Choice(scripted(catalogue))
    if wish.scope and not wish.continuing:
        named = [choice for choice in wish.scope if _name(choice.model) == wish.default]
        return (named or list(wish.scope))[0]
    lost: list[tuple[str, ModelChoiceError]] = []
    for owner, name in (("this conversation", wish.session), ("the settings", wish.default)):
        if name is None:
            continue
        found = registry.find(*name)
        if found is not None and registry.is_usable(found):
            return Choice(found, notice=_told(lost, found), is_substitute=bool(lost))
        lost.append((owner, _why_not(registry, name)))
    preferred = preferred_model(registry)
    if preferred is not None:
        return Choice(preferred, notice=_told(lost, preferred), is_substitute=bool(lost))
    if not lost and registry.is_bare():
        return Choice(scripted(catalogue), notice=NOTICE_HERE if wish.may_wait else NOTICE)
    error = lost[0][1] if lost else none_usable(registry)
    if wish.may_wait:
        return _waiting(registry, catalogue, wish, error)
    raise error


def _waiting(registry: ModelRegistry, catalogue: Catalogue, wish: Wish, error: ModelChoiceError) -> Choice:
    """The model that will answer once there is a key for it: the wanted one, else the first that is named."""
    wanted = [registry.find(*name) for name in (wish.session, wish.default) if name is not None]
    named = [model for model in (*wanted, *registry.own_models()) if model is not None]
    notice = f"No model can answer yet: {error.found}. /login gives a provider its key, /model chooses."
    return Choice(named[0] if named else scripted(catalogue), notice=notice, is_substitute=True)


def preferred_model(registry: ModelRegistry) -> Model | None:
    """The model to take where nobody says which: the preferred one of the first provider that has a key,
    else the first that can be used; None if there is none."""
    usable = [
        model for model in registry.models() if model.provider != SCRIPTED and registry.is_usable(model)
    ]
    preferred = {provider.name: provider.default_model for provider in registry.providers()}
    best = [model for model in usable if preferred[model.provider] == model.id]
    return next(iter(best or usable), None)


def _name(model: Model) -> tuple[str, str]:
    return model.provider, model.id


def _why_not(registry: ModelRegistry, name: tuple[str, str]) -> ModelChoiceError:
    asked = "/".join(name)
    provider = registry.provider(name[0])
    if provider is None:
        return ModelChoiceError(asked, f"there is no provider {name[0]}", hint="Choose: --model PROVIDER/ID")
    if registry.find(*name) is None:
        return ModelChoiceError(asked, f"{name[0]} does not list it", hint=f"Ask for it: --model {asked}")
    return missing_key(asked, provider)


def _told(lost: Sequence[tuple[str, ModelChoiceError]], instead: Model) -> str | None:
    """What cannot be used, and what answers in its place."""
    if not lost:
        return None
    owner, error = lost[0]
    answers = "/".join(_name(instead))
    return f"The model of {owner}, {error.asked}, cannot be used: {error.found}. {answers} answers."


def scripted(catalogue: Catalogue) -> Model:
    """The scripted model."""
    return next(model for model in catalogue.models if model.provider == SCRIPTED)


def none_usable(registry: ModelRegistry) -> ModelChoiceError:
    """The error for a setup that is begun and leads to no model."""
    keyed = [
        provider.name
        for provider in registry.providers()
        if provider.needs_key and registry.credentials.is_configured(provider)
    ]
    if registry.file.problems:
        return ModelChoiceError("(none chosen)", registry.file.problems[0])
    if keyed:
        hint = f"Choose one with --model {keyed[0]}/ID."
        return ModelChoiceError(
            "(none chosen)", f"there is a key for {', '.join(keyed)}, but no model", hint=hint
        )
    named = ", ".join(names_of(registry.own_models())[:MAX_NAMED]) or "none is listed"
    return ModelChoiceError("(none chosen)", f"no listed model has a key ({named})")


def asked_for(catalogue: Catalogue, text: str, provider: str | None = None) -> Choice:
    """The model that a person means by `text`, of `provider` if one is named.

    Raises: ModelChoiceError if that is none, or more than one.
    """
    shown = text if provider is None else f"{provider}/{text.removeprefix(f'{provider}/')}"
    if not catalogue.models and not catalogue.providers:
        raise ModelChoiceError(shown, "there are no models")
    within, rest = _provider_of(catalogue, text, provider)
    if provider is not None and within is None:
        known = ", ".join(item.name for item in catalogue.providers)
        raise ModelChoiceError(shown, f"there is no provider {provider}", hint=f"Known: {known}.")
    if within is not None:
        own = replace(
            catalogue, models=[model for model in catalogue.models if model.provider == within.name]
        )
        found = _with_level(own, rest) if rest else _first(own, within)
        if found is None and provider is None:
            found = _with_level(catalogue, text.strip(), exact_only=True)
        return found or _at_its_word(own, within, rest)
    found = _with_level(catalogue, text.strip())
    if found is None:
        raise ModelChoiceError(shown, "there is no such model", hint="Write it as PROVIDER/ID.")
    return found


def _first(catalogue: Catalogue, provider: Provider) -> Choice | None:
    """The model that stands for a provider: its preferred one, else its first."""
    preferred = [model for model in catalogue.models if model.id == provider.default_model]
    found = next(iter([*preferred, *catalogue.models]), None)
    return Choice(found) if found is not None else None


def _provider_of(catalogue: Catalogue, text: str, named: str | None) -> tuple[Provider | None, str]:
    """The provider that is meant, and what is left of the text. The longest name counts."""
    by_length = sorted(catalogue.providers, key=lambda provider: -len(provider.name))
    for provider in by_length:
        head, tail = text[: len(provider.name)], text[len(provider.name) :].lstrip()
        prefixed = head.lower() == provider.name.lower() and tail.startswith("/")
        if named is None and prefixed:
            return provider, tail[1:].strip()
        if named is not None and named.lower() == provider.name.lower():
            return provider, tail[1:].strip() if prefixed else text.strip()
    return None, text


def _with_level(catalogue: Catalogue, text: str, *, exact_only: bool = False) -> Choice | None:
    """The model of a text as it stands, else of the text without a thinking level at its end."""
    model = _match(catalogue, text, exact_only=exact_only)
    if model is not None:
        return Choice(model)
    head, level = split_level(text)
    model = _match(catalogue, head, exact_only=exact_only) if level else None
    return Choice(model, level) if model is not None else None


def split_level(text: str) -> tuple[str, ThinkingLevel | None]:
    """A text without the `:level` at its end, and that level; the whole text if it ends in none."""
    head, colon, level = text.rpartition(":")
    known = level_named(level) if colon else None
    return (text, None) if known is None else (head, known)


def _match(catalogue: Catalogue, text: str, *, exact_only: bool = False) -> Model | None:
    wanted = text.lower()
    exact = [model for model in catalogue.models if model.id.lower() == wanted]
    if exact or exact_only:
        return _only(catalogue, text, exact)
    usable = [model for model in catalogue.models if catalogue.is_usable(model)]
    return _only(catalogue, text, best(usable, wanted) or best(catalogue.models, wanted))


def best(models: Sequence[Model], wanted: str) -> list[Model]:
    """The models whose id or name has a text in it, of the best id: undated before dated, then the last."""
    partial = [model for model in models if wanted in model.id.lower() or wanted in model.name.lower()]
    undated = [model for model in partial if not DATED.search(model.id)] or partial
    top = max((model.id for model in undated), default="")
    return [model for model in undated if model.id == top]


def _only(catalogue: Catalogue, text: str, equal: Sequence[Model]) -> Model | None:
    """The one of several equal matches that has a key.

    Raises: ModelChoiceError if more than one has, or none of several.
    """
    if len(equal) < 2:
        return equal[0] if equal else None
    usable = [model for model in equal if catalogue.is_usable(model)]
    if len(usable) == 1:
        return usable[0]
    names = ", ".join(sorted(names_of(usable or equal)))
    raise ModelChoiceError(text, f"it could be {names}", hint="Write it as PROVIDER/ID.")


def _at_its_word(own: Catalogue, provider: Provider, text: str) -> Choice:
    """An id that the provider does not list: a model like its first one, under that id."""
    model_id, level = split_level(text)
    if not model_id:
        raise ModelChoiceError(
            provider.name, "it has no models of its own", hint=f"Name one: {provider.name}/ID."
        )
    base = own.models[0] if own.models else Model(id=model_id, provider=provider.name, api=provider.api)
    model = replace(base, id=model_id, name=model_id, cost={})
    if not own.models:
        model = replace(model, base_url=provider.base_url)
    notice = f"{provider.name} does not list {model_id}; it is asked for by that id."
    return Choice(model, level, notice)
