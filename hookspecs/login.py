"""How an extension's provider logs a person in: what it brings, and what it is handed to ask with.

Credentials are a JSON object: `access`, `refresh`, `expires` in milliseconds since 1970, and whatever
else the provider wants to find again. The host stores it in `auth.json` and gives it back unchanged.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from hookspecs.values import dataclass

LoginCredentials: TypeAlias = Mapping[str, Any]
"""What a login brought, as it stands in `auth.json`."""


class LoginCallbacks(Protocol):
    """The person who logs in. Questions raise an error where nobody can be asked."""

    def on_auth(self, url: str, instructions: str = "") -> None:
        """Show an address to open in a browser, and what to do there."""

    def on_progress(self, message: str) -> None:
        """Say what is going on."""

    async def on_prompt(self, message: str, placeholder: str = "") -> str:
        """Ask for a line of text, such as a code that the browser shows."""

    async def on_select(self, message: str, options: Sequence[str]) -> str:
        """Let one of several be chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthHooks:
    """The login of a provider. Functions may be coroutines.

    `refresh` makes new credentials of the ones that ended; it runs while no other process can do the
    same. Without `get_api_key` the access token is the key.
    """

    login: Callable[[LoginCallbacks], Any]
    refresh: Callable[[LoginCredentials], Any]
    get_api_key: Callable[[LoginCredentials], Any] | None = None
    modify_models: Callable[[list[Any], LoginCredentials], list[Any]] | None = None
    """Given the provider's models and the credentials, the models in their place; no coroutine."""
    name: str = ""
    """What a person reads."""
