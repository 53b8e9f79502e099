"""All providers and models of a run, and the way to each of them.

Four layers: what is built in, the person's models file, what extensions
register, and the file's overrides on top. A person's own models survive
whatever an extension registers under the same name. Stream functions are
imported when they are first used.

Touches: modules that stream functions live in, and what finding a key touches.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from hookspecs.definitions import Model, ProviderConfig
from pi_core.errors import ModelChoiceError
from pi_core.providers.auth import Credentials
from pi_core.providers.base import Connection, Stream
from pi_core.providers.models import (
    SCRIPTED,
    MalformedEntry,
    ModelsFile,
    Provider,
    built_in,
    overridden,
    provider_from_config,
)


@dataclass(frozen=True, slots=True)
class LazyStream:
    """A stream function by name: `module:attribute` is called with `options` and returns it."""

    target: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Stream:
        """Import the module and make the stream function."""
        module, _, attribute = self.target.partition(":")
        factory = getattr(importlib.import_module(module), attribute)
        return cast(Stream, factory(**self.options))


def default_apis(script: str | None = None) -> dict[str, LazyStream]:
    """The stream functions that come with pi. `script` is the path of a script file."""
    return {SCRIPTED: LazyStream("pi_core.providers.scripted:create", {"script": script})}


class ModelRegistry:
    """Providers by name. Registrations take effect at once, for the next request."""

    def __init__(
        self,
        credentials: Credentials,
        file: ModelsFile | None = None,
        apis: Mapping[str, LazyStream] | None = None,
    ) -> None:
        self.credentials = credentials
        self.file = file or ModelsFile()
        self._apis = dict(apis if apis is not None else default_apis())
        self._streams: dict[str, Stream] = {}
        self._built_in = {provider.name: provider for provider in built_in()}
        self._listed = {provider.name: provider for provider in self.file.providers}
        self._registered: dict[str, Provider] = {}

    def providers(self) -> list[Provider]:
        """All providers as they are in effect: built in, listed, registered, each in its order."""
        names = dict.fromkeys([*self._built_in, *self._listed, *self._registered])
        return [self._in_effect(name) for name in names]

    def provider(self, name: str) -> Provider | None:
        """The provider of that name, None if there is none."""
        known = name in self._built_in or name in self._listed or name in self._registered
        return self._in_effect(name) if known else None

    def models(self) -> list[Model]:
        """All models, by provider, each provider's in its own order."""
        return [model for provider in self.providers() for model in provider.models]

    def find(self, provider: str, model_id: str) -> Model | None:
        """The model with exactly this provider and id."""
        found = self.provider(provider)
        return next((model for model in found.models if model.id == model_id), None) if found else None

    def is_usable(self, model: Model) -> bool:
        """Whether a key can be expected for the model, or none is needed."""
        provider = self.provider(model.provider)
        return provider is not None and self.credentials.is_configured(provider)

    def is_bare(self) -> bool:
        """Whether nothing of the world is set up: no models of a person or an extension, no key."""
        others = [provider for provider in self.providers() if provider.name != SCRIPTED]
        configured = any(self.credentials.is_configured(provider) for provider in others)
        listed = bool(self.file.providers or self.file.problems)
        return not (configured or listed or self.credentials.stored.keys or any(p.models for p in others))

    def register(self, name: str, config: ProviderConfig | Provider) -> None:
        """Add a provider, or change the fields of one that are given; its models replace earlier ones.

        Raises: MalformedEntry; nothing has changed then.
        """
        new = config if isinstance(config, Provider) else provider_from_config(name, config)
        earlier = self._registered.get(name)
        merged = _merged(earlier, new) if earlier is not None else new
        _check(merged, self._built_in.get(name), self._listed.get(name))
        self._registered[name] = merged

    def unregister(self, name: str) -> None:
        """Take back what was registered under this name; what it covered is in effect again."""
        self._registered.pop(name, None)

    async def connect(self, model: Model) -> Connection:
        """The way to a model: stream function, key and headers.

        Raises: ModelChoiceError if its provider, its key or its stream function is not there.
        """
        asked = f"{model.provider}/{model.id}"
        provider = self.check(model)
        key = await self.credentials.key(provider)
        if key is None and provider.needs_key:
            raise missing_key(asked, provider)
        headers = await self.credentials.headers(provider, key)
        return Connection(self._stream(model, provider), key, {**headers, **model.headers})

    def check(self, model: Model) -> Provider:
        """The provider of a model that can be asked, as far as that is known without asking.

        Raises: ModelChoiceError.
        """
        asked = f"{model.provider}/{model.id}"
        provider = self.provider(model.provider)
        if provider is None:
            raise ModelChoiceError(asked, f"there is no provider {model.provider}")
        if not self.credentials.is_configured(provider):
            raise missing_key(asked, provider)
        if provider.stream is None and model.api not in self._apis:
            raise missing_api(asked, model.api)
        return provider

    def _stream(self, model: Model, provider: Provider) -> Stream:
        if provider.stream is not None:
            return provider.stream
        if model.api not in self._streams:
            self._streams[model.api] = self._apis[model.api].load()
        return self._streams[model.api]

    def _in_effect(self, name: str) -> Provider:
        layers = [layer.get(name) for layer in (self._built_in, self._listed, self._registered)]
        first, *rest = [layer for layer in layers if layer is not None]
        provider = first
        for layer in rest:
            provider = _merged(provider, layer)
        listed = self._listed.get(name)
        models = _with_own(provider.models, listed.models if listed else ())
        models = tuple(_placed(model, provider) for model in models)
        changes = listed.overrides if listed else {}
        models = tuple(overridden(model, changes.get(model.id, {})) for model in models)
        return replace(provider, models=models)


def missing_key(asked: str, provider: Provider) -> ModelChoiceError:
    """The error for a provider without a key."""
    first = f"Set {' or '.join(provider.variables)}, give" if provider.variables else "Give"
    hint = f"{first} a key with --api-key, or put one into auth.json."
    return ModelChoiceError(asked, f"there is no key for {provider.name}", hint=hint)


def missing_api(asked: str, api: str) -> ModelChoiceError:
    """The error for a wire that nothing here can speak."""
    hint = "An extension can register a provider with a stream function of its own."
    return ModelChoiceError(asked, f'nothing installed speaks its api "{api}"', hint=hint)


def _merged(under: Provider, over: Provider) -> Provider:
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
        needs_key=under.needs_key and over.needs_key,
        models=over.models or under.models,
        overrides={**under.overrides, **over.overrides},
        stream=over.stream or under.stream,
    )


def _with_own(models: Iterable[Model], own: Iterable[Model]) -> tuple[Model, ...]:
    """The models, the person's own in place of those of the same id, or after them."""
    by_id = {model.id: model for model in models}
    by_id.update({model.id: model for model in own})
    return tuple(by_id.values())


def _placed(model: Model, provider: Provider) -> Model:
    """The model with the provider's api and address where it has none."""
    return replace(model, api=model.api or provider.api, base_url=model.base_url or provider.base_url)


def _check(provider: Provider, *under: Provider | None) -> None:
    whole = provider
    for layer in under:
        whole = _merged(layer, whole) if layer is not None else whole
    for model in provider.models:
        if not (model.api or whole.api or whole.stream):
            raise MalformedEntry(f"model {model.id} has no api, and the provider neither")
        if not (model.base_url or whole.base_url or whole.stream):
            raise MalformedEntry(f"model {model.id} has no base_url, and the provider neither")
    if provider.models and whole.needs_key and not (whole.api_key or whole.variables):
        raise MalformedEntry("has models and no way to a key: give api_key, or a stream function")
