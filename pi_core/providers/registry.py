"""All providers and models of a run, and the way to each of them.

Four layers: what is built in, the person's models file, what extensions
register, and the file's overrides on top. A person's own models survive
whatever an extension registers under the same name. Stream functions are
imported when they are first used.

Touches: modules that stream functions live in, and what finding a key touches.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field, replace
from typing import Any, Final, cast

from hookspecs.definitions import Model, ProviderConfig
from hookspecs.values import dataclass
from pi_core.errors import ModelChoiceError
from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import StoredEntry, StoredLogin
from pi_core.providers.base import Connection, Stream
from pi_core.providers.catalogue import built_in
from pi_core.providers.layers import (
    check_registration,
    merged,
    models_in_effect,
    models_of_login,
)
from pi_core.providers.models import (
    SCRIPTED,
    MalformedEntry,
    ModelsFile,
    Provider,
    provider_from_config,
    provider_from_object,
)

WIRES: Final = ("openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai")
"""The wires of the world that pi speaks with the extra `providers`."""


@dataclass(frozen=True, slots=True)
class LazyStream:
    """A stream function by name: `module:attribute` is called with `options` and returns it."""

    target: str
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: str | None = None
    """A library that does not come with every installation of pi."""

    @property
    def is_installed(self) -> bool:
        """Whether the library that it needs is there; imports nothing."""
        return self.needs is None or importlib.util.find_spec(self.needs) is not None

    def warm(self) -> None:
        """Import what the stream function will import when it is called, if it is there."""
        if self.needs is not None and self.is_installed:
            importlib.import_module(self.target.partition(":")[0]).warm(**self.options)

    def load(self) -> Stream:
        """Import the module and make the stream function."""
        module, _, attribute = self.target.partition(":")
        factory = getattr(importlib.import_module(module), attribute)
        return cast(Stream, factory(**self.options))


def default_apis(script: str | None = None) -> dict[str, LazyStream]:
    """The stream functions that come with pi. `script` is the path of a script file."""
    apis = {SCRIPTED: LazyStream("pi_core.providers.scripted:create", {"script": script})}
    for api in WIRES:
        apis[api] = LazyStream("pi_core.providers.pydantic_ai:create", {"api": api}, needs="pydantic_ai")
    return apis


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
        self._in_effect: dict[str, tuple[StoredEntry | None, Provider]] = {}
        """Providers as they are, with the entry of `auth.json` that this holds for."""
        self.refresher: Callable[[float | None], Awaitable[None]] | None = None
        """How a host asks the providers of extensions for their lists."""

    def providers(self) -> list[Provider]:
        """All providers as they are in effect: built in, listed, registered, each in its order."""
        names = dict.fromkeys([*self._built_in, *self._listed, *self._registered])
        return [self._effective(name) for name in names]

    def own_models(self) -> list[Model]:
        """The models that the person's file or an extension names, in the order of both."""
        layers = (*self._listed.values(), *self._registered.values())
        return [model for provider in layers for model in provider.models]

    def provider(self, name: str) -> Provider | None:
        """The provider of that name, None if there is none."""
        known = name in self._built_in or name in self._listed or name in self._registered
        return self._effective(name) if known else None

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
        if self.file.providers or self.file.problems or self.credentials.stored.keys:
            return False
        if any(provider.models for provider in self._registered.values()):
            return False
        return not any(
            provider.needs_key and self.credentials.is_configured(provider) for provider in self.providers()
        )

    def register(self, name: str, config: ProviderConfig | object) -> None:
        """Add a provider, or change the fields of one that are given; its models replace earlier ones.

        An object that is no configuration stands for the whole provider, and replaces what was registered.

        Raises: MalformedEntry; nothing has changed then.
        """
        try:
            self._registered[name] = self._registration(name, config)
        except MalformedEntry as error:
            raise MalformedEntry(f"provider {name}: {error}") from error
        self._in_effect.pop(name, None)

    def _registration(self, name: str, config: ProviderConfig | object) -> Provider:
        if isinstance(config, ProviderConfig):
            new, earlier = provider_from_config(name, config), self._registered.get(name)
        else:
            new, earlier = provider_from_object(name, config), None
        whole = merged(earlier, new) if earlier is not None else new
        check_registration(whole, self._built_in.get(name), self._listed.get(name))
        login = self.credentials.stored.keys.get(name)
        if isinstance(login, StoredLogin):
            models_of_login(whole, whole.models, login)
        return whole

    def unregister(self, name: str) -> None:
        """Take back what was registered under this name; what it covered is in effect again."""
        self._registered.pop(name, None)
        self._in_effect.pop(name, None)

    def registered(self, name: str) -> Provider | None:
        """What is registered under this name, without what is below it; None if nothing is."""
        return self._registered.get(name)

    def refreshable(self) -> list[Provider]:
        """The registered providers that can be asked which models they have now."""
        return [provider for provider in self._registered.values() if provider.refresh_models is not None]

    async def refresh(self, patience_s: float | None = None) -> None:
        """Ask the providers of extensions which models they have now, and wait for their answers.

        After `patience_s` the answers that are still to come count when they come. One that fails is
        reported, and its models stay as they are.
        """
        if self.refresher is not None:
            await self.refresher(patience_s)

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
        headers |= await self.credentials.resolved(model.headers)
        return Connection(self._stream(model, provider), key, headers)

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
        if provider.stream is None and not self._apis[model.api].is_installed:
            raise missing_library(asked, model.api)
        return provider

    def warm(self, model: Model) -> None:
        """Load what the first request to a model would load. Takes seconds: for a thread, in good time."""
        lazy = self._apis.get(model.api)
        if lazy is not None:
            lazy.warm()

    def _stream(self, model: Model, provider: Provider) -> Stream:
        if provider.stream is not None:
            return provider.stream
        if model.api not in self._streams:
            self._streams[model.api] = self._apis[model.api].load()
        return self._streams[model.api]

    def _effective(self, name: str) -> Provider:
        stored = self.credentials.stored.keys.get(name)
        known = self._in_effect.get(name)
        if known is None or known[0] is not stored:
            known = self._in_effect[name] = (stored, self._layered(name, stored))
        return known[1]

    def _layered(self, name: str, stored: StoredEntry | None) -> Provider:
        listed = self._listed.get(name)
        layers = [layer for layer in (self._built_in.get(name), listed, self._registered.get(name)) if layer]
        provider = layers[0]
        for layer in layers[1:]:
            provider = merged(provider, replace(layer, models=()) if layer is listed else layer)
        models = models_in_effect(provider, listed)
        if isinstance(stored, StoredLogin):
            try:
                models = models_of_login(provider, models, stored)
            except MalformedEntry:
                pass  # it was told when the provider was registered; its models are as without a login
        return replace(provider, models=models)


def missing_key(asked: str, provider: Provider) -> ModelChoiceError:
    """The error for a provider without a key."""
    first = f"Set {' or '.join(provider.variables)}, give" if provider.variables else "Give"
    hint = f"{first} a key with --api-key, or store one: pi auth login {provider.name}"
    return ModelChoiceError(asked, f"there is no key for {provider.name}", hint=hint)


def missing_library(asked: str, api: str) -> ModelChoiceError:
    """The error for a wire whose libraries are an extra of pi."""
    hint = "pip install 'pi-pluggy[providers]'"
    return ModelChoiceError(asked, f'the libraries that speak its api "{api}" are not installed', hint=hint)


def missing_api(asked: str, api: str) -> ModelChoiceError:
    """The error for a wire that nothing here can speak."""
    hint = "An extension can register a provider with a stream function of its own."
    return ModelChoiceError(asked, f'nothing installed speaks its api "{api}"', hint=hint)
