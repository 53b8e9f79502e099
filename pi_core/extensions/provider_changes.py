"""From what an author writes about a provider to a wish that the host can carry out.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from hookspecs.definitions import ProviderConfig
from hookspecs.wire import snake
from pi_core.extensions.errors import RegistrationError
from pi_core.extensions.registrations import Extension, ProviderChange

_SPELLINGS: Final = {"streamSimple": "stream", "stream_simple": "stream"}
"""What other hosts call the fields."""


def provider_change(
    extension: Extension, named: Any, config: ProviderConfig | Mapping[str, Any] | None
) -> ProviderChange:
    """A provider by name with its configuration, by a configuration that has a name, or as an object.

    Raises: RegistrationError.
    """
    if isinstance(named, ProviderConfig) and config is None:
        named, config = named.name or "", named
    if isinstance(named, str):
        if config is None:
            raise RegistrationError(
                "provider-config-missing", "Provider config is required when registering by name"
            )
        config = _as_config(named, config)
        if not named:
            raise RegistrationError("bad-provider-name", "a provider needs a name")
        return ProviderChange(verb="register", name=named, extension=extension, config=config)
    name = getattr(named, "name", None)
    if not isinstance(name, str) or not name:
        raise RegistrationError("bad-provider-name", f"a {type(named).__name__} has no name of a provider")
    return ProviderChange(verb="native", name=name, extension=extension, provider=named)


def _as_config(name: str, config: object) -> ProviderConfig:
    """The configuration itself, or what a mapping in either spelling says."""
    if isinstance(config, ProviderConfig):
        return config
    if not isinstance(config, Mapping):
        raise RegistrationError(
            "bad-provider-config",
            f"the configuration of provider {name} is a {type(config).__name__}, not a ProviderConfig",
        )
    known = {spec.name for spec in fields(ProviderConfig)}
    given = {_SPELLINGS.get(str(key), snake(str(key))): value for key, value in config.items()}
    if unknown := sorted(given.keys() - known):
        raise RegistrationError(
            "bad-provider-config",
            f"the configuration of provider {name} has {', '.join(unknown)}; known are "
            f"{', '.join(sorted(known))}",
        )
    return ProviderConfig(**given)
