"""The key of a login: the access token while it lives, and a new one, fetched once, when it has ended.

Touches: files, and whatever the hooks of a provider touch.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Mapping
from typing import Any, Final

from hookspecs.login import LoginCallbacks, OAuthHooks
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.errors import AuthFileError, LoginError
from pi_core.providers.auth_file import (
    AuthFile,
    AuthStore,
    Entries,
    StoredLogin,
    keep_login,
    login_entry,
    stored_entry,
)

REFRESH_TIMEOUT_S: Final = 30.0
"""Everybody else who needs the file waits meanwhile."""


def now_ms() -> float:
    """The time, in milliseconds since 1970."""
    return time.time() * 1000


async def log_in(provider: str, hooks: OAuthHooks, callbacks: LoginCallbacks, store: AuthStore) -> None:
    """Let the provider log the person in, and keep what that brings.

    Raises: LoginError with what the provider said; AuthFileError.
    """
    store_entries_can_be_read(store)
    credentials = await _asked(provider, hooks.login, callbacks)
    await keep_login(store, provider, _checked(provider, credentials))


def store_entries_can_be_read(store: AuthStore) -> None:
    """Nobody logs in for a file that cannot take it. Raises: AuthFileError."""
    problem = store.read().problem
    if problem is not None:
        raise AuthFileError(str(store.path), problem.removeprefix(f"{store.path}: ").rstrip("."))


async def key_of_login(provider: str, hooks: OAuthHooks | None, login: StoredLogin) -> str:
    """The key that stands for a login that has not ended. Raises: LoginError."""
    if hooks is None or hooks.get_api_key is None:
        return login.access
    key = await _asked(provider, hooks.get_api_key, login.credentials)
    if not isinstance(key, str) or not key:
        raise LoginError(provider, f"get_api_key answered {type(key).__name__}, not a key")
    return key


async def renewed(provider: str, hooks: OAuthHooks, store: AuthStore) -> AuthFile:
    """The file once the provider's login holds again; only the first of several processes renews it.

    Raises: LoginError if it cannot be renewed: the entry stays, so that logging in again replaces it;
        AuthFileError.
    """

    async def change(entries: Entries) -> bool:
        login = stored_entry(entries.get(provider))
        if not isinstance(login, StoredLogin) or not login.has_ended(now_ms()):
            return False
        try:
            async with asyncio.timeout(REFRESH_TIMEOUT_S):
                credentials = await _asked(provider, hooks.refresh, login.credentials)
        except TimeoutError as error:
            raise ended(provider, "renewing it took too long") from error
        kept = {**login.credentials, **_checked(provider, credentials)}
        entries[provider] = login_entry(kept)
        return True

    return await store.edit(change)


def ended(provider: str, reason: str) -> LoginError:
    """The error for a login that is of no use any more."""
    return LoginError(provider, reason, hint=f"Log in again: pi auth login {provider}")


async def _asked(provider: str, function: Any, argument: Any) -> Any:
    """What a hook answers. Raises: LoginError for whatever it raises."""
    try:
        answer = function(argument)
        return await answer if inspect.isawaitable(answer) else answer
    except LoginError:
        raise
    except FAILURES as error:
        pass_interrupt(error)
        said = str(error) or type(error).__name__
        raise ended(provider, said.rstrip(".")) from error


def _checked(provider: str, credentials: Any) -> Mapping[str, Any]:
    if not isinstance(credentials, Mapping):
        raise LoginError(provider, f"its login answered {type(credentials).__name__}, not credentials")
    if not isinstance(credentials.get("access"), str) or not credentials["access"]:
        raise LoginError(provider, "its credentials have no access token")
    return credentials
