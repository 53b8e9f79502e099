"""How layers of one provider become the provider in effect: the upper one's fields, models as a whole.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from hookspecs.definitions import Model
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.providers.auth_file import StoredLogin
from pi_core.providers.models import (
    MalformedEntry,
    Provider,
    merged_objects,
    model_from,
    overridden,
)

COMPAT: Final = "compat"


def merged(under: Provider, over: Provider) -> Provider:
    """The fields that `over` gives, the others from `under`. Models replace as a whole."""
    return Provider(
        name=over.name,
        label=over.label or under.label,
        api=over.api or under.api,
        base_url=over.base_url or under.base_url,
        api_key=over.api_key if over.api_key is not None else under.api_key,
        headers={**under.headers, **over.headers},
        auth_header=over.auth_header or under.auth_header,
        variables=over.variables or under.variables,
        needs_key=under.needs_key and (over.needs_key or has_way_to_key(under)),
        models=over.models or under.models,
        overrides={**under.overrides, **over.overrides},
        compat={**under.compat, **over.compat},
        stream=over.stream or under.stream,
        oauth=over.oauth or under.oauth,
        refresh_models=over.refresh_models or under.refresh_models,
        default_model=over.default_model or under.default_model,
    )


def has_way_to_key(provider: Provider) -> bool:
    """Whether the provider says where its key is: a stream function over it wants that key still."""
    return provider.api_key is not None or bool(provider.variables) or provider.oauth is not None


def models_in_effect(provider: Provider, listed: Provider | None) -> tuple[Model, ...]:
    """The provider's models: the person's own among them, each placed, the person's changes on top."""
    own = listed.models if listed is not None else ()
    changes = listed.overrides if listed is not None else {}
    models = (placed(model, provider) for model in with_own(provider.models, own))
    return tuple(overridden(model, changes.get(model.id, {})) for model in models)


def with_own(models: Iterable[Model], own: Iterable[Model]) -> tuple[Model, ...]:
    """The models, the person's own in place of those of the same id, or after them."""
    by_id = {model.id: model for model in models}
    by_id.update({model.id: model for model in own})
    return tuple(by_id.values())


def placed(model: Model, provider: Provider) -> Model:
    """The model with the provider's api and address where it has none, and its ways under its own."""
    api, base_url = model.api or provider.api, model.base_url or provider.base_url
    extra = model.extra
    if provider.compat:
        extra = {**extra, COMPAT: merged_objects({COMPAT: provider.compat}, extra).get(COMPAT)}
    return replace(model, api=api, base_url=base_url, extra=extra)


def models_of_login(provider: Provider, models: Iterable[Model], login: StoredLogin) -> tuple[Model, ...]:
    """The models as the provider has them for somebody who is logged in.

    Raises: MalformedEntry if its `modify_models` fails, or answers something else.
    """
    given = tuple(models)
    if provider.oauth is None or provider.oauth.modify_models is None:
        return given
    try:
        answer = list(provider.oauth.modify_models(list(given), login.credentials))
    except FAILURES as error:
        pass_interrupt(error)
        raise MalformedEntry(f"modify_models failed: {error or type(error).__name__}") from error
    return tuple(_own_model(item, provider) for item in answer)


def _own_model(item: object, provider: Provider) -> Model:
    if isinstance(item, Model):
        return replace(item, provider=provider.name)
    if isinstance(item, Mapping):
        return model_from(item, provider)
    raise MalformedEntry(f"modify_models answered a {type(item).__name__} among the models")


def check_registration(provider: Provider, *under: Provider | None) -> None:
    """Refuse a provider that cannot work. `under` are the layers that it would cover, lowest first.

    Raises: MalformedEntry.
    """
    whole = provider
    for layer in under:
        whole = merged(layer, whole) if layer is not None else whole
    for model in provider.models:
        if not (model.api or whole.api or whole.stream):
            raise MalformedEntry(f"model {model.id} has no api, and the provider neither")
        if not (model.base_url or whole.base_url or whole.stream):
            raise MalformedEntry(f"model {model.id} has no base_url, and the provider neither")
    if provider.models and whole.needs_key and not has_way_to_key(whole):
        raise MalformedEntry("has models and no way to a key: give api_key, oauth, or a stream function")
