"""From what an author writes about a provider to a wish that the host can carry out.

Pure.
"""

from __future__ import annotations

from typing import Any

from hookspecs.definitions import ProviderConfig
from pi_core.extensions.errors import RegistrationError
from pi_core.extensions.registrations import Extension, ProviderChange


def provider_change(extension: Extension, named: Any, config: ProviderConfig | None) -> ProviderChange:
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
        _check_config(named, config)
        if not named:
            raise RegistrationError("bad-provider-name", "a provider needs a name")
        return ProviderChange(verb="register", name=named, extension=extension, config=config)
    name = getattr(named, "name", None)
    if not isinstance(name, str) or not name:
        raise RegistrationError("bad-provider-name", f"a {type(named).__name__} has no name of a provider")
    return ProviderChange(verb="native", name=name, extension=extension, provider=named)


def _check_config(name: str, config: object) -> None:
    if not isinstance(config, ProviderConfig):
        raise RegistrationError(
            "bad-provider-config",
            f"the configuration of provider {name} is a {type(config).__name__}, not a ProviderConfig",
        )
